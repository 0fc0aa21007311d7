// Reading a session in a real browser: what the editor attached, line breaks, trees, changed words, thumbnails, refusals,
// and the meaning of numbers.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { JsonObject } from '../../src/base/json/index.ts';
import { desktop, type OpenedPage, openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { startClew } from '../support/running-clew.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { text, toolResult, transcript } from '../support/transcript-builder.ts';
import { hasCount, isLoaded, isTrue, noComplaints, pressKey } from './page-kit.ts';

const id = 'aaaaaaaa-0000-4000-8000-00000000000a';
const selection =
  '<ide_selection>The user selected the lines 3 to 4 from /home/kim/project/src/app.ts:\nconst port = 8080;\nlisten(port);\n\nThis may or may not be related to the current task.</ide_selection>';
const opened =
  '<ide_opened_file>The user opened the file /home/kim/project/README.md in the IDE. It may matter.</ide_opened_file>';
const rejected =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";
const issue = { title: 'Port is fixed', labels: [{ name: 'bug' }], body: 'Read it\nfrom the environment.' };

function call(callId: string, name: string, input: JsonObject): JsonObject {
  return { type: 'tool_use', id: callId, name, input };
}

/** GIFs of one colour that a browser draws, unlike the bare headers of tiny-images.ts. */
function image(width: number, height: number): JsonObject {
  const bytes = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  // The size of the screen; its one frame stays 1 × 1.
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: bytes.toString('base64') } };
}

function session(): string {
  const retry = (retryAttempt: number): JsonObject => ({
    error: { status: 529, message: 'Overloaded' },
    retryAttempt,
    maxRetries: 10,
  });
  const at = { timestamp: '2026-03-01T11:00:00.000Z' };
  return transcript({ cwd: '/home/kim/project' })
    .user([text(selection), text(opened), text('Make the port configurable'), image(4, 3)])
    .assistant([text('Three steps:\nthe constant,\nthe flag.\n\n- one\n- two\n\n```\na\nb\n```')])
    .assistant([
      call('t1', 'Edit', {
        file_path: '/home/kim/project/a.ts',
        old_string: 'port = 8080;',
        new_string: 'port = 3000;',
      }),
    ])
    .user([toolResult('t1', 'updated')])
    .assistant([
      call('t2', 'Edit', { file_path: '/home/kim/project/b.ts', old_string: 'host = 1;', new_string: 'host = 2;' }),
    ])
    .user([
      toolResult('t2', `${rejected} The user provided the following reason for the rejection: leave it`, {
        is_error: true,
      }),
    ])
    .assistant([call('t3', 'mcp__github__issue', { owner: 'kim', number: 12 })])
    .user([toolResult('t3', JSON.stringify(issue))])
    .assistant([call('t4', 'mcp__browser__shot', { type: 'png' })])
    .user([toolResult('t4', [text('taken'), image(5, 2)])])
    .assistant([call('t5', 'Read', { file_path: '/gone' })])
    .user([toolResult('t5', '<tool_use_error>File does not exist.</tool_use_error>', { is_error: true })])
    .system('api_error', retry(1))
    .system('api_error', retry(2))
    .assistant([text('Done.')])
    .user(opened, at)
    .user([image(1, 1)], at)
    .user('And now?', at)
    .assistant([text('Nothing.')])
    .text();
}

interface Site {
  open(query?: string, view?: typeof desktop): Promise<OpenedPage>;
}

test('reading a session', { skip: skipWithoutChromium, timeout: 300_000 }, async (context) => {
  await openBrowser();
  const site = await startSite(context);
  await context.test('shows what the editor attached next to the prompt', () => showsAttached(site));
  await context.test('keeps the line breaks of answers', () => keepsBreaks(site));
  await context.test('marks the changed words of a change', () => marksWords(site));
  await context.test('shows that an edit was declined', () => showsDeclined(site));
  await context.test('shows JSON as a tree, and as text', () => showsTree(site));
  await context.test('shows images as thumbnails that open large', () => showsThumbnails(site));
  await context.test('shows an error once', () => showsErrorsOnce(site));
  await context.test('explains numbers', () => explainsNumbers(site));
  await context.test('fits a phone', () => fitsPhone(site));
});

