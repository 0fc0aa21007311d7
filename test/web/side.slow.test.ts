// The right side of the session page and the context chart in a real browser, on the real server. The session is written
// here, so that every expected number can be read from it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { JsonObject } from '../../src/base/json/json.ts';
import { desktop, type OpenedPage, openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { type Fields, sessionId, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { at, hasCount, isAccessibleInBoth, isLoaded, isTrue, noComplaints, pressKey } from './page-kit.ts';

const model = 'claude-opus-4-6';

function sized(read: number, output: number): Fields {
  return { message: { model, usage: { input_tokens: 0, cache_read_input_tokens: read, output_tokens: output } } };
}

const todo = (content: string, status: string): JsonObject => ({ content, status, activeForm: content });
const edit = (path: string, from: string, to: string): JsonObject => ({
  file_path: path,
  old_string: from,
  new_string: to,
});
const hostile = '<b>not bold</b>\u202egnp';

/** Three turns; the second is compacted in the middle, from 160,000 tokens to 40,000. */
function session(): string {
  return transcript({ cwd: '/w' })
    .user('write it')
    .assistant([toolUse('c1', 'Write', { file_path: '/w/a.ts', content: 'one\ntwo\n' })], sized(20_000, 100))
    .user([toolResult('c1', 'created')], { toolUseResult: { type: 'create' } })
    .assistant(
      [toolUse('c2', 'TodoWrite', { todos: [todo('Write', 'completed'), todo(hostile, 'in_progress')] })],
      sized(20_500, 100),
    )
    .user([toolResult('c2', 'ok')])
    .assistant('written', sized(21_000, 100))
    .user('change it')
    .assistant([toolUse('c3', 'Bash', { command: 'cat log' })], sized(150_000, 100))
    .user([toolResult('c3', 'line\n'.repeat(2_000))])
    .boundary({ trigger: 'auto', preTokens: 160_000 })
    .summary('what was')
    .assistant([toolUse('c4', 'Edit', edit('/w/a.ts', 'one', 'first'))], sized(40_000, 100))
    .user([toolResult('c4', 'ok')], {
      toolUseResult: {
        structuredPatch: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: ['-one', '+first', ' two'] }],
      },
    })
    .assistant([toolUse('c5', 'Edit', edit('/w/b.ts', 'x', 'y'))], sized(41_000, 100))
    .user([toolResult('c5', 'rejected', { is_error: true })])
    .assistant('changed', sized(42_000, 100))
    .user('thanks')
    .assistant('welcome', sized(43_000, 100))
    .text();
}

test('the right side of the session page', { skip: skipWithoutChromium, timeout: 300_000 }, async (context) => {
  await openBrowser();
  const server = await openWebServer(context, { [`-w/${sessionId}.jsonl`]: session() });
  await server.isCurrent();
  await context.test('shows context, cost, to-do list and files of the turn on the screen', () => followsTurns(server));
  await context.test('opens the changes of a file, with links to their calls', () => opensFiles(server));
  await context.test('copies the command that frees a slice', () => copiesCommand(server));
  await context.test('is toggled by a key, and stays as it was left', () => remembers(server));
  await context.test('is closed at first on a narrow window, and a sheet on a phone', () => fitsNarrow(server));
  await context.test('the chart has an axis, a limit, a zone and the drop, and goes to turns', () =>
    chartWorks(server),
  );
});

async function open(server: WebServer, view: BrowserContextOptions = desktop, query = ''): Promise<OpenedPage> {
  const opened = await openPage(at(server, `/s/${sessionId}${query}`), view);
  await isLoaded(opened.page);
  return opened;
}

/** Of what this file tests. */
async function isFaultless(page: Page, parts: readonly string[] = ['.chart']): Promise<void> {
  await isAccessibleInBoth(page, ['.side', '.session-header', ...parts]);
}

function hasFiles(page: Page, files: readonly string[]): Promise<void> {
  return eventually(async () => {
    const texts = await page.locator('.side-file').allInnerTexts();
    assert.deepEqual(
      texts.map((text) => text.replace(/\s+/g, ' ')),
      files,
    );
  });
}

async function followsTurns(server: WebServer): Promise<void> {
  const opened = await open(server);
  const { page } = opened;
  await page.getByRole('heading', { name: 'After turn 1' }).waitFor();
  await page.locator('.side').getByText('21.0k of 200k tokens, 11 %').waitFor();
  await page.locator('.side-bar rect').nth(1).waitFor();
  const todos = page.locator('.side-todos li');
  await eventually(async () =>
    assert.deepEqual(await todos.allInnerTexts(), ['✓\nWrite', '▸\n<b>not bold</b>‹U+202E›gnp']),
  );
  await hasFiles(page, ['a.ts +2 −0']);
  const cost = page.locator('.side .cost');
  const before = await eventually(async () => {
    const text = await cost.innerText();
    assert.match(text, /\$\d/);
    return text;
  });
  await pressKey(page, 'j');
  await page.getByRole('heading', { name: 'After turn 2' }).waitFor();
  await page.locator('.side').getByText('42.0k of 200k tokens, 21 %').waitFor();
  await hasFiles(page, ['b.ts failed', 'a.ts +3 −1']);
  await eventually(async () => assert.notEqual(await cost.innerText(), before));
  await isFaultless(page);
  await noComplaints(opened);
}

