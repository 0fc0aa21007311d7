// Checks every page, and what opens on it, with all rules of axe: light on a desktop and dark on a phone, in turn; with
// CLEW_LONG=1 each in all combinations. Screenshots are saved in build/screenshots.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { desktop, openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { projectRoot } from '../support/paths.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { lineageLibrary, originId } from './lineage-library.ts';
import { at, isAccessible, pressKey } from './page-kit.ts';
import { age, buildingId, damagedId, expiringId, pageLibrary, sayLive } from './page-library.ts';
import { everything, everythingId } from './page-sessions.ts';

const pictures = path.join(projectRoot, 'build/screenshots');

const isLong = process.env.CLEW_LONG === '1';

/** Both sizes and both colour schemes. */
const views: Readonly<Record<string, BrowserContextOptions>> = {
  light: desktop,
  'phone-dark': { ...phone, colorScheme: 'dark' },
  ...(isLong ? { dark: { ...desktop, colorScheme: 'dark' }, phone } : {}),
};

interface Place {
  readonly name: string;
  readonly address: string;
  /** A selector that exists once the page is loaded. */
  readonly shown: string;
  /** Opens something on the page. */
  readonly opens?: readonly (readonly [string, (page: Page) => Promise<void>])[];
}

const places: readonly Place[] = [
  { name: 'library', address: '/', shown: '.session-rows [data-stop]', opens: [['keys', opensKeys]] },
  {
    name: 'library-forks',
    address: `/?open=${originId}`,
    shown: '.session-row[data-below] .title-link',
    opens: [['focus', focusesRow]],
  },
  { name: 'library-filtered', address: '/?only=starred&text=tag:review', shown: '.empty-state' },
  { name: 'search', address: '/?q=light', shown: '.hit mark' },
  { name: 'nothing-found', address: '/?q=zzzyyyxxx', shown: '.empty-state' },
  {
    name: 'session',
    address: `/s/${buildingId}`,
    shown: '.turn .answer',
    opens: [
      ['agent', opensAgent],
      ['details', opensDetails],
    ],
  },
  {
    name: 'blocks',
    address: `/s/${everythingId}`,
    shown: '.hljs-keyword',
    opens: [
      ['folded', unfolds],
      ['find', finds],
      ['raw-line', opensRaw],
    ],
  },
  { name: 'usage', address: '/usage', shown: '.top-lists li', opens: [['receipts', opensReceipts]] },
  { name: 'health', address: `/health?session=${damagedId}`, shown: '.findings li', opens: [['dry-run', tries]] },
  { name: 'live', address: '/live', shown: '.live-session li' },
  { name: 'no-session', address: '/s/no-such-session', shown: '.message-page h1' },
];

test('axe finds no violation on any page', { skip: skipWithoutChromium, timeout: 900_000 }, async (context) => {
  await openBrowser();
  mkdirSync(pictures, { recursive: true });
  const files = { ...pageLibrary(), ...lineageLibrary(10), [`-home-dev-widgets/${everythingId}.jsonl`]: everything() };
  const server = await openWebServer(context, files, { allowsChanges: true });
  age(server.root, expiringId, 27);
  await server.isCurrent();
  for (const [i, view] of Object.keys(views).entries()) await context.test(view, () => isFaultless(server, view, i));
});

async function isFaultless(server: WebServer, view: string, part: number): Promise<void> {
  const { page } = await openPage(server.url, views[view]);
  let seen = 0;
  const examineShare = async (name: string): Promise<void> => {
    if (isLong || seen++ % 2 === part) await examine(page, name, view);
  };
  for (const { name, address, shown, opens = [] } of places) {
    if (name === 'live') sayLive(server.root, 'grind on');
    await page.goto(at(server, address));
    await page.locator(shown).first().waitFor();
    await examineShare(name);
    for (const [opened, open] of opens) {
      await open(page);
      await examineShare(`${name}-${opened}`);
    }
  }
  await page.context().close();
}

async function examine(page: Page, name: string, view: string): Promise<void> {
  await page.screenshot({ path: path.join(pictures, `${name}-${view}.png`) });
  // The headings of an answer and their order come from the transcript.
  const isTranscript = new URL(page.url()).pathname.startsWith('/s/');
  await isAccessible(page, `${name}, ${view}`, { except: isTranscript ? ['heading-order'] : [] });
}

async function opensKeys(page: Page): Promise<void> {
  await pressKey(page, '?');
  await page.getByRole('dialog', { name: 'Keyboard help' }).waitFor();
}

async function focusesRow(page: Page): Promise<void> {
  await pressKey(page, 'j');
  await page.locator('.title-link:focus').waitFor();
}

async function opensAgent(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Sub-agent/ })
    .first()
    .click();
  await page.locator('.agent-body .call').first().waitFor();
}

/** On a wide window they are open at first. */
async function opensDetails(page: Page): Promise<void> {
  const button = page.locator('.session-tools button[aria-keyshortcuts="i"]');
  const isOpen = await eventually(() => button.getAttribute('aria-pressed'));
  if (isOpen === 'false') await pressKey(page, 'i');
  await page.locator('.side-slices li').first().waitFor();
}

async function unfolds(page: Page): Promise<void> {
  const folded = page.locator('main [aria-expanded="false"]');
  // Read once: each round of the loop reads again, and not all of them need to be open.
  for (let i = 0; i < 30 && (await folded.count()) > 0; i++) await folded.first().click();
}

async function finds(page: Page): Promise<void> {
  await pressKey(page, '/');
  await page.getByRole('searchbox', { name: 'Find in this session' }).fill('word');
  // On a phone the list is opened by its button.
  const list = page.getByRole('button', { name: 'List of places' });
  await page.locator('.find button[type="submit"]:enabled').waitFor();
  const isOpen = await eventually(() => list.getAttribute('aria-expanded'));
  if (isOpen === 'false') await list.click();
  await page.locator('.find-hits mark').first().waitFor();
}

async function opensRaw(page: Page): Promise<void> {
  await pressKey(page, 'Escape');
  await page.locator('.raw-button').first().click();
  await page.locator('dialog.drawer pre', { hasText: '{' }).waitFor();
}

async function opensReceipts(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Receipts' }).first().click();
  await page.locator('dialog.receipts ol > li').first().waitFor();
}

async function tries(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Dry run of a repair' }).click();
  await page.locator('.preview').first().waitFor();
}
