// The view switch of a session, in a real browser: what each view shows, its address, and the keys that step through it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { type OpenedPage, openBrowser, openPage, skipWithoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { text, thinking, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { at, hasCount, isLoaded, isTrue, noComplaints, pressKey } from './page-kit.ts';

const mixedId = '88888888-8888-4888-a888-888888888888';
const longId = '88888888-8888-4888-a888-999999999999';
const words = 'words to fill the screen with\n\n'.repeat(20);

function mixed(): string {
  return transcript({ sessionId: mixedId })
    .user('first prompt')
    .attachment('hook_success', ['hook said yes'])
    .assistant([thinking(''), text('the first answer'), toolUse('c1', 'Bash', { command: 'make' })])
    .result('c1', { message: { content: [toolResult('c1', 'make: broken', { is_error: true })] } })
    .assistant([toolUse('c2', 'Read', { file_path: '/home/dev/widgets/a.ts' })])
    .result('c2')
    .user('second prompt')
    .assistant([thinking('a readable thought'), text('the second answer')])
    .user('third prompt')
    .call('c3')
    .result('c3')
    .assistant('the third answer')
    .text();
}

/** 60 turns; an error in turns 5 and 50, a compaction after turn 30. */
function long(): string {
  const builder = transcript({ sessionId: longId });
  for (let turn = 1; turn <= 60; turn++) {
    builder.user(`prompt ${turn}`).call(`c${turn}`);
    const failed = { message: { content: [toolResult(`c${turn}`, `bad ${turn}`, { is_error: true })] } };
    builder.result(`c${turn}`, turn === 5 || turn === 50 ? failed : {}).assistant(`answer ${turn} ${words}`);
    if (turn === 30) builder.boundary({ trigger: 'auto', preTokens: 150_000 }).summary('all of it in short');
  }
  return builder.text();
}

test('the view switch', { skip: skipWithoutChromium, timeout: 600_000 }, async (context) => {
  await openBrowser();
  const files = { [`-p/${mixedId}.jsonl`]: mixed(), [`-p/${longId}.jsonl`]: long() };
  const server = await openWebServer(context, files);
  await server.isCurrent();
  await context.test('Conversation is the default and hides what only the model received; All shows it', () =>
    hidesNoise(server),
  );
  await context.test('Prompts and Errors show only theirs, and the address has the view', () => showsOnly(server));
  await context.test('chips show the calls of chosen tools, with the counts of the session', () =>
    choosesTools(server),
  );
  await context.test('everything is expanded and collapsed at once', () => foldsAll(server));
  await context.test('turns without anything to show take no room, and are loaded only if they may', () =>
    leavesOut(server),
  );
  await context.test('keys go to the next and previous error, call and compaction, in every view', () => steps(server));
  await context.test('a line of the address is shown in a view that hides it', () => showsTarget(server));
});

async function open(server: WebServer, id: string, query = ''): Promise<OpenedPage> {
  const opened = await openPage(at(server, `/s/${id}${query}`));
  await opened.page.locator('.view-bar').waitFor();
  await isLoaded(opened.page);
  return opened;
}

function press(page: Page, name: string): Promise<void> {
  return page
    .locator('.view-bar')
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .click();
}

/** The button of the view that is shown. */
function pressed(page: Page, name: string): Promise<void> {
  return page
    .locator('.view-bar')
    .getByRole('button', { name: new RegExp(`^${name}`), pressed: true })
    .waitFor();
}

async function hidesNoise(server: WebServer): Promise<void> {
  const opened = await open(server, mixedId);
  const { page } = opened;
  await page.getByText('the third answer').waitFor();
  await pressed(page, 'Conversation');
  await page.getByRole('button', { name: /^Thinking/ }).waitFor();
  await eventually(async () =>
    assert.deepEqual(
      [await page.getByText('hook success').count(), await page.getByText('Thought, not readable').count()],
      [0, 0],
    ),
  );
  await press(page, 'All');
  await page.getByText('hook success').waitFor();
  await page.getByText('Thought, not readable').waitFor();
  await page.waitForURL(/view=all/);
  await noComplaints(opened);
}