async function opensFiles(server: WebServer): Promise<void> {
  const opened = await open(server, desktop, '?turn=3');
  const { page } = opened;
  await page.locator('.side-file', { hasText: 'a.ts' }).click();
  await hasCount(page, '.side-edits > li', 2);
  const added = page.locator('.side-edits .added code');
  await eventually(async () => assert.deepEqual(await added.allInnerTexts(), ['one', 'two', 'first']));
  await page.locator('.side-edits a', { hasText: 'Edit in turn 2' }).click();
  // Line 12 is that of the call.
  await isTrue(page, `document.querySelector('[data-place=" 12"]')?.getBoundingClientRect().top < innerHeight`);
  await isFaultless(page);
  await noComplaints(opened);
}

async function copiesCommand(server: WebServer): Promise<void> {
  const opened = await open(server, { ...desktop, permissions: ['clipboard-read', 'clipboard-write'] }, '?turn=3');
  const { page } = opened;
  const row = page.locator('.side-slices li', { hasText: 'Calls of Edit' });
  await row.getByRole('button', { name: 'Copy command' }).click();
  await page.getByText('Command copied').waitFor();
  await isTrue(page, `navigator.clipboard.readText().then((text) => text === 'clew strip ${sessionId} --tools Edit')`);
  await noComplaints(opened);
}

async function remembers(server: WebServer): Promise<void> {
  const opened = await open(server);
  const { page } = opened;
  await page.locator('.side').waitFor();
  await pressKey(page, 'i');
  await hasCount(page, '.side', 0);
  await page.reload();
  await isLoaded(page);
  await page.getByRole('button', { name: 'Details', pressed: false }).waitFor();
  await hasCount(page, '.side', 0);
  await pressKey(page, 'i');
  await page.locator('.side-slices li').first().waitFor();
  await noComplaints(opened);
}

async function fitsNarrow(server: WebServer): Promise<void> {
  const narrow = await open(server, { viewport: { width: 1100, height: 800 } });
  await hasCount(narrow.page, '.side', 0);
  await noComplaints(narrow);
  const opened = await open(server, phone);
  const { page } = opened;
  await hasCount(page, '.side', 0);
  await pressKey(page, 'i');
  await page.locator('.side-slices li').first().waitFor();
  await isTrue(page, 'document.documentElement.scrollWidth === 390');
  await isFaultless(page, []);
  await page.locator('.side').getByRole('button', { name: 'Close' }).click();
  await hasCount(page, '.side', 0);
  await noComplaints(opened);
}

async function chartWorks(server: WebServer): Promise<void> {
  const opened = await open(server);
  const { page } = opened;
  const chart = page.locator('.chart');
  const axis = chart.locator('.chart-axis span');
  await eventually(async () => assert.deepEqual(await axis.allTextContents(), ['0', '100k', '200k']));
  await chart.locator('.chart-limit-name', { hasText: /^limit 200k$/ }).waitFor();
  await chart.getByText('The client compacts above 167k').waitFor();
  await hasCount(page, '.chart .chart-zone', 1);
  // The middle of the second of three turns.
  const cut = chart.locator('.chart-cut').first();
  await eventually(async () => assert.equal(await cut.getAttribute('x1'), '50'));
  const pointer = chart.locator('.chart-pointer');
  const { width = 0 } = (await eventually(() => pointer.boundingBox())) ?? {};
  await pointer.hover({ position: { x: width / 2, y: 30 } });
  await chart.getByText(`Turn 2 · 160k tokens (80 %) · compacted 160k → 40.0k · ${model}`).waitFor();
  await pointer.click({ position: { x: width - 5, y: 30 } });
  await page.locator('.outline-row[aria-current]', { hasText: 'thanks' }).waitFor();
  const range = chart.getByRole('slider', { name: 'Turn, by the size of the context' });
  await range.focus();
  await pressKey(page, 'ArrowLeft');
  await page.locator('.outline-row[aria-current]', { hasText: 'change it' }).waitFor();
  await eventually(async () =>
    assert.match((await range.getAttribute('aria-valuetext')) ?? '', /^Turn 2 · 160k tokens/),
  );
  await eventually(async () =>
    assert.deepEqual(
      (await page.locator('.outline-facts').allInnerTexts()).map((text) => text.includes('compacted')),
      [false, true, false],
    ),
  );
  await noComplaints(opened);
}
