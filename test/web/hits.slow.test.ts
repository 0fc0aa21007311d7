// A hit is an offset: words of the corpora, opened from the search over all sessions and from find in the session, on a
// desktop and on a phone, are on the screen, uncovered and marked. `CLEW_SEED` chooses other sessions and words; with
// CLEW_LONG=1 a hundred words are opened in all four ways each, otherwise 48 in one of them.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { readJson } from '../../src/web/client/client.ts';
import { openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { shareOf } from '../support/fuzz-runs.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { type ChosenWord, chooseWords, copySessions } from './hit-words.ts';
import { at, hasCount, pressKey } from './page-kit.ts';

const seed = Number(process.env.CLEW_SEED ?? '1');
const [sessionCount, wordCount] = [
  30,
  Number(process.env.CLEW_WORDS ?? (process.env.CLEW_LONG === '1' ? '100' : '48')),
];
const wide: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };
const patienceMs = 30_000;
const stepMs = 25;

interface Site {
  readonly server: WebServer;
  /** By the name of the project folder. */
  readonly keys: ReadonlyMap<string, string>;
  readonly words: readonly ChosenWord[];
}

test('every hit is on the screen and marked', { skip: skipWithoutChromium, timeout: 900_000 }, async (context) => {
  await openBrowser();
  const site = await startSite(context);
  const ways = [
    ['from the search, 1280 × 900', wide, openFromSearch],
    ['from find, 1280 × 900', wide, openFromFind],
    ['from the search, 390 × 844', phone, openFromSearch],
    ['from find, 390 × 844', phone, openFromFind],
  ] as const;
  for (const [i, [name, view, open]] of ways.entries()) {
    const words = shareOf(site.words, i, ways.length);
    await context.test(name, () => opensAll({ ...site, words }, view, open));
  }
});

async function startSite(context: TestContext): Promise<Site> {
  const server = await openWebServer(context, {}, {});
  const projects = path.join(server.root, 'projects');
  mkdirSync(projects, { recursive: true });
  const sessions = copySessions(projects, sessionCount, seed);
  assert.equal(sessions.length, sessionCount);
  const keys = new Map<string, string>();
  while (keys.size < sessionCount) {
    const { rows } = await readJson(server.client.sessions.$get({ query: { limit: 1000 } }));
    for (const row of rows) keys.set(folderOf(row.path), row.key);
    await setTimeout(50);
  }
  await server.isCurrent();
  return { server, keys, words: chooseWords(sessions, wordCount, seed) };
}

function folderOf(file: string): string {
  return path.basename(path.dirname(file));
}

type Opening = (page: Page, key: string, word: string) => Promise<void>;

/** Reports all words that fail, not the first. */
async function opensAll({ server, keys, words }: Site, view: BrowserContextOptions, open: Opening): Promise<void> {
  const { page, complaints } = await openPage(at(server, '/'), view);
  const failures: string[] = [];
  const inOrder = [...words].sort((a, b) => a.path.localeCompare(b.path));
  for (const { path: file, word } of inOrder) {
    const key = keys.get(folderOf(file));
    assert.ok(key !== undefined);
    try {
      await open(page, key, word);
    } catch (error) {
      failures.push(`${word}: ${error instanceof Error ? error.message.split('\n')[0] : error} (${page.url()})`);
    }
  }
  await page.context().close();
  assert.deepEqual({ failed: failures.length, failures }, { failed: 0, failures: [] });
  assert.deepEqual(complaints, []);
}

async function openFromSearch(page: Page, key: string, word: string): Promise<void> {
  await goTo(page, `/?q=${encodeURIComponent(word)}`);
  const link = page.locator(`.hits a.hit[href^="/s/${encodeURIComponent(key)}?"]`).first();
  const results = page.locator('.hits[aria-busy="false"]');
  await results.waitFor();
  // Read once: the results are complete.
  while ((await link.count()) === 0) {
    const pages = page.locator('.pages');
    // Read once, as well.
    const before = await pages.textContent();
    // There is none after the last page: the session is not among the results.
    await pages.locator('a[rel="next"]').click();
    await eventually(async () => assert.notEqual(await pages.textContent(), before, 'no next page'));
    await results.waitFor();
  }
  await clearMark(page);
  await link.scrollIntoViewIfNeeded();
  await hasStopped(page, link);
  await link.click();
  await isMarked(page, key, word);
}

