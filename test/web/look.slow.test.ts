// How the pages look, in a real browser: the width of prose, the bars of a phone, paper, titles, and addresses that name no
// page or only the beginning of an id.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { transcript } from '../support/transcript-builder.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { at, fitsWidth, hasCount, isLoaded, isTrue, noComplaints } from './page-kit.ts';
import { everything, everythingId } from './page-sessions.ts';

const longId = '99999999-9999-4999-a999-000000000001';
const twinId = '99999999-9999-4999-a999-000000000002';
const aloneId = 'abcdef01-9999-4999-a999-000000000003';
const wide: BrowserContextOptions = { viewport: { width: 1900, height: 1000 } };
const sentence = 'A sentence of many words that would run over the whole width of a wide screen if it could. '.repeat(
  6,
);

function long(turns: number): string {
  const builder = transcript({ sessionId: longId });
  for (let turn = 1; turn <= turns; turn++)
    builder
      .user(`prompt ${turn} ${sentence}`)
      .assistant(`answer ${turn}: ${sentence}\n\n- ${sentence}\n\n> ${sentence}`);
  return builder.text();
}

test('the look of the pages', { skip: skipWithoutChromium, timeout: 600_000 }, async (context) => {
  await openBrowser();
  const title = `${'a title that is much longer than the tab of any browser '.repeat(5)}\u202e`;
  const server = await openWebServer(context, {
    [`-p/${longId}.jsonl`]: long(80),
    [`-p/${twinId}.jsonl`]: transcript({ sessionId: twinId }).user('the twin').assistant('yes').text(),
    [`-p/${aloneId}.jsonl`]: transcript({ sessionId: aloneId }).user(title).assistant('alone').text(),
    [`-p/${everythingId}.jsonl`]: everything(),
  });
  await server.isCurrent();
  await context.test('prose is at most 720 px wide', () => limitsProse(server));
  await context.test('on a phone the bars take less than 12 % of the screen', () => limitsBars(server));
  await context.test('on a phone the bars leave while reading down, and the text stays where it is', () =>
    collapsesBars(server),
  );
  await context.test('printing a session prints all its turns, with images', () => prints(server));
  await context.test('titles of documents are shorter than 80 characters', () => shortensTitles(server));
  await context.test('an unknown address is a page of the app', () => showsNoPage(server));
  await context.test('the beginning of an id opens its session', () => resolvesPrefix(server));
  await context.test('the beginning of several ids lists their sessions', () => listsTwins(server));
});

async function limitsProse(server: WebServer): Promise<void> {
  const opened = await openPage(at(server, `/s/${longId}`), wide);
  const { page } = opened;
  await isLoaded(page);
  await eventually(async () => {
    const widths = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.prose p, .prose li, .prose blockquote, .prompt-text')].map((each) => each.getBoundingClientRect().width)`,
    );
    assert.ok(widths.length >= 4, `${widths.length} blocks`);
    assert.ok(Math.max(...widths) <= 720, `${Math.max(...widths)} px`);
    assert.ok(Math.max(...widths) > 600, 'the room is used');
  });
  await noComplaints(opened);
}

const barShare = `(() => {
  const heights = [...document.querySelectorAll('.shell-header, .session-header')].map((each) => each.getBoundingClientRect().height);
  return heights.reduce((sum, height) => sum + height, 0) / innerHeight;
})()`;

async function limitsBars(server: WebServer): Promise<void> {
  for (const [address, shown] of [
    ['/', '.session-rows [data-stop]'],
    [`/s/${longId}`, '.turn .answer'],
    ['/usage', 'h1'],
    ['/health', 'h1'],
    ['/live', 'h1'],
  ] as const) {
    const opened = await openPage(at(server, address), phone);
    await opened.page.locator(shown).first().waitFor();
    await eventually(async () => {
      const share = await opened.page.evaluate<number>(barShare);
      assert.ok(share > 0 && share < 0.12, `${address}: ${Math.round(share * 1000) / 10} %`);
    });
    await fitsWidth(opened.page, address);
    await noComplaints(opened);
  }
}

