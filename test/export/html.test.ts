// A session as one HTML file: what it carries, and what a real browser shows of it, from disk and without a network.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions } from 'playwright-core';
import { exportHtml, readPageCode } from '../../src/export/html/html.ts';
import type { PageDataOptions } from '../../src/export/html/page-data.ts';
import type { Subject } from '../../src/export/subject.ts';
import type { MarkdownOptions } from '../../src/export/telling.ts';
import { desktop, type OpenedPage, openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { runClew } from '../support/clew.ts';
import { dist } from '../support/dist.ts';
import { projectRoot } from '../support/paths.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { text, thinking, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { spyOnPage } from '../web/page-scripts.ts';
import { everything, longSession } from '../web/page-sessions.ts';
import { subjectFrom, subjectOf, textFrom } from './kit.ts';

const demo = path.join(projectRoot, 'demo/projects/-home-ada-lighthouse');
const demoFile = path.join(demo, '463b11e7-f2cd-4a8c-b793-f776502024ef.jsonl');
const code = readPageCode(path.join(dist, 'standalone'));
const secret = `AK${'IA'}Q7ZR3MTW5XK2VB4N`;

function chunksOf(subject: Subject, options: MarkdownOptions & PageDataOptions = {}): AsyncIterable<string> {
  return exportHtml(subject, options, code);
}

test('the same session gives the same file, and it names nothing outside of itself', async () => {
  const html = await textFrom(chunksOf(await subjectOf(demoFile)));
  assert.equal(html, await textFrom(chunksOf(await subjectOf(demoFile))));
  const ours = html.replace(code.script, '').replace(/<script type="application\/json"[\s\S]*?<\/script>/g, '');
  assert.deepEqual(ours.match(/<(?:script|link|img|iframe|object|embed|meta http)[^>]*>/g)?.slice(1), [
    '<link rel="icon" href="data:,">',
    '<script>',
  ]);
  assert.match(
    html,
    /content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:;/,
  );
});

test('secrets are nowhere in the file, and it says how many there were; --no-redact leaves them in', async (context) => {
  const source = leaky();
  const subject = await subjectFrom(context, source, sideFiles());
  const html = await textFrom(chunksOf(subject, { thinking: true }));
  assert.equal(html.includes(secret), false);
  assert.match(html, /secrets were replaced by placeholders: 1 aws/);
  const plain = await textFrom(chunksOf(await subjectOf(subject.session.files.main, true), { thinking: true }));
  const shown = ['title', 'prompt', 'thought', 'answer', 'command', 'output', 'tool', 'model', 'agent', 'of agent'];
  assert.deepEqual(
    shown.filter((where) => !plain.includes(`${where} ${secret}`)),
    [],
  );
  assert.match(plain, /secrets were not looked for/);
});

test('--raw adds the lines behind the blocks, with everything in them but the secrets', async (context) => {
  const subject = await subjectFrom(context, leaky(), sideFiles());
  const html = await textFrom(chunksOf(subject, { raw: true }));
  assert.equal(html.includes(secret), false);
  const lines = [...html.matchAll(/<script type="application\/json" id="line-(\d+-\d+)">(.*?)<\/script>/g)];
  assert.deepEqual(
    lines.map(([, id]) => id),
    ['0-2', '0-3', '0-4', '0-5', '0-6', '0-7', '0-8', '0-9', '1-1', '1-2'],
  );
  const read = lines.map(
    ([, , json = '']) => JSON.parse(json) as { readonly text: string; readonly sizeBytes: number },
  );
  const entries = read.map(({ text: line }) => JSON.parse(line) as { readonly type: string; readonly cwd: string });
  assert.deepEqual(
    entries.map(({ type, cwd }) => [type, cwd]),
    entries.map((_, i) => [[0, 3, 5, 7, 8].includes(i) ? 'user' : 'assistant', '/home/dev/widgets']),
  );
  // The whole of an output that the page cuts, a placeholder in it.
  assert.match(read[3]?.text ?? '', /output \[redacted:aws-access-key-id:1\] (long ){3000}/);
  const without = await textFrom(chunksOf(subject));
  assert.deepEqual([without.includes('id="line-'), without.includes('"hasRaw":false')], [false, true]);
});

test('thinking and the folders above the project are only there when asked for', async (context) => {
  const subject = await subjectFrom(
    context,
    transcript()
      .user('hello')
      .assistant([thinking('deep thoughts'), text('hi')])
      .text(),
  );
  const [brief, whole] = [
    await textFrom(chunksOf(subject)),
    await textFrom(chunksOf(subject, { full: true, thinking: true })),
  ];
  assert.deepEqual(
    [brief, whole].map((html) => [html.includes('deep thoughts'), html.includes('/home/dev/widgets')]),
    [
      [false, false],
      [true, true],
    ],
  );
});

test('a long session is written in small pieces, each part of it once though two branches share it', async (context) => {
  const long = longSession(1_000, 3_000);
  const fork = { type: 'user', uuid: 'fork', parentUuid: 'a200', message: { role: 'user', content: 'another way' } };
  const subject = await subjectFrom(
    context,
    `${long}${JSON.stringify({ ...fork, timestamp: '2026-01-01T00:00:00.000Z' })}\n`,
  );
  assert.equal(subject.session.branches.length, 2);
  let largest = 0;
  let total = 0;
  let parts = 0;
  for await (const chunk of chunksOf(subject)) {
    if (chunk.includes(code.script)) continue;
    largest = Math.max(largest, chunk.length);
    total += chunk.length;
    if (chunk.startsWith('<script type="application/json" id="part-')) parts++;
  }
  assert.ok(largest < 300_000 && total < 1.5 * long.length, `${largest} of ${total} characters at once`);
  // 21 turns of two parts, and where the other branch leaves, its own.
  assert.ok(parts > 40 && parts < 48, `${parts} parts`);
});

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
  const write = async (name: string, subject: Subject): Promise<string> => {
    const file = path.join(folder, `${name}.html`);
    writeFileSync(file, await textFrom(chunksOf(subject, { thinking: true })));
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
    everything: await write('everything', await subjectFrom(context, everything())),
    demo: demoPage,
    long: await write('long', await subjectFrom(context, longSession(600, 1_000))),
  };
}

