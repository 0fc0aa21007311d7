// A hostile session on its page, in the exported page and in Markdown: nothing runs, nothing loads, the layout holds, and
// all of it is readable. The other pages are in hostile-pages.slow.test.ts.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { marked } from 'marked';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { desktop, type OpenedPage, openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { runClew } from '../support/clew.ts';
import { eventually } from '../support/eventually.ts';
import { type HostileLibrary, hostileId, writeHostileLibrary } from '../support/hostile-session.ts';
import { startClew } from '../support/running-clew.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { faultsOf, noFaults, type Reading } from './hostile-reading.ts';
import { hasCount, isLoaded, pressKey } from './page-kit.ts';
import { lookOnce, readThrough, spyOnPage, withoutImageErrors } from './page-scripts.ts';

const tenMegabytes = 10 * 1024 * 1024;
const words = { answer: tenMegabytes, others: process.env.CLEW_LONG === '1' ? tenMegabytes : 100_000 };

test('a hostile session', { skip: skipWithoutChromium, timeout: 900_000 }, async (context) => {
  await openBrowser();
  const library = writeHostileLibrary(temporaryFolder(context), words);
  const site = await startSite(context, library.root);
  const address = pathToFileURL(exportPage(context, library)).href;
  const all = `/s/${hostileId}?view=all`;
  // A browser needs ten seconds to lay out a word of ten megabytes; only our page shows it in steps.
  const shorter = writeHostileLibrary(temporaryFolder(context), { answer: 100_000, others: 20_000 });
  await context.test('does nothing on the page', () => staysText(library, () => site(all, desktop)));
  await context.test('does nothing on a phone', () => staysText(library, () => site(all, phone)));
  await context.test('keeps its width while a broken image has no error note yet', () =>
    staysNarrow((address) => site(address, desktop, spyOnPage + withoutImageErrors)),
  );
  await context.test('does nothing in its raw lines', () => staysRaw(() => site(`/s/${hostileId}`, phone)));
  await context.test('does nothing in the exported page', () =>
    staysText(library, () => openPage(`${address}#view=all`, { ...desktop, offline: true }, spyOnPage)),
  );
  await context.test('does nothing in the exported page on a phone', () =>
    staysText(library, () => openPage(`${address}#view=all`, { ...phone, offline: true }, spyOnPage)),
  );
  await context.test('does nothing in the exported page without scripts', () =>
    staysPlain(exportPage(context, shorter)),
  );
  await context.test('does nothing in rendered Markdown', () => staysMarkdown(context, shorter));
});

type Open = (address: string, view: BrowserContextOptions, script?: string) => Promise<OpenedPage>;

async function startSite(context: TestContext, root: string): Promise<Open> {
  const home = temporaryFolder(context);
  const clew = startClew(context, ['open', '--json', '--no-browser', '--root', root], { CLEW_HOME: home });
  const { url } = JSON.parse(await clew.prints(/\n/)) as { url: string };
  return (address, view, script = spyOnPage) =>
    openPage(new URL(`${address}${new URL(url).hash}`, url).href, view, script);
}

function exportPage(context: TestContext, { file }: HostileLibrary): string {
  const page = path.join(temporaryFolder(context), 'page.html');
  const { status, stderr } = runClew(['export', file, '--format', 'html', '--full', '--thinking', '-o', page]);
  assert.deepEqual([status, stderr], [0, '']);
  return page;
}

async function staysText({ fields }: HostileLibrary, open: () => Promise<OpenedPage>): Promise<void> {
  const { page, complaints } = await open();
  await isLoaded(page);
  // Read once: it waits for what it opens, and what was wrong once is wrong.
  const { text, ...faults } = await page.evaluate<Reading>(readThrough);
  assert.deepEqual(faults, noFaults);
  assert.deepEqual(complaints, []);
  await eventually(async () => assert.match(await page.title(), /title: <script>canary\(\)/));
  assert.deepEqual(
    fields.filter((field) => !text.includes(field)),
    [],
    'these were not shown',
  );
  await page.context().close();
}

/** A browser reports a broken image only after its first layout. */
async function staysNarrow(open: (address: string) => Promise<OpenedPage>): Promise<void> {
  const { page } = await open(`/s/${hostileId}`);
  await isLoaded(page);
  const { wide } = await page.evaluate<Reading>(readThrough);
  await eventually(async () =>
    assert.ok((await page.evaluate<number>('window.brokenImages')) > 0, 'no image was broken'),
  );
  assert.deepEqual(wide, []);
  await page.context().close();
}

/** The raw lines of a prompt, a call with its result, and a sub-agent: formatted, and unchanged. */
async function staysRaw(open: () => Promise<OpenedPage>): Promise<void> {
  const { page, complaints } = await open();
  await isLoaded(page);
  await page.getByRole('button', { name: /^Sub-agent/ }).click();
  for (const block of ['.prompt', '.call', '.agent-body .answer', '.agent-body .call']) {
    const buttons = page.locator(block).first().locator('.raw-button');
    await buttons.first().waitFor();
    for (const button of await buttons.all()) {
      await button.click();
      const drawer = page.locator('dialog.drawer');
      await drawer.locator('pre', { hasText: 'canary' }).waitFor();
      await hasNoFaults(page, block);
      await drawer.getByRole('button', { name: 'Laid out' }).click();
      await drawer.getByRole('button', { name: 'Laid out', pressed: false }).waitFor();
      await hasNoFaults(page, `${block}, unchanged`);
      await pressKey(page, 'Escape');
      await drawer.waitFor({ state: 'detached' });
    }
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
}

/** Once: what was wrong for a moment is wrong. */
async function hasNoFaults(page: Page, what: string): Promise<void> {
  const faults = await faultsOf(page, lookOnce);
  assert.deepEqual(faults, noFaults, what);
}

async function staysPlain(file: string): Promise<void> {
  const { page, complaints } = await openPage(pathToFileURL(file).href, {
    ...phone,
    offline: true,
    javaScriptEnabled: false,
  });
  const body = page.locator('body');
  await eventually(async () => assert.match((await body.textContent()) ?? '', /the end of it/));
  await hasCount(page, 'noscript :not(pre), body > :not(div, noscript, script)', 0);
  assert.deepEqual(complaints, []);
  await page.context().close();
}

/** Like a viewer that trusts its input: rendered HTML, not sanitized. */
async function staysMarkdown(context: TestContext, { file }: HostileLibrary): Promise<void> {
  const { status, stdout } = runClew(['export', file, '--full', '--thinking']);
  assert.equal(status, 0);
  const page = path.join(temporaryFolder(context), 'markdown.html');
  writeFileSync(page, `<!doctype html><meta charset="utf-8"><main>${marked.parse(stdout, { async: false })}</main>`);
  const opened = await openPage(pathToFileURL(page).href, { ...desktop, offline: true }, spyOnPage);
  const { text, wide: _, ...faults } = await opened.page.evaluate<Reading>(readThrough);
  const { wide: __, ...none } = noFaults;
  assert.deepEqual(faults, none);
  assert.ok(text.includes('the end of it'));
  assert.deepEqual(opened.complaints, []);
  await opened.page.context().close();
}
