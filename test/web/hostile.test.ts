// A hostile transcript, wherever it is shown: on the page, in the exported page, in Markdown, on the terminal. Nothing of it
// runs, nothing is loaded, nothing breaks the layout, and all of it can be read.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { marked } from 'marked';
import type { BrowserContextOptions } from 'playwright-core';
import { desktop, type OpenedPage, openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { runClew } from '../support/clew.ts';
import { type HostileLibrary, hostileId, writeHostileLibrary } from '../support/hostile-session.ts';
import { startClew } from '../support/running-clew.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { readThrough, spyOnPage } from './page-scripts.ts';

const tenMegabytes = 10 * 1024 * 1024;
const words = { answer: tenMegabytes, others: process.env.CLEW_LONG === '1' ? tenMegabytes : 100_000 };

test('a hostile session', { skip: skipWithoutChromium, timeout: 900_000 }, async (context) => {
  await openBrowser();
  const library = writeHostileLibrary(temporaryFolder(context), words);
  const site = await startSite(context, library.root);
  const address = pathToFileURL(exportPage(context, library)).href;
  // To lay out a word of ten megabytes takes any browser ten seconds; only our page shows it bit by bit.
  const shorter = writeHostileLibrary(temporaryFolder(context), { answer: 100_000, others: 20_000 });
  await context.test('does nothing on the page', () => staysText(library, () => site(`/s/${hostileId}`, desktop)));
  await context.test('does nothing on a phone', () => staysText(library, () => site(`/s/${hostileId}`, phone)));
  await context.test('does nothing in the list', () => listsIt(() => site('/', desktop)));
  await context.test('does nothing in the exported page', () =>
    staysText(library, () => openPage(address, { ...desktop, offline: true }, spyOnPage)),
  );
  await context.test('does nothing in the exported page on a phone', () =>
    staysText(library, () => openPage(address, { ...phone, offline: true }, spyOnPage)),
  );
  await context.test('does nothing in the exported page without scripts', () =>
    staysPlain(exportPage(context, shorter)),
  );
  await context.test('does nothing in rendered Markdown', () => staysMarkdown(context, shorter));
});

test('a hostile session steers no terminal', (context) => {
  const library = writeHostileLibrary(temporaryFolder(context), { answer: 1_000_000, others: 20_000 });
  const calls: readonly (readonly string[])[] = [
    ['show', library.file, '--full'],
    ['show', library.file, '--json'],
    ['ls'],
    ['ls', '--json'],
    ['find', 'canary'],
    ['find', 'canary', '--json'],
    ['stats'],
    ['usage'],
    ['doctor', library.file],
    ['export', library.file, '--full', '--thinking'],
    ['export', library.file, '--format', 'html'],
    ['export', library.file, '--format', 'json'],
  ];
  const steered = calls.flatMap((args) => {
    const isFile = args.includes(library.file);
    const { status, stdout, stderr } = runClew([...args, ...(isFile ? [] : ['--root', library.root])]);
    assert.ok(status === 0 || (args[0] === 'doctor' && status === 1), `${args.join(' ')}: ${status} ${stderr}`);
    assert.ok(stdout.includes('canary'), `${args.join(' ')} shows nothing of it`);
    const at = `${stdout}${stderr}`.search(steering);
    return at < 0 ? [] : [`${args.join(' ')}: ${JSON.stringify(stdout.slice(Math.max(0, at - 60), at + 20))}`];
  });
  assert.deepEqual(steered, []);
});

/** All but tabs and newlines that moves a cursor or changes the direction of text. */
const steering = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

type Open = (address: string, view: BrowserContextOptions) => Promise<OpenedPage>;

async function startSite(context: TestContext, root: string): Promise<Open> {
  const home = temporaryFolder(context);
  const clew = startClew(context, ['open', '--json', '--no-browser', '--root', root], { CLEW_HOME: home });
  const { url } = JSON.parse(await clew.prints(/\n/)) as { url: string };
  const first = await openPage(url);
  const storageState = await first.page.context().storageState();
  await first.page.context().close();
  return (address, view) => openPage(new URL(address, url).href, { ...view, storageState }, spyOnPage);
}

function exportPage(context: TestContext, { file }: HostileLibrary): string {
  const page = path.join(temporaryFolder(context), 'page.html');
  const { status, stderr } = runClew(['export', file, '--format', 'html', '--full', '--thinking', '-o', page]);
  assert.deepEqual([status, stderr], [0, '']);
  return page;
}

interface Reading {
  readonly ran: number;
  readonly violations: readonly string[];
  /** Elements and attributes that only the transcript can have brought in. */
  readonly foreign: readonly string[];
  readonly links: readonly string[];
  readonly wide: readonly string[];
  readonly steering: boolean;
  readonly text: string;
}

async function staysText({ fields }: HostileLibrary, open: () => Promise<OpenedPage>): Promise<void> {
  const { page, complaints } = await open();
  await page.locator('[data-loaded]').first().waitFor();
  const { text, ...reading } = await page.evaluate<Reading>(readThrough);
  assert.deepEqual(reading, { ran: 0, violations: [], foreign: [], links: [], wide: [], steering: false });
  assert.deepEqual(complaints, []);
  assert.deepEqual(
    fields.filter((field) => !text.includes(field)),
    [],
    'these were not shown',
  );
  await page.context().close();
}

async function listsIt(open: () => Promise<OpenedPage>): Promise<void> {
  const { page, complaints } = await open();
  await page.locator('main').first().waitFor();
  const { text, ...reading } = await page.evaluate<Reading>(readThrough);
  assert.deepEqual(reading, { ran: 0, violations: [], foreign: [], links: [], wide: [], steering: false });
  assert.deepEqual(complaints, []);
  assert.ok(text.length > 0);
  await page.context().close();
}

async function staysPlain(file: string): Promise<void> {
  const { page, complaints } = await openPage(pathToFileURL(file).href, {
    ...phone,
    offline: true,
    javaScriptEnabled: false,
  });
  assert.match((await page.locator('body').textContent()) ?? '', /the end of it/);
  assert.equal(await page.locator('noscript :not(pre), body > :not(div, noscript, script)').count(), 0);
  assert.deepEqual(complaints, []);
  await page.context().close();
}

/** As a viewer that trusts it would: the HTML of a renderer, with nothing taken out. */
async function staysMarkdown(context: TestContext, { file }: HostileLibrary): Promise<void> {
  const { status, stdout } = runClew(['export', file, '--full', '--thinking']);
  assert.equal(status, 0);
  const page = path.join(temporaryFolder(context), 'markdown.html');
  writeFileSync(page, `<!doctype html><meta charset="utf-8"><main>${marked.parse(stdout, { async: false })}</main>`);
  const opened = await openPage(pathToFileURL(page).href, { ...desktop, offline: true }, spyOnPage);
  const { ran, foreign, links, steering: isSteering, text } = await opened.page.evaluate<Reading>(readThrough);
  assert.deepEqual({ ran, foreign, links, isSteering }, { ran: 0, foreign: [], links: [], isSteering: false });
  assert.ok(text.includes('the end of it'));
  assert.deepEqual(opened.complaints, []);
  await opened.page.context().close();
}