async function openFile(file: string, options: BrowserContextOptions = desktop, hash = ''): Promise<OpenedPage> {
  const opened = await openPage(`${pathToFileURL(file).href}${hash}`, { ...options, offline: true }, spyOnPage);
  if (options.javaScriptEnabled !== false) await opened.page.locator('[data-loaded]').first().waitFor();
  return opened;
}

async function done({ page, complaints }: OpenedPage): Promise<void> {
  assert.deepEqual(complaints, []);
  assert.deepEqual(await page.evaluate('window.violations'), []);
  await page.context().close();
}

async function showsEverything(file: string): Promise<void> {
  const opened = await openFile(file);
  const { page } = opened;
  const shown = async (selector: string, words: string): Promise<void> => {
    await page.locator(selector, { hasText: words }).first().waitFor();
  };
  await page.waitForFunction(`document.querySelector('.picture img')?.naturalWidth === 1`);
  await shown('.export-note', 'Exported by Clew; secrets were looked for, none was found.');
  await shown('.hljs-keyword', 'const');
  await shown('.ink-2', 'green');
  await shown('.todo-in_progress', 'Mend it');
  await shown('.call.failed .terminal', 'out of tea');
  await shown('.queued', 'And hurry');
  await page.getByText('First I think about it.').waitFor();
  await page.locator('.turn-head h2', { hasText: 'Turn 3' }).waitFor();
  assert.deepEqual(
    [
      await page.locator('.outline-prompt').allTextContents(),
      await page.locator('.call').count(),
      await page.getByRole('button', { name: /^Raw line|resume/ }).count(),
      await page.locator('a[href="/"]').count(),
    ],
    [['Please look **at** this', 'second prompt', 'third prompt'], 7, 0, 0],
  );
  await done(opened);
}