async function showsOnly(server: WebServer): Promise<void> {
  const opened = await open(server, mixedId);
  const { page } = opened;
  await press(page, 'Prompts');
  await page.waitForURL(/view=prompts/);
  await pressed(page, 'Prompts');
  // There are no items either while the turns of the view load: the prompts are read after them.
  await eventually(async () =>
    assert.deepEqual(
      [await page.locator('.items .item').count(), await page.locator('.prompt .prompt-text').allTextContents()],
      [0, ['first prompt', 'second prompt', 'third prompt']],
    ),
  );
  await press(page, 'Errors');
  await page.waitForURL(/view=errors/);
  await hasCount(page, '.items .item', 1);
  await page.locator('.call.failed', { hasText: 'make: broken' }).waitFor();
  await eventually(async () =>
    assert.deepEqual(await page.locator('.turn-line').allTextContents(), ['Turn 1 first prompt']),
  );
  await page.reload();
  await hasCount(page, '.items .item', 1);
  await pressed(page, 'Errors');
  await noComplaints(opened);
}

async function choosesTools(server: WebServer): Promise<void> {
  const opened = await open(server, mixedId);
  const { page } = opened;
  const chips = page.locator('.chips button');
  await eventually(async () => assert.deepEqual(await chips.allTextContents(), ['Read2', 'Bash1']));
  await press(page, 'Read');
  await hasCount(page, '.items .item', 2);
  await page.waitForURL(/\?.*tool=Read/);
  await press(page, 'Bash');
  await hasCount(page, '.items .item', 3);
  await press(page, 'Errors');
  await hasCount(page, '.items .item', 1);
  await press(page, 'Bash');
  await page.getByText('No failed call of Read in this session.').waitFor();
  await noComplaints(opened);
}

async function foldsAll(server: WebServer): Promise<void> {
  const opened = await open(server, mixedId);
  const { page } = opened;
  await page.getByText('the third answer').waitFor();
  const have = (open: number, closed: number): Promise<void> =>
    eventually(async () =>
      assert.deepEqual(
        [
          await page.locator('.items button[aria-expanded="true"]').count(),
          await page.locator('.items button[aria-expanded="false"]').count(),
        ],
        [open, closed],
      ),
    );
  await press(page, 'Expand all');
  await have(4, 0);
  await press(page, 'Collapse all');
  await have(0, 4);
  // One that the user opens stays open.
  await page.getByRole('button', { name: /^failed Bash/ }).click();
  await have(1, 3);
  await noComplaints(opened);
}

async function leavesOut(server: WebServer): Promise<void> {
  const opened = await openPage(at(server, `/s/${longId}?view=errors`));
  const { page } = opened;
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/turns?')) asked.push(request.url());
  });
  await hasCount(page, '.call.failed', 2);
  await eventually(async () =>
    assert.deepEqual(await page.locator('.turn-line').allTextContents(), ['Turn 5 prompt 5', 'Turn 50 prompt 50']),
  );
  await hasCount(page, '.row', 2);
  await isTrue(page, `[...document.querySelectorAll('.row')].every((row) => row.offsetHeight > 0)`);
  assert.ok(asked.length <= 2, asked.join('\n'));
  await noComplaints(opened);
}

async function steps(server: WebServer): Promise<void> {
  const opened = await open(server, longId);
  const { page } = opened;
  const isAt = (selector: string, name: string): Promise<void> =>
    isTrue(
      page,
      `(() => {
        const block = [...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.textContent.includes(${JSON.stringify(name)}));
        const main = document.getElementById('conversation').getBoundingClientRect();
        const box = block?.getBoundingClientRect();
        return box !== undefined && box.top >= main.top && box.top < main.bottom;
      })()`,
    );
  await pressKey(page, 'e');
  await isAt('.call.failed.target', 'bad 5');
  await pressKey(page, 'e');
  await isAt('.call.failed.target', 'bad 50');
  await pressKey(page, 'e');
  await page.getByText('No later error').waitFor();
  await pressKey(page, 'Shift+E');
  await isAt('.call.failed.target', 'bad 5');
  await pressKey(page, 'c');
  await isTrue(page, `document.querySelector('.call.target')?.closest('[data-part]')?.dataset.part === '5'`);
  await pressKey(page, 'x');
  await isAt('.compaction', 'Compacted (auto)');
  // Prompts hides calls; the one that was jumped to is shown.
  await press(page, 'Prompts');
  await hasCount(page, '.items .call', 0);
  await pressKey(page, 'g');
  await pressKey(page, 'e');
  await isAt('.call.failed.target', 'bad 5');
  await hasCount(page, '.items .call', 1);
  await noComplaints(opened);
}

async function showsTarget(server: WebServer): Promise<void> {
  // Line 2 is the hook.
  const opened = await open(server, mixedId, '?line=2&view=conversation');
  await opened.page.getByText('hook success').waitFor();
  await noComplaints(opened);
}
