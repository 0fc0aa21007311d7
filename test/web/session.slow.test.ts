// The session page in a real browser, on the real server.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { desktop, type OpenedPage, openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { projectRoot } from '../support/paths.ts';
import { startClew } from '../support/running-clew.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { transcript } from '../support/transcript-builder.ts';
import { fitsWidth, hasCount, isListening, isLoaded, isTrue, noComplaints, pressKey } from './page-kit.ts';
import { countBlanks, dueWithPush, emptyPlacesAt, isAtEnd } from './page-scripts.ts';
import { everything, everythingId, liveId, longId, longSession } from './page-sessions.ts';

const demoId = '463b11e7-f2cd-4a8c-b793-f776502024ef';
const isLong = process.env.CLEW_LONG === '1';
const [longLines, longBytes] = isLong ? [50_000, 6_000] : [6_000, 1_500];

interface OpenOptions {
  readonly query?: string;
  readonly view?: BrowserContextOptions;
  /** Runs before the page does. */
  readonly script?: string;
}

interface Site {
  readonly root: string;
  open(id: string, options?: OpenOptions): Promise<OpenedPage>;
}

test('the session page', { skip: skipWithoutChromium, timeout: 600_000 }, async (context) => {
  // Opened here: a browser opened in a subtest would close at its end.
  await openBrowser();
  const site = await startSite(context);
  await context.test('shows turns next to an outline, and each kind of call', () => showsTurns(site));
  await context.test('shows every kind of block', () => showsEverything(site));
  await context.test('opens a sub-agent in place', () => opensAgent(site));
  await context.test('finds words, scrolls to them, and opens the blocks that contain them', () => findsWords(site));
  await context.test('shows the raw line of a block', () => showsRaw(site));
  await context.test('moves between turns by keys, and updates the address', () => followsKeys(site));
  await context.test('switches branches', () => switchesBranches(site));
  await context.test('opens at the line that the address names', () => opensAtLine(site));
  await context.test('copies the resume command, a link and Markdown', () => copies(site));
  await context.test('shows appended turns, and keeps the scroll position of a reader elsewhere', () =>
    followsLive(site),
  );
  await context.test('shows what was appended before the server sends it changes', () =>
    showsWhatCameBeforeListening(site),
  );
  await context.test('scrolls to the end of a long session without a blank screen', () => scrollsLong(site));
  await context.test('shows which turns are loading after every jump', () => showsWhatComes(site));
  await context.test('is usable at the width of a phone', () => fitsPhone(site));
});

async function startSite(context: TestContext): Promise<Site> {
  const root = temporaryFolder(context);
  cpSync(path.join(projectRoot, 'demo'), root, { recursive: true });
  const folder = path.join(root, 'projects', '-home-dev-widgets');
  mkdirSync(folder, { recursive: true });
  const write = (id: string, text: string): void => writeFileSync(path.join(folder, `${id}.jsonl`), text);
  write(everythingId, everything());
  write(longId, longSession(longLines, longBytes));
  write(liveId, liveTurn(1) + liveTurn(2));
  const home = temporaryFolder(context);
  const clew = startClew(context, ['open', '--json', '--no-browser', '--root', root], { CLEW_HOME: home });
  const { url } = JSON.parse(await clew.prints(/\n/)) as { url: string };
  return {
    root: folder,
    open: async (id, { query = '', view = desktop, script = '' } = {}) => {
      const address = new URL(`/s/${id}${query}${new URL(url).hash}`, url).href;
      const opened = await openPage(address, view, script);
      await isLoaded(opened.page);
      return opened;
    },
  };
}

async function showsTurns(site: Site): Promise<void> {
  const opened = await site.open(demoId);
  const { page } = opened;
  await page.locator('h1', { hasText: /^Find out why the build is slow$/ }).waitFor();
  await eventually(async () =>
    assert.deepEqual(await page.locator('.outline-prompt').allTextContents(), [
      'why does `lighthouse build` take 9 seconds for 400 posts? find out first, change nothing yet',
      'do the first one',
    ]),
  );
  await page.locator('.diff .added').first().waitFor();
  const meaning = ' (Cost of the turn and its sub-agents at the prices of the API)';
  const costs = page.locator('.turn-head .cost');
  await eventually(async () => assert.deepEqual(await costs.allTextContents(), [`$0.20${meaning}`, `$0.04${meaning}`]));
  await hasCount(page, '.chart-line', 1);
  await page.getByText('Context, at most 17.4k of 200k tokens').waitFor();
  await page.getByRole('button', { name: /^done Grep/ }).click();
  await page.locator('.files li', { hasText: 'test/highlight.test.ts' }).waitFor();
  const output = page.locator('.terminal').first();
  await eventually(async () => assert.match((await output.textContent()) ?? '', /400 pages in 9\.12 s/));
  await noComplaints(opened);
}

