// A hostile library on all pages except the session page: every title, name, model, tool, folder, branch, finding and number
// attacks. Nothing runs, nothing loads, nothing is wider than the screen, and the hostile text is readable.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { readJson } from '../../src/web/client/client.ts';
import { desktop, openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { hostileName, writeHostileDamage } from '../support/hostile-damage.ts';
import { attack, type HostileLibrary, writeHostileLibrary } from '../support/hostile-session.ts';
import { transcript } from '../support/transcript-builder.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { noFaults, type Reading } from './hostile-reading.ts';
import { at, pressKey } from './page-kit.ts';
import { lookOnce, readThrough, spyOnPage } from './page-scripts.ts';

interface Site {
  readonly server: WebServer;
  readonly library: HostileLibrary;
  /** Of the damaged session. */
  readonly key: string;
}

interface Walk {
  readonly name: string;
  readonly address: (site: Site) => string;
  /** A selector that exists once the page is loaded. */
  readonly ready: string;
  /** Texts that must be visible. */
  readonly fields: readonly string[];
  /** Opens more of the page and checks each step; then `opened` must be visible too. */
  readonly go?: (page: Page, look: () => Promise<void>, site: Site) => Promise<void>;
  readonly opened?: readonly string[];
}

const walks: readonly Walk[] = [
  {
    name: 'library',
    address: () => '/',
    ready: '.session-rows [data-stop]',
    fields: ['title:', 'dear prompt:', 'project:'],
  },
  { name: 'search', address: () => '/?q=canary', ready: '.hit mark', fields: ['title:', 'project:', 'canary'] },
  {
    name: 'usage',
    address: () => '/usage?show=tokens',
    ready: '.top-lists li',
    fields: ['title:', 'model:', 'project:', 'open tool:', 'dear prompt:'],
    go: opensReceipts,
    opened: ['not counted again'],
  },
  {
    name: 'health',
    address: () => '/health',
    ready: '.doctor-list li',
    fields: ['title:', 'dear prompt:', 'project:', 'Folders'],
  },
  {
    name: 'health of a session',
    address: ({ key }) => `/health?session=${encodeURIComponent(key)}`,
    ready: '.findings li',
    fields: ['phantom parent:', 'last tool:', 'compacted:'],
    go: repairs,
    opened: ['Dry run', 'Repaired', 'undone'],
  },
  {
    name: 'live',
    address: () => '/live',
    ready: '.live-text:has-text("heard:")',
    fields: ['title:', 'heard:'],
    go: hears,
    opened: ['sub-agent'],
  },
];

test('a hostile library', { skip: skipWithoutChromium, timeout: 600_000 }, async (context) => {
  await openBrowser();
  const server = await openWebServer(context, {}, { allowsChanges: true });
  const library = writeHostileLibrary(server.root, { answer: 20_000, others: 20_000 });
  const damage = writeHostileDamage(server.root);
  const rowOfDamage = () =>
    readJson(server.client.sessions.$get()).then(({ rows }) => rows.find(({ path }) => path === damage.file));
  while ((await rowOfDamage()) === undefined) await new Promise((done) => setTimeout(done, 50));
  await server.isCurrent();
  const site = { server, library, key: (await rowOfDamage())?.key ?? '' };
  for (const [width, view] of [
    ['a desk', desktop],
    ['a phone', phone],
  ] as const) {
    for (const walk of walks)
      await context.test(`does nothing on the page ${walk.name}, on ${width}`, () => staysText(site, walk, view));
  }
  await context.test('does nothing in an address', () => staysAddress(site));
  assert.deepEqual(server.faults, []);
});

async function staysText(site: Site, walk: Walk, view: BrowserContextOptions): Promise<void> {
  const { page, complaints } = await openPage(at(site.server, walk.address(site)), view, spyOnPage);
  const texts: string[] = [];
  const look = async (script = lookOnce): Promise<void> => {
    // Once: what was wrong for a moment is wrong.
    const { text, ...faults } = await page.evaluate<Reading>(script);
    texts.push(text);
    assert.deepEqual(faults, noFaults);
  };
  if (walk.name === 'live') say(site);
  await page.locator(walk.ready).first().waitFor();
  await look(readThrough);
  // Opened content has the least room on a phone.
  const opens = view === phone;
  if (opens) await walk.go?.(page, look, site);
  assert.deepEqual(complaints, []);
  const seen = texts.join('\n');
  assert.deepEqual(
    [...walk.fields, ...(opens ? (walk.opened ?? []) : [])].filter((field) => !seen.includes(field)),
    [],
    'these were not shown',
  );
  await page.context().close();
}

async function opensReceipts(page: Page, look: () => Promise<void>): Promise<void> {
  for (const button of await page.getByRole('button', { name: 'Receipts' }).all()) {
    await button.click();
    const drawer = page.getByRole('dialog', { name: 'Receipts' });
    await drawer.locator('ol > li').first().waitFor();
    for (const summary of await drawer.locator('summary').all()) await summary.click();
    await look();
    await pressKey(page, 'Escape');
    await drawer.waitFor({ state: 'detached' });
  }
}

async function repairs(page: Page, look: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Dry run of a repair' }).click();
  await page.locator('.preview').first().waitFor();
  for (const summary of await page.locator('.preview summary').all()) await summary.click();
  await look();
  await page.getByRole('button', { name: 'Create a repaired copy' }).first().click();
  await page.getByText(/^Repaired: resuming now loads/).waitFor();
  await look();
  const changes = page.getByRole('region', { name: 'Changes' });
  await changes.getByRole('button', { name: 'Undo' }).first().click();
  await changes.getByText('undone').first().waitFor();
  await look();
}

async function hears(page: Page, look: () => Promise<void>, site: Site): Promise<void> {
  await page
    .locator('.live-text', { hasText: say(site) })
    .nth(1)
    .waitFor();
  await look();
}

let said = 0;

/** Appends lines to the session and its sub-agent. */
function say({ library }: Site): string {
  said++;
  const now = { uuid: `heard ${said}`, parentUuid: null, timestamp: new Date().toISOString() };
  for (const file of [library.file, library.agentFile])
    appendFileSync(file, transcript().user(`heard: ${said} ${attack}`, now).text());
  return `heard: ${said} `;
}

/** The hostile query appears as text, in the input and in the answer. */
async function staysAddress({ server }: Site): Promise<void> {
  const text = encodeURIComponent(attack.toWellFormed());
  const { page } = await openPage(server.url, phone, spyOnPage);
  for (const address of [
    `/?q=${text}`,
    `/?q=${text}&mode=regex`,
    `/?text=${text}&project=${text}&sort=${text}&only=${text}`,
    `/usage?project=${text}&since=${text}`,
    `/health?session=${text}&code=${text}`,
    `/s/${encodeURIComponent(hostileName)}?turn=${text}&branch=${text}&line=${text}`,
  ]) {
    await page.goto(at(server, address));
    await page.locator('h1').waitFor();
    await page
      .locator('.state:not(output), .bar-list, .session-rows, .doctor-list, .hits, .message-page')
      .first()
      .waitFor();
    // Once: what was wrong for a moment is wrong.
    const { text: _, ...faults } = await page.evaluate<Reading>(lookOnce);
    assert.deepEqual(faults, noFaults, decodeURIComponent(address).slice(0, 60));
  }
  await page.context().close();
}