async function startSite(context: TestContext): Promise<Site> {
  // Before its folders are removed: it may still write to its index.
  let pid = 0;
  context.after(() => void (pid > 0 && process.kill(pid, 'SIGKILL')));
  const root = temporaryFolder(context);
  const folder = path.join(root, 'projects', '-home-kim-project');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${id}.jsonl`), session());
  const env = { CLEW_HOME: temporaryFolder(context) };
  const clew = startClew(context, ['open', '--json', '--no-browser', '--root', root], env);
  pid = clew.pid;
  const { url } = JSON.parse(await clew.prints(/\n/)) as { url: string };
  return {
    open: async (query = '', view = desktop) => {
      const page = await openPage(new URL(`/s/${id}${query}${new URL(url).hash}`, url).href, view);
      await isLoaded(page.page);
      return page;
    },
  };
}

function callNamed(page: Page, name: string) {
  return page.locator('.call').filter({ has: page.locator('.call-name', { hasText: name }) });
}

function hasTexts(locator: Locator, texts: readonly string[]): Promise<void> {
  return eventually(async () => assert.deepEqual(await locator.allTextContents(), texts));
}

function hasNone(locator: Locator): Promise<void> {
  return eventually(async () => assert.equal(await locator.count(), 0));
}

async function showsAttached(site: Site): Promise<void> {
  const shown = await site.open();
  const { page } = shown;
  await hasTexts(page.locator('h1'), ['Make the port configurable']);
  await hasTexts(page.locator('.outline-prompt'), ['Make the port configurable', 'And now?']);
  const prompt = page.locator('.prompt').first();
  await hasTexts(prompt.locator('.prompt-text'), ['Make the port configurable']);
  await hasTexts(prompt.locator('.chip'), [
    'lines 3–4 of src/app.ts, selected in the editor',
    'README.md, open in the editor',
  ]);
  await hasNone(prompt.getByText('listen(port);'));
  await prompt.getByRole('button', { name: 'lines 3–4 of src/app.ts' }).click();
  await hasTexts(prompt.locator('.attached-text'), ['const port = 8080;\nlisten(port);']);
  await noComplaints(shown);
}

async function keepsBreaks(site: Site): Promise<void> {
  const shown = await site.open();
  const answer = shown.page.locator('.answer .prose').first();
  const first = answer.locator('p').first();
  await eventually(async () => assert.equal(await first.innerText(), 'Three steps:\nthe constant,\nthe flag.'));
  await hasTexts(answer.locator('li'), ['one', 'two']);
  await hasTexts(answer.locator('pre code'), ['a\nb']);
  await hasNone(answer.locator('pre br, ul br'));
  await noComplaints(shown);
}

async function marksWords(site: Site): Promise<void> {
  const shown = await site.open();
  const diff = callNamed(shown.page, 'Edit').first().locator('.diff');
  await diff.locator('.changed').first().waitFor();
  await hasTexts(diff.locator('.removed .changed'), ['8080']);
  await hasTexts(diff.locator('.added .changed'), ['3000']);
  await noComplaints(shown);
}

async function showsDeclined(site: Site): Promise<void> {
  const shown = await site.open();
  const declined = shown.page.locator('.call.declined');
  await declined.getByRole('button', { name: /^declined by you Edit b\.ts You declined this edit/ }).waitFor();
  await hasTexts(declined.locator('.reply'), ['You saidleave it']);
  await hasNone(declined.getByText('was rejected'));
  const style = `getComputedStyle(document.querySelector('.call.declined .added code')).textDecorationLine`;
  await isTrue(shown.page, `${style} === 'line-through'`);
  await hasCount(shown.page, '.call.failed', 1);
  await noComplaints(shown);
}

async function showsTree(site: Site): Promise<void> {
  const shown = await site.open();
  const { page } = shown;
  const block = callNamed(page, 'mcp__github__issue');
  await block.getByRole('button', { name: /owner: kim, number: 12/ }).click();
  const tree = block.getByRole('figure', { name: 'output as a tree' });
  await hasTexts(tree.locator('.json-key'), ['title: ', 'labels: ', 'name: ', 'body: ']);
  await hasTexts(tree.locator('.json-string').last(), ['Read it\nfrom the environment.']);
  await tree.getByRole('button', { name: 'labels: 1 item' }).click();
  await hasNone(tree.getByText('bug'));
  await block.getByRole('button', { name: 'Raw output' }).click();
  await hasTexts(block.locator('.terminal pre'), [JSON.stringify(issue)]);
  await noComplaints(shown);
}

async function showsThumbnails(site: Site): Promise<void> {
  const shown = await site.open();
  const { page } = shown;
  const block = callNamed(page, 'mcp__browser__shot');
  // The call is folded; its image is not.
  await block.locator('.call-line[aria-expanded="false"]').waitFor();
  const picture = block.getByRole('button', { name: /^From the transcript, 5 × 2, / });
  await picture.scrollIntoViewIfNeeded();
  await isTrue(page, `document.querySelectorAll('.call .picture:not(:disabled) img').length === 1`);
  await picture.click();
  const dialog = page.getByRole('dialog', { name: /^From the transcript, 5 × 2, / });
  await dialog.waitFor();
  await pressKey(page, 'Escape');
  await hasCount(page, 'dialog.large-picture', 0);
  await noComplaints(shown);
}

async function showsErrorsOnce(site: Site): Promise<void> {
  const shown = await site.open();
  const { page } = shown;
  await hasTexts(page.locator('.note.error .note-label'), ['✗ request failed, 2 times']);
  const failed = page.locator('.call.failed');
  await hasCount(page, '.call.failed .call-body', 1);
  await eventually(async () => assert.equal(await failed.getByText('File does not exist.').count(), 1));
  await failed.locator('.call-line').click();
  // Folded, the line says it.
  await hasTexts(failed.locator('.call-outcome'), ['File does not exist.']);
  await noComplaints(shown);
}

async function explainsNumbers(site: Site): Promise<void> {
  const shown = await site.open();
  const spans = `document.querySelector('.turn-numbers').querySelectorAll('.explained')`;
  await eventually(async () => {
    const titles = await shown.page.evaluate<string[]>(`Array.from(${spans}, (span) => span.title)`);
    assert.ok(titles.includes('When the turn began'), titles.join('\n'));
    assert.ok(titles.some((title) => title.startsWith('Tokens sent to the model in ')));
  });
  const raw = shown.page.getByRole('button', { name: 'Raw line 2', exact: true });
  const title = 'Line 2 of the transcript; click to read it as it is stored';
  await eventually(async () => assert.equal(await raw.getAttribute('title'), title));
  await noComplaints(shown);
}

async function fitsPhone(site: Site): Promise<void> {
  const shown = await site.open('', phone);
  const wide = `document.documentElement.scrollWidth > document.documentElement.clientWidth`;
  await isTrue(shown.page, `!(${wide})`);
  await noComplaints(shown);
}