async function collapsesBars(server: WebServer): Promise<void> {
  const opened = await openPage(at(server, `/s/${longId}`), phone);
  const { page } = opened;
  await isLoaded(page);
  // One step of a scroll, and how far a block of text moved on the screen.
  const scroll = (by: number): Promise<number> =>
    page.evaluate<number>(`(async () => {
      const main = document.getElementById('conversation');
      const { left, top, height } = main.getBoundingClientRect();
      const block = document.elementFromPoint(left + 100, top + height / 2);
      const before = block.getBoundingClientRect().top;
      main.scrollTop += ${by};
      for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame);
      return Math.round(block.getBoundingClientRect().top - before);
    })()`);
  // Measured once: another step would be another scroll.
  for (let i = 0; i < 6; i++) {
    const moved = await scroll(60);
    assert.equal(moved, -60, `step ${i}`);
  }
  await isTrue(page, `${barShare} === 0`);
  for (let i = 0; i < 3; i++) {
    const moved = await scroll(-60);
    assert.equal(moved, 60, `step back ${i}`);
  }
  await isTrue(page, `${barShare} > 0.05`);
  await noComplaints(opened);
}

async function prints(server: WebServer): Promise<void> {
  const opened = await openPage(at(server, `/s/${longId}`));
  const { page } = opened;
  await page.locator('.turn .answer').first().waitFor();
  const shown = page.locator('.prompt');
  await eventually(async () => assert.ok((await shown.count()) < 80, 'the screen has only some of the turns'));
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
  await page.emulateMedia({ media: 'print' });
  await hasCount(page, '.paper .prompt', 80);
  await page.locator('.paper').getByText('answer 80:').waitFor();
  await page.locator('.session').waitFor({ state: 'hidden' });
  await page.locator('.shell-header').waitFor({ state: 'hidden' });
  const pdf = await page.pdf();
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g) ?? [];
  assert.ok(pages.length > 20, `${pages.length} pages`);
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  await page.emulateMedia({ media: 'screen' });
  await hasCount(page, '.paper', 0);
  await page.goto(at(server, `/s/${everythingId}`));
  await page.locator('.picture').first().waitFor();
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
  await page.emulateMedia({ media: 'print' });
  await isTrue(page, `document.querySelector('.paper .picture img')?.naturalWidth === 1`);
  await page.locator('.paper').getByText('Done with the first turn').waitFor();
  await page.context().close();
}

async function shortensTitles(server: WebServer): Promise<void> {
  for (const address of [`/s/${aloneId}`, '/', '/?q=words', '/usage', '/health', '/live', '/nothing']) {
    const { page } = await openPage(at(server, address));
    await eventually(async () => {
      const title = await page.title();
      assert.match(title, /. · Clew$/);
      assert.ok(title.length < 80, `${title.length} characters: ${title}`);
      if (address.startsWith('/s/')) assert.match(title, /^a title that is much longer .*… · Clew$/);
    });
    await page.context().close();
  }
}

async function showsNoPage(server: WebServer): Promise<void> {
  for (const address of ['/nothing', '/s/a/b', '/usage/more']) {
    const { page } = await openPage(at(server, address));
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'All sessions' }).waitFor();
    await page.context().close();
  }
}

async function resolvesPrefix(server: WebServer): Promise<void> {
  const opened = await openPage(at(server, '/s/abcdef?turn=1'));
  const { page } = opened;
  await page.locator('.answer', { hasText: 'alone' }).waitFor();
  await page.waitForURL(new RegExp(`/s/${aloneId}\\?turn=1$`));
  await noComplaints(opened);
}

async function listsTwins(server: WebServer): Promise<void> {
  const { page } = await openPage(at(server, '/s/99999999-9999'));
  await page.getByText('2 sessions have an id that begins with 99999999-9999').waitFor();
  const list = page.getByRole('list', { name: 'Sessions with this beginning' });
  await list.getByRole('link', { name: 'the twin' }).click();
  await page.waitForURL(new RegExp(`/s/${twinId}$`));
  await page.locator('.prompt', { hasText: 'the twin' }).waitFor();
  await page.context().close();
}
