// The usage page in a real browser: stacked bars, the calendar, the cache, the active block and what tool output cost,
// with numbers computed by hand from the lines that are written here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desktop, type OpenedPage, openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { type Fields, sessionId, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { at, hasCount, isAccessibleInBoth, isTrue, noComplaints } from './page-kit.ts';

const [opus, haiku] = ['claude-opus-4-5-20251101', 'claude-haiku-4-5-20251001'];
const nowId = '22222222-2222-4222-a222-222222222222';

interface Counts {
  readonly read?: number;
  readonly write?: number;
  readonly output?: number;
}

function answer(model: string, { read = 0, write = 0, output = 0 }: Counts, timestamp: string): Fields {
  const usage = {
    input_tokens: 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
    output_tokens: output,
  };
  return { timestamp, message: { model, usage, stop_reason: 'end_turn' } };
}

/** Opus: $5 in, $6.25 write, $0.50 read, $25 out per million tokens; Haiku: a fifth of that. */
function spent(): string {
  const [day, next] = ['2026-03-04T12:00:00.000Z', '2026-03-06T12:00:00.000Z'];
  return transcript({ cwd: '/w' })
    .user('go', { timestamp: day })
    .assistant([toolUse('c1', 'Bash')], answer(opus, { write: 100_000, output: 1_000 }, day))
    .user([toolResult('c1', 'x'.repeat(400_000))], { timestamp: day })
    .assistant('one', answer(opus, { read: 100_000, write: 101_000 }, day))
    .user('more', { timestamp: next })
    .assistant('two', answer(haiku, { read: 201_000 }, next))
    .text();
}

/** One request a minute ago: $1 for 200,000 tokens of input. */
function running(): string {
  const time = new Date(Date.now() - 60_000).toISOString();
  const usage = { input_tokens: 200_000, output_tokens: 0 };
  return transcript({ cwd: '/now', sessionId: nowId })
    .user('go', { timestamp: time })
    .assistant('on it', { timestamp: time, message: { model: opus, usage, stop_reason: 'end_turn', id: 'now' } })
    .text();
}

test('the usage page', { skip: skipWithoutChromium, timeout: 300_000 }, async (context) => {
  await openBrowser();
  const server = await openWebServer(context, {
    [`-w/${sessionId}.jsonl`]: spent(),
    [`-now/${nowId}.jsonl`]: running(),
  });
  await server.isCurrent();
  await context.test('tool output, cache, bars by model and days are those of the lines', () => showsNumbers(server));
  await context.test('the active block has its pace and projection', () => showsBlock(server));
  await context.test('it fits a phone', () => fitsPhone(server));
});

async function open(server: WebServer, address: string, view = desktop): Promise<OpenedPage> {
  const opened = await openPage(at(server, address), view);
  await opened.page.locator('.top-lists li').first().waitFor();
  return opened;
}

const range = 'since=2026-03-01&until=2026-03-31';

async function showsNumbers(server: WebServer): Promise<void> {
  const opened = await open(server, `/usage?${range}`);
  const { page } = opened;
  // 100,000 tokens came with the result: $0.625 to write them, $0.01 for Haiku to read them again.
  const tool = page.getByRole('region', { name: /^By tool/ }).locator('li', { hasText: 'Bash' });
  await tool.getByText('$0.64', { exact: true }).waitFor();
  await tool.getByText('1 call · 100k tokens, sent again as 100k').waitFor();
  // Read: 100,000 × $4.5 + 201,000 × $0.9; writes: 201,000 × −$1.25, per million.
  const cache = page.getByRole('region', { name: 'Cache' });
  await cache.getByText('60.0 %').waitFor();
  await cache.getByText('$0.38').waitFor();
  // $1.331 of Opus on the first day, $0.0201 of Haiku on the last; no bar between.
  await hasCount(page, '.time-chart g', 2);
  await eventually(async () => assert.deepEqual(await page.locator('.legend li').allInnerTexts(), [opus, haiku]));
  const second = page.locator('.time-chart g').nth(1);
  await eventually(async () => assert.equal(await second.locator('.model-1').count(), 1));
  const days = page.getByRole('region', { name: 'Days' });
  await eventually(async () => {
    assert.deepEqual(await days.locator('.day').allTextContents(), [
      '2026-03-04: $1.33',
      '2026-03-05: nothing',
      '2026-03-06: $0.02',
    ]);
    assert.equal(await days.locator('.level-4').count(), 1);
    assert.equal(await days.getByRole('rowheader').count(), 7);
  });
  await isAccessibleInBoth(page);
  await page.getByRole('button', { name: 'Tokens' }).click();
  await tool.getByText('200k', { exact: true }).waitFor();
  await noComplaints(opened);
}

async function showsBlock(server: WebServer): Promise<void> {
  const opened = await open(server, '/usage');
  const { page } = opened;
  const block = page.getByRole('region', { name: 'Active block' });
  await eventually(async () => {
    const [soFar, perHour, atEnd] = await block.locator('dd').allInnerTexts();
    // A quarter of an hour is the least that counts, so that $1 is at most $4 an hour.
    assert.match(soFar ?? '', /^\$1\.00\s+since \d\d:\d\d$/);
    const hourly = Number(/^\$(\d+\.\d\d)/.exec(perHour ?? '')?.[1]);
    assert.ok(hourly > 1.9 && hourly <= 4, perHour);
    const projected = Number(/^\$(\d+\.\d\d)/.exec(atEnd ?? '')?.[1]);
    // The block ends four to five hours from now.
    assert.ok(projected >= 1 + hourly * 3.9 && projected <= 1 + hourly * 5, atEnd);
  });
  await noComplaints(opened);
}

async function fitsPhone(server: WebServer): Promise<void> {
  const opened = await open(server, `/usage?${range}`, phone);
  await isTrue(opened.page, 'document.documentElement.scrollWidth === 390');
  await isAccessibleInBoth(opened.page);
  await noComplaints(opened);
}
