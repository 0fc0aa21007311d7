// An exported page in a real browser.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions } from 'playwright-core';
import type { ExportSource } from '../../src/export/source/source.ts';
import { desktop, type OpenedPage, openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { runClew } from '../support/clew.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { fitsWidth, hasCount, isLoaded, isTrue, pressKey } from '../web/page-kit.ts';
import { spyOnPage } from '../web/page-scripts.ts';
import { everything, longSession } from '../web/page-sessions.ts';
import { chunksOf, demoFile } from './html-kit.ts';
import { sourceFrom, textFrom } from './kit.ts';

test('a page opens from disk without a network', { skip: skipWithoutChromium, timeout: 300_000 }, async (context) => {
  await openBrowser();
  const folder = temporaryFolder(context);
  const files = await writePages(context, folder);
  await context.test('and shows every kind of block', () => showsEverything(files.everything));
  await context.test('with its sub-agents, whole texts and words to find', () => opensInside(files.demo));
  await context.test('with its branches and an address for every place', () => switchesBranches(files.everything));
  await context.test('and copies Markdown', () => copiesMarkdown(files.everything));
  await context.test('with its raw lines, where they were asked for', () => showsRaw(files.raw));
  await context.test('and has all turns on paper', () => printsAll(files.long));
  await context.test('and is read without scripts', () => readsPlain(files.everything));
  await context.test('and fits a phone', () => fitsPhone(files.demo));
});

interface Pages {
  readonly everything: string;
  readonly demo: string;
  readonly long: string;
  readonly raw: string;
}

async function writePages(context: TestContext, folder: string): Promise<Pages> {
  const write = async (name: string, source: ExportSource): Promise<string> => {
    const file = path.join(folder, `${name}.html`);
    writeFileSync(file, await textFrom(chunksOf(source, { thinking: true })));
    return file;
  };
  const demoPage = path.join(folder, 'demo.html');
  const run = runClew(['export', demoFile, '--format', 'html', '-o', demoPage], { env: { CLEW_HOME: folder } });
  assert.deepEqual([run.status, run.stderr, existsSync(demoPage)], [0, '', true]);
  const rawPage = path.join(folder, 'raw.html');
  const args = ['export', demoFile, '--format', 'html', '--raw', '-o', rawPage];
  assert.equal(runClew(args, { env: { CLEW_HOME: folder } }).status, 0);
  return {
    raw: rawPage,
    everything: await write('everything', await sourceFrom(context, everything())),
    demo: demoPage,
    long: await write('long', await sourceFrom(context, longSession(600, 1_000))),
  };
}

async function openFile(file: string, options: BrowserContextOptions = desktop, hash = ''): Promise<OpenedPage> {
  const opened = await openPage(`${pathToFileURL(file).href}${hash}`, { ...options, offline: true }, spyOnPage);
  if (options.javaScriptEnabled !== false) await isLoaded(opened.page);
  return opened;
}

async function done({ page, complaints }: OpenedPage): Promise<void> {
  assert.deepEqual(complaints, []);
  // Read once: there is nothing to wait for, and what the policy blocked stays in the list.
  const violations = await page.evaluate('window.violations');
  assert.deepEqual(violations, []);
  await page.context().close();
}

async function showsEverything(file: string): Promise<void> {
  const opened = await openFile(file);
  const { page } = opened;
  const shown = async (selector: string, words: string): Promise<void> => {
    await page.locator(selector, { hasText: words }).first().waitFor();
  };
  await isTrue(page, `document.querySelector('.picture img')?.naturalWidth === 1`);
  await shown('.export-note', 'Exported by Clew; secrets were looked for, none was found.');
  await shown('.hljs-keyword', 'const');
  await shown('.ink-2', 'green');
  await shown('.todo-in_progress', 'Fix it');
  await shown('.call.failed .terminal', 'out of tea');
  await shown('.queued', 'And hurry');
  await page.getByText('First I think about it.').waitFor();
  await page.locator('.turn-head h2', { hasText: 'Turn 3' }).waitFor();
  await eventually(async () =>
    assert.deepEqual(
      [
        await page.locator('.outline-prompt').allTextContents(),
        await page.locator('.call').count(),
        await page.getByRole('button', { name: /^Raw line|resume/ }).count(),
        await page.locator('a[href="/"]').count(),
      ],
      [['Please look **at** this', 'second prompt', 'third prompt'], 7, 0, 0],
    ),
  );
  await done(opened);
}

async function opensInside(file: string): Promise<void> {
  const opened = await openFile(file);
  const { page } = opened;
  await page.getByRole('button', { name: 'Sub-agent Explore: Follow one page' }).click();
  await page.locator('.agent-body .call', { hasText: 'src/render/highlight.ts' }).waitFor();
  await pressKey(page, '/');
  await page.getByRole('searchbox').fill('CHANGE nothing');
  await page.locator('.find-hits mark', { hasText: 'change nothing' }).first().waitFor();
  await done(opened);
}

async function switchesBranches(file: string): Promise<void> {
  const opened = await openFile(file);
  const { page } = opened;
  await page.getByRole('button', { name: 'Another branch leaves here' }).click();
  await page.getByText('an answer on another branch').waitFor();
  await page.waitForURL(/#branch=2/);
  await page.goBack();
  await page.getByText('Done with the first turn').waitFor();
  await done(opened);
  const atLine = await openFile(file, desktop, '#line=15');
  await atLine.page.locator('.call.target', { hasText: 'a.ts' }).waitFor();
  await done(atLine);
}

async function copiesMarkdown(file: string): Promise<void> {
  const opened = await openFile(file, { ...desktop, permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = opened;
  const copied = async (index: number): Promise<string> => {
    await page.evaluate(`navigator.clipboard.writeText('')`);
    await page.getByRole('button', { name: 'Copy as Markdown' }).nth(index).click();
    await isTrue(page, `navigator.clipboard.readText().then((text) => text !== '')`);
    return page.evaluate<string>('navigator.clipboard.readText()');
  };
  const whole = await copied(0);
  assert.match(whole, /^# typed[\s\S]*\n## 1\. Please[\s\S]*\n## 3\. third prompt\n[\s\S]*third answer\n/);
  const turn = await copied(1);
  assert.match(turn, /^\n## 1\. Please[\s\S]*Done with the first turn\n$/);
  await done(opened);
}

async function showsRaw(file: string): Promise<void> {
  const opened = await openFile(file);
  const { page } = opened;
  const line = async (button: string, words: string): Promise<void> => {
    await page.locator(button).first().click();
    const drawer = page.getByRole('dialog', { name: /^Raw line/ });
    await drawer.getByText(words).first().waitFor();
    await pressKey(page, 'Escape');
    await drawer.waitFor({ state: 'detached' });
  };
  await line('.prompt .raw-button', '"type": "user"');
  await line('.call .raw-button', '"type": "tool_use"');
  await page
    .getByRole('button', { name: /^Sub-agent/ })
    .first()
    .click();
  await line('.agent-body .raw-button', '"agentId": "a3a21efcc710fcd87"');
  await done(opened);
}

async function printsAll(file: string): Promise<void> {
  const opened = await openFile(file);
  const { page } = opened;
  await hasCount(page, '#print h2', 0);
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
  await page.emulateMedia({ media: 'print' });
  await eventually(async () =>
    assert.deepEqual(
      [
        await page.locator('#print h2').count(),
        await page.locator('#root').isVisible(),
        await page.locator('#print .prompt').count(),
      ],
      [13, false, 13],
    ),
  );
  await page.getByText('the very last words').waitFor();
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  await page.locator('#print h2').first().waitFor({ state: 'detached' });
  // What the browser's own command makes of it.
  const pages = (await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
  assert.ok(pages > 10, `${pages} sheets`);
  await done(opened);
}

async function readsPlain(file: string): Promise<void> {
  const { page, complaints } = await openFile(file, { ...desktop, javaScriptEnabled: false });
  await page.locator('pre').first().waitFor();
  await eventually(async () => {
    const shown = (await page.locator('body').textContent()) ?? '';
    for (const words of ['## 3. third prompt', 'third answer', 'const answer: number = 42;', 'out of tea'])
      assert.ok(shown.includes(words), words);
  });
  assert.deepEqual(complaints, []);
  await page.context().close();
}

async function fitsPhone(file: string): Promise<void> {
  const opened = await openFile(file, phone);
  await fitsWidth(opened.page);
  await done(opened);
}