async function showsEverything(site: Site): Promise<void> {
  const opened = await site.open(everythingId);
  const { page } = opened;
  const shown = async (selector: string, text: string): Promise<void> => {
    await page.locator(selector, { hasText: text }).first().waitFor();
  };
  await shown('.prompt', 'Please look **at** this');
  await isTrue(page, `document.querySelector('.picture img[src^="blob:"]')?.naturalWidth === 1`);
  await shown('.prose h4', 'Plan');
  await shown('.hljs-keyword', 'const');
  await shown('.ink-2', 'green');
  await shown('.stderr', 'a warning');
  await shown('.todo-in_progress', 'Fix it');
  await shown('.chosen', 'Left');
  await shown('.call .prose em', 'left');
  await shown('.call.failed .terminal', 'out of tea');
  await shown('.note.error', 'API error 529: Overloaded');
  await shown('.queued', 'And hurry');
  const thought = page.getByText('First I think about it.');
  await eventually(async () => assert.equal(await thought.count(), 1, 'thinking is folded to its first line'));
  await page.getByRole('button', { name: /^Thinking/ }).click();
  await shown('.thinking .prose', 'First I think about it.');
  await page.getByRole('button', { name: /^done WebSearch/ }).click();
  await shown('.links a[rel="noopener noreferrer"]', 'Sunny days');
  await page.getByRole('button', { name: /^done Read/ }).click();
  await shown('.code-line .number', '8');
  await page.getByRole('button', { name: /Compacted \(manual\) · 155k → 12\.0k tokens · 1 line kept/ }).click();
  await shown('.kept', 'line 2');
  await shown('.compaction .prose', 'What was said before, in short');
  await noComplaints(opened);
}

async function opensAgent(site: Site): Promise<void> {
  const opened = await site.open(demoId);
  const { page } = opened;
  await page.getByRole('button', { name: 'Sub-agent Explore: Follow one page' }).click();
  await page.locator('.agent-body .call', { hasText: 'src/render/highlight.ts' }).waitFor();
  await page.locator('.agent-prompt', { hasText: /^Follow one page of the blog/ }).waitFor();
  await noComplaints(opened);
}

async function findsWords(site: Site): Promise<void> {
  const opened = await site.open(everythingId);
  const { page } = opened;
  await pressKey(page, '/');
  await page.getByRole('searchbox', { name: 'Find in this session' }).fill('let WORD');
  await page.locator('.find-hits mark', { hasText: 'let word' }).waitFor();
  await pressKey(page, 'Enter');
  await page.locator('.call.target .code-line', { hasText: 'let word = 2;' }).waitFor();
  await page.locator('.find-state', { hasText: /^1 of 1 place$/ }).waitFor();
  await isTrue(page, `CSS.highlights.get('found')?.size === 1`);
  await pressKey(page, 'Escape');
  await page.getByRole('searchbox', { name: 'Find in this session' }).waitFor({ state: 'detached' });
  await noComplaints(opened);
}