async function opensInside(file: string): Promise<void> {
  const opened = await openFile(file);
  const { page } = opened;
  await page.getByRole('button', { name: 'Sub-agent Explore: Follow one page' }).click();
  await page.locator('.agent-body .call', { hasText: 'src/render/highlight.ts' }).waitFor();
  await page.keyboard.press('/');
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
    await page.waitForFunction(`navigator.clipboard.readText().then((text) => text !== '')`);
    return page.evaluate<string>('navigator.clipboard.readText()');
  };
  assert.match(await copied(0), /^# typed[\s\S]*\n## 1\. Please[\s\S]*\n## 3\. third prompt\n[\s\S]*third answer\n/);
  assert.match(await copied(1), /^\n## 1\. Please[\s\S]*Done with the first turn\n$/);
  await done(opened);
}

async function showsRaw(file: string): Promise<void> {
  const opened = await openFile(file);
  const { page } = opened;
  const line = async (button: string, words: string): Promise<void> => {
    await page.locator(button).first().click();
    const drawer = page.getByRole('dialog', { name: /^Raw line/ });
    await drawer.getByText(words).first().waitFor();
    await page.keyboard.press('Escape');
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
  assert.equal(await page.locator('#print h2').count(), 0);
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
  await page.emulateMedia({ media: 'print' });
  assert.deepEqual(
    [
      await page.locator('#print h2').count(),
      await page.locator('#root').isVisible(),
      await page.locator('#print .prompt').count(),
    ],
    [13, false, 13],
  );
  assert.equal(await page.getByText('the very last words').isVisible(), true);
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  await page.locator('#print h2').first().waitFor({ state: 'detached' });
  // What the browser's own command makes of it.
  const pages = (await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
  assert.ok(pages > 10, `${pages} sheets`);
  await done(opened);
}

async function readsPlain(file: string): Promise<void> {
  const { page, complaints } = await openFile(file, { ...desktop, javaScriptEnabled: false });
  assert.equal(await page.locator('pre').first().isVisible(), true);
  const shown = (await page.locator('body').textContent()) ?? '';
  for (const words of ['## 3. third prompt', 'third answer', 'const answer: number = 42;', 'out of tea'])
    assert.ok(shown.includes(words), words);
  assert.deepEqual(complaints, []);
  await page.context().close();
}

async function fitsPhone(file: string): Promise<void> {
  const opened = await openFile(file, phone);
  assert.equal(await opened.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  await done(opened);
}

/** One secret in every place that the page shows, beside the lines too. */
function leaky(): string {
  return transcript({ cwd: '/home/dev/widgets' })
    .aside('custom-title', { customTitle: `title ${secret}` })
    .user(`prompt ${secret}`)
    .assistant([thinking(`thought ${secret}`), text(`answer ${secret}`)], { message: { model: `model ${secret}` } })
    .assistant([toolUse('c1', 'Bash', { command: `command ${secret}` })])
    .result('c1', {
      message: { content: [toolResult('c1', `output ${secret} ${'long '.repeat(3_000)}`)] },
      toolUseResult: { stdout: `output ${secret} ${'long '.repeat(3_000)}`, stderr: '' },
    })
    .assistant([toolUse('c2', `tool ${secret}`, { x: 1 })])
    .result('c2')
    .assistant([toolUse('c3', 'Task', { description: 'x', prompt: 'y', subagent_type: 'Explore' })])
    .result('c3')
    .text();
}

function sideFiles(): Record<string, string> {
  const folder = '3f2b8c1e-0000-4000-8000-000000000001/subagents';
  return {
    [`${folder}/agent-a1.jsonl`]: transcript({ isSidechain: true, agentId: 'a1' })
      .user('go')
      .assistant(`of agent ${secret}`)
      .text(),
    [`${folder}/agent-a1.meta.json`]: JSON.stringify({
      agentType: 'Explore',
      description: `agent ${secret}`,
      toolUseId: 'c3',
    }),
  };
}