/** On a phone the bars move while the page scrolls. */
async function hasStopped(page: Page, link: Locator): Promise<void> {
  let before = '';
  for (let still = 0; still < 5; await setTimeout(stepMs)) {
    // Read once: the loop repeats it.
    const box = JSON.stringify([await link.boundingBox(), await page.evaluate('scrollY')]);
    still = box === before ? still + 1 : 0;
    before = box;
  }
}

async function openFromFind(page: Page, key: string, word: string): Promise<void> {
  const address = `/s/${encodeURIComponent(key)}`;
  if (new URL(page.url()).pathname !== address) {
    // What was loaded of the session before must not pass for this one.
    await page.evaluate(`document.querySelector('main')?.setAttribute('data-left', '')`);
    await goTo(page, address);
    await hasCount(page, 'main[data-left]', 0);
  }
  await page.locator('[data-loaded], .empty').first().waitFor();
  // Read once: only this test opens it.
  if ((await page.locator('.find input').count()) === 0) await pressKey(page, '/');
  await page.locator('.find input').fill(word);
  await clearMark(page);
  await page.locator('.find button[type="submit"]:enabled').waitFor();
  await page.locator('.find input').press('Enter');
  await isMarked(page, key, word);
}

/** As a click on a link does. */
async function goTo(page: Page, address: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate'));`,
  );
}

/** The mark of the word before must not pass for this one. */
async function clearMark(page: Page): Promise<void> {
  await page.evaluate(`CSS.highlights.delete('found-current')`);
}

/** Twice at the same place: the page has stopped moving. */
async function isMarked(page: Page, key: string, word: string): Promise<void> {
  let before = '';
  let state = '';
  for (const end = performance.now() + patienceMs; performance.now() < end; await setTimeout(stepMs)) {
    state = await page.evaluate<string>(stateOfMark(key, word));
    if (state.startsWith('marked') && state === before) return;
    before = state;
  }
  throw new Error(state);
}

/** Says what is wrong with the mark, or where it is. */
function stateOfMark(key: string, word: string): string {
  return `(() => {
    if (decodeURIComponent(location.pathname) !== '/s/' + ${JSON.stringify(key)}) return 'another session';
    const [range] = [...(CSS.highlights.get('found-current') ?? [])];
    if (range === undefined) return 'no mark';
    const fold = (text) => text.normalize('NFD').replace(/[\\u0300-\\u036f]/g, '').toLowerCase();
    if (fold(range.toString()) !== fold(${JSON.stringify(word)})) return 'marked is ' + range.toString();
    const element = range.startContainer.parentElement;
    const frame = element.closest('#conversation, .found-elsewhere');
    if (frame === null) return 'outside of the conversation';
    const area = frame.getBoundingClientRect();
    const rect = range.getClientRects()[0];
    if (rect === undefined || rect.width < 1 || rect.height < 1) return 'not drawn';
    const isInside = (box) =>
      rect.left >= box.left - 1 && rect.right <= box.right + 1 && rect.top >= box.top - 1 && rect.bottom <= box.bottom + 1;
    if (!isInside(area) || !isInside({ left: 0, top: 0, right: innerWidth, bottom: innerHeight })) {
      return 'out of sight at ' + [rect.left, rect.top, area.left, area.top, area.right, area.bottom].map(Math.round);
    }
    for (const x of [rect.left + 1, (rect.left + rect.right) / 2, rect.right - 1]) {
      const top = document.elementFromPoint(x, (rect.top + rect.bottom) / 2);
      if (top === null || !(element === top || element.contains(top) || top.contains(element))) {
        return 'covered by ' + (top === null ? 'nothing' : top.tagName + '.' + top.className);
      }
      if (top.contains(frame)) return 'covered by ' + top.className;
    }
    return 'marked at ' + Math.round(rect.left) + ' ' + Math.round(rect.top);
  })()`;
}