async function showsRaw(site: Site): Promise<void> {
  const opened = await site.open(everythingId);
  const { page } = opened;
  await page.getByRole('button', { name: 'Raw line 4' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Raw line 4' });
  await drawer.getByText('"command": "npm test"').waitFor();
  await drawer.getByRole('button', { name: 'Laid out' }).click();
  await drawer.getByText('"command":"npm test"').waitFor();
  await pressKey(page, 'Escape');
  await drawer.waitFor({ state: 'detached' });
  await noComplaints(opened);
}

const currentTurn = (page: Page, turn: string): Promise<void> =>
  page.locator('.outline-row[aria-current] .outline-number', { hasText: new RegExp(`^${turn}$`) }).waitFor();

async function followsKeys(site: Site): Promise<void> {
  const opened = await site.open(longId);
  const { page } = opened;
  await currentTurn(page, '1');
  await pressKey(page, 'j');
  await currentTurn(page, '2');
  await page.waitForURL(/\?turn=2$/);
  await pressKey(page, 'k');
  await currentTurn(page, '1');
  await pressKey(page, '?');
  await page.getByRole('dialog', { name: 'Keyboard help' }).waitFor();
  await pressKey(page, 'Escape');
  await pressKey(page, 'o');
  await page.locator('nav.outline').waitFor({ state: 'hidden' });
  await pressKey(page, 'o');
  await page.locator('nav.outline').waitFor();
  await pressKey(page, 'Shift+G');
  await page.getByText('the very last words').waitFor();
  await pressKey(page, 'g');
  await currentTurn(page, '1');
  await noComplaints(opened);
}

async function switchesBranches(site: Site): Promise<void> {
  const opened = await site.open(everythingId, { script: dueWithPush });
  const { page } = opened;
  await page.getByText('Done with the first turn').waitFor();
  await eventually(async () => assert.equal(await page.getByText('an answer on another branch').count(), 0));
  await page.getByRole('button', { name: 'Another branch leaves here' }).click();
  await page.getByText('an answer on another branch').waitFor();
  await page.waitForURL(/\?branch=2/);
  await page.goBack();
  await page.getByText('Done with the first turn').waitFor();
  await page.goForward();
  await page.getByText('an answer on another branch').waitFor();
  await page.getByLabel('Branch').selectOption('1');
  await page.getByText('Done with the first turn').waitFor();
  await noComplaints(opened);
}

async function opensAtLine(site: Site): Promise<void> {
  const opened = await site.open(everythingId, { query: '?line=15' });
  await opened.page.locator('.call.target', { hasText: 'a.ts' }).waitFor();
  await opened.page.waitForURL(/\?line=15$/);
  await noComplaints(opened);
  const nested = await site.open(demoId, { query: '?line=3&agent=a3a21efcc710fcd87' });
  await nested.page.locator('.agent .call.target', { hasText: 'src/**/*.ts' }).waitFor();
  await noComplaints(nested);
}

async function copies(site: Site): Promise<void> {
  const view = { ...desktop, permissions: ['clipboard-read', 'clipboard-write'] };
  const opened = await site.open(demoId, { view });
  const { page } = opened;
  const copied = async (button: string, said: string, within = '.session-header'): Promise<string> => {
    await page.evaluate("navigator.clipboard.writeText('')");
    await page.locator(within).first().getByRole('button', { name: button }).click();
    await page.getByText(said).waitFor();
    await isTrue(page, "navigator.clipboard.readText().then((text) => text !== '')");
    return page.evaluate<string>('navigator.clipboard.readText()');
  };
  const resume = await copied('Copy resume command', 'Resume command copied');
  assert.equal(resume, `cd /home/ada/lighthouse && claude --resume ${demoId}`);
  const whole = await copied('Copy as Markdown', 'Markdown copied');
  assert.match(whole, /^# Find out why the build is slow\n/);
  const address = await copied('Copy link', 'Link copied');
  assert.match(address, new RegExp(`^http://127\\.0\\.0\\.1:\\d+/s/${demoId}$`));
  const turn = '.turn-head >> nth=1';
  await page.locator('.outline-row', { hasText: 'do the first one' }).click();
  const second = await copied('Copy as Markdown', 'Markdown copied', turn);
  assert.match(second, /^\n?## 2\. do the first one\n/);
  const link = await copied('Copy link', 'Link copied', turn);
  assert.match(link, new RegExp(`/s/${demoId}\\?line=\\d+$`));
  await page.goto(link);
  await page.locator('.prompt.target', { hasText: 'do the first one' }).waitFor();
  await noComplaints(opened);
}

function liveTurn(turn: number): string {
  const at = { sessionId: liveId };
  const id = (letter: string): string => `${letter}${liveId.slice(1, 35)}${turn}`;
  const parent = turn === 1 ? null : `a${liveId.slice(1, 35)}${turn - 1}`;
  const words = 'a long line of words to fill the screen with '.repeat(200);
  return transcript(at)
    .user(`live prompt ${turn}`, { uuid: id('b'), parentUuid: parent })
    .assistant(`live answer ${turn} ${words}`, { uuid: id('a'), parentUuid: id('b'), message: { id: `live${turn}` } })
    .text();
}

async function followsLive(site: Site): Promise<void> {
  const file = path.join(site.root, `${liveId}.jsonl`);
  const opened = await site.open(liveId);
  const { page } = opened;
  await page.getByText('live prompt 1').first().waitFor();
  await isListening(opened);
  appendFileSync(file, liveTurn(3));
  await page.locator('.outline-prompt', { hasText: 'live prompt 3' }).waitFor();
  await page.getByRole('button', { name: 'New below' }).waitFor();
  await currentTurn(page, '1');
  await page.getByRole('button', { name: 'New below' }).click();
  await page.locator('.prompt', { hasText: 'live prompt 3' }).waitFor();
  await isTrue(page, isAtEnd);
  appendFileSync(file, liveTurn(4));
  // A reader at the end stays at the end.
  await page.locator('.prompt', { hasText: 'live prompt 4' }).waitFor();
  await isTrue(page, isAtEnd);
  await noComplaints(opened);
}

/** Holds the request for events back until `release()`. */
const holdEvents = `{
  const { fetch } = globalThis;
  globalThis.fetch = async (...request) => {
    const url = request[0].url ?? String(request[0]);
    if (url.includes('/api/events')) await new Promise((resolve) => { globalThis.release = resolve; });
    return fetch(...request);
  };
}`;

async function showsWhatCameBeforeListening(site: Site): Promise<void> {
  const file = path.join(site.root, `${liveId}.jsonl`);
  const opened = await site.open(liveId, { script: holdEvents });
  const { page } = opened;
  await page.getByText('live prompt 1').first().waitFor();
  const other = await site.open(liveId);
  await isListening(other);
  appendFileSync(file, liveTurn(5));
  const shown = '.outline-prompt:has-text("live prompt 5")';
  await hasCount(other.page, shown, 1);
  await hasCount(page, shown, 0);
  await page.evaluate('release()');
  await hasCount(page, shown, 1);
  await noComplaints(other);
  await noComplaints(opened);
}

async function scrollsLong(site: Site): Promise<void> {
  const opened = await site.open(longId);
  const { page } = opened;
  // With the wheel, screen by screen, as fast as the browser allows: the screen is never empty.
  const blanks = await page.evaluate<number>(countBlanks);
  assert.equal(blanks, 0);
  await pressKey(page, 'Shift+G');
  await page.getByText('the very last words').waitFor();
  await eventually(async () => {
    const turns = await page.locator('[data-part]').count();
    assert.ok(turns < 40, `${turns} parts are in the page at once`);
  });
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  assert.ok(usedSize < 300 * 1024 * 1024, `${Math.round(usedSize / 1024 / 1024)} MB of heap`);
  await noComplaints(opened);
}

async function showsWhatComes(site: Site): Promise<void> {
  const opened = await site.open(longId);
  const { page } = opened;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/turns?*', async (route) => {
    await released;
    await route.continue();
  });
  // In the first frame after each jump, rows have no gap, and a loading turn shows its name.
  for (const share of [0.3, 0.6137, 0.9]) {
    const { empty, unnamed } = await page.evaluate<{ empty: number; unnamed: number }>(emptyPlacesAt(share));
    assert.deepEqual({ share, empty, unnamed }, { share, empty: 0, unnamed: 0 });
  }
  release();
  await isTrue(page, `document.querySelector('.row .turn:not([data-loaded])') === null`);
  await noComplaints(opened);
}

async function fitsPhone(site: Site): Promise<void> {
  const opened = await site.open(demoId, { view: phone });
  const { page } = opened;
  await page.locator('.outline').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Turns' }).click();
  await page.locator('.outline-row', { hasText: 'do the first one' }).click();
  await page.locator('.outline').waitFor({ state: 'hidden' });
  await page.locator('.prompt', { hasText: 'do the first one' }).waitFor();
  await fitsWidth(page);
  await noComplaints(opened);
}
