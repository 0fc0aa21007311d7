// A session that is being written to, in a real browser: one test for each promise of the page. Every test appends real
// lines to a file of a served library.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { type OpenedPage, openBrowser, openPage, skipWithoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { tinyImage } from '../support/tiny-images.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { at, hasCount, isListening, isLoaded, isTrue, noComplaints, pressKey } from './page-kit.ts';
import { isAtEnd } from './page-scripts.ts';

const folder = '-home-dev-live';
const view = { viewport: { width: 1280, height: 800 } };

test('a live session', { skip: skipWithoutChromium, timeout: 600_000 }, async (context) => {
  await openBrowser();
  const server = await openWebServer(context, { [`${folder}/${idOf(0)}.jsonl`]: new LiveFile(0).prompt('seed').text });
  await server.isCurrent();
  const tests: Readonly<Record<string, (live: Live) => Promise<void>>> = {
    'at the end the page stays at the end': staysAtEnd,
    'it also stays if the session fitted the screen when it was opened': staysAfterFitting,
    'it also stays if a part becomes taller': staysAsPartGrows,
    'it also stays when images load': staysAsImagesLoad,
    'what the user opens at the end does not scroll away': keepsOpened,
    'elsewhere New below appears with the first line, also in a part that is on the screen': showsNewBelow,
    'New below disappears when the end is read': forgetsNewBelow,
    'lines that the view does not show are not new': ignoresHidden,
    'links of the live page open a session at its end': opensAtEnd,
    'a running call counts its seconds, and then has its result': countsSeconds,
    'a call without a result in a session that does not run has no result': saysNoResult,
    'the page shows that the session is live': showsLive,
    'deleting an open session is reported, and the page keeps what it has': reportsDeletion,
    'replacing an open session is reported, and the page shows the new content': reportsReplacement,
  };
  let number = 0;
  for (const [name, run] of Object.entries(tests)) {
    number++;
    const file = new LiveFile(number);
    await context.test(name, () => run(new Live(server, file)));
  }
});

class Live {
  readonly #server: WebServer;
  readonly file: LiveFile;

  constructor(server: WebServer, file: LiveFile) {
    this.#server = server;
    this.file = file;
  }

  get path(): string {
    return path.join(this.#server.root, 'projects', folder, `${this.file.id}.jsonl`);
  }

  /** Writes the session and waits until the server lists it. */
  async write(): Promise<void> {
    const listening = this.#server.listen('/api/events?watch=');
    await listening.next('hello');
    writeFileSync(this.path, this.file.text);
    await listening.next('sessions', ({ changed }) => changed.some(({ id }) => id === this.file.id));
    listening.stop();
  }

  async open(query = ''): Promise<OpenedPage> {
    const opened = await openPage(at(this.#server, `/s/${this.file.id}${query}`), view);
    await isLoaded(opened.page);
    await isListening(opened);
    return opened;
  }

  openLivePage(): Promise<OpenedPage> {
    return openPage(at(this.#server, '/live'), view);
  }

  /** Appends what `add` writes. */
  append(add: (file: LiveFile) => void): void {
    const before = this.file.text.length;
    add(this.file);
    appendFileSync(this.path, this.file.text.slice(before));
  }
}

function idOf(number: number): string {
  return `77777777-7777-4777-a777-${String(number).padStart(12, '0')}`;
}

/** The lines of a session, with the present time. */
class LiveFile {
  readonly id: string;
  text = '';
  #lines = 0;
  /** Shifts the time of the next lines. */
  ageMs = 0;

  constructor(number: number) {
    this.id = idOf(number);
  }

  prompt(content: unknown): this {
    return this.#add('user', { role: 'user', content });
  }

  answer(text: string): this {
    return this.#message([{ type: 'text', text }]);
  }

  call(id: string, command: string): this {
    return this.#message([{ type: 'tool_use', id, name: 'Bash', input: { command } }]);
  }

  result(id: string, output: string): this {
    return this.#add('user', {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: output, is_error: false }],
    });
  }

  thinking(thinking: string): this {
    return this.#message([{ type: 'thinking', thinking, signature: 's' }]);
  }

  hookSuccess(): this {
    return this.#add('attachment', undefined, { attachment: { type: 'hook_success', hookName: 'Stop', stdout: 'ok' } });
  }

  #message(content: readonly unknown[]): this {
    return this.#add('assistant', {
      role: 'assistant',
      id: `m${this.#lines}`,
      model: 'claude-opus-4-5-20251101',
      content,
      usage: { input_tokens: 5, output_tokens: 5 },
    });
  }

  #add(type: string, message: unknown, more: object = {}): this {
    const parentUuid = this.#lines === 0 ? null : `${this.id.slice(-3)}-${this.#lines}`;
    this.#lines++;
    const entry = {
      type,
      uuid: `${this.id.slice(-3)}-${this.#lines}`,
      parentUuid,
      sessionId: this.id,
      cwd: '/home/dev/live',
      version: '2.1.45',
      timestamp: new Date(Date.now() - this.ageMs).toISOString(),
      ...(message === undefined ? {} : { message }),
      ...more,
    };
    this.text += `${JSON.stringify(entry)}\n`;
    return this;
  }
}

const words = 'a line of words to fill the screen with\n\n'.repeat(30);
const newBelow = (page: Page) => page.getByRole('button', { name: 'New below' });
const scrollTop = `document.getElementById('conversation').scrollTop`;
const overflows = `(() => { const main = document.getElementById('conversation'); return main.scrollHeight > main.clientHeight + 100; })()`;

/** After a sign of what would have made it appear. */
async function hasNothingNew(page: Page): Promise<void> {
  await eventually(async () => assert.equal(await newBelow(page).count(), 0));
}

async function isAtTop(page: Page, top: number): Promise<void> {
  await eventually(async () => assert.equal(await page.evaluate<number>(scrollTop), top));
}

async function toEnd(page: Page): Promise<void> {
  await pressKey(page, 'Shift+G');
  await isTrue(page, isAtEnd);
}

/** A session that is longer than the screen. */
async function openLong(live: Live): Promise<OpenedPage> {
  live.file.prompt('first prompt').answer(words).prompt('second prompt').answer(words);
  await live.write();
  const opened = await live.open();
  await isTrue(opened.page, overflows);
  return opened;
}

async function staysAtEnd(live: Live): Promise<void> {
  const opened = await openLong(live);
  const { page } = opened;
  await toEnd(page);
  for (const turn of [3, 4, 5]) {
    live.append((file) => file.prompt(`prompt ${turn}`).answer(`${words}answer ${turn}`));
    await page.getByText(`answer ${turn}`, { exact: true }).waitFor();
    await isTrue(page, isAtEnd);
  }
  await hasNothingNew(page);
  await noComplaints(opened);
}

async function staysAfterFitting(live: Live): Promise<void> {
  live.file.prompt('a short session').answer('with one answer');
  await live.write();
  const opened = await live.open();
  const { page } = opened;
  await isTrue(page, `!${overflows}`);
  live.append((file) => file.answer(`${words}the end of the answer`));
  await page.getByText('the end of the answer').waitFor();
  await isTrue(page, overflows);
  await isTrue(page, isAtEnd);
  await hasNothingNew(page);
  await noComplaints(opened);
}

async function staysAsPartGrows(live: Live): Promise<void> {
  const opened = await openLong(live);
  const { page } = opened;
  live.append((file) => file.prompt('run it').call('c1', 'make'));
  await toEnd(page);
  await page.locator('.call', { hasText: 'make' }).waitFor();
  await hasCount(page, '.outline-prompt', 3);
  live.append((file) => file.result('c1', 'line\n'.repeat(12)));
  await page.locator('.call.done', { hasText: 'make' }).waitFor();
  await isTrue(page, isAtEnd);
  live.append((file) => file.answer(`${words}taller than the screen`));
  await page.getByText('taller than the screen').waitFor();
  await isTrue(page, isAtEnd);
  // It is still the same turn.
  await hasCount(page, '.outline-prompt', 3);
  await noComplaints(opened);
}

async function staysAsImagesLoad(live: Live): Promise<void> {
  const opened = await openLong(live);
  const { page } = opened;
  await toEnd(page);
  // The header of the image names another size than the image has: it takes its room when it has loaded.
  const tall = await page.screenshot({ clip: { x: 0, y: 0, width: 40, height: 700 } });
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/image?*', async (route) => {
    await released;
    await route.fulfill({ contentType: 'image/png', body: tall });
  });
  const source = { type: 'base64', media_type: 'image/png', data: tinyImage('png', 40, 10).toString('base64') };
  live.append((file) =>
    file.prompt([
      { type: 'text', text: 'look' },
      { type: 'image', source },
    ]),
  );
  await page.locator('.prompt img').waitFor();
  await isTrue(page, isAtEnd);
  release();
  await isTrue(page, `document.querySelector('.prompt img[src^="blob:"]')?.naturalHeight === 700`);
  await isTrue(page, isAtEnd);
  await noComplaints(opened);
}

async function keepsOpened(live: Live): Promise<void> {
  live.file.prompt('first').answer(words).thinking(`a thought\n\n${words}`);
  await live.write();
  const opened = await live.open();
  const { page } = opened;
  await toEnd(page);
  // Read once: at the end of what has loaded, nothing moves any more.
  const before = await page.evaluate<number>(scrollTop);
  await page.getByRole('button', { name: /^Thinking/ }).click();
  await page.locator('.thinking .prose').waitFor();
  await isTrue(page, `!${isAtEnd}`);
  await isAtTop(page, before);
  live.append((file) => file.answer('later'));
  await newBelow(page).waitFor();
  await isAtTop(page, before);
  await noComplaints(opened);
}

async function showsNewBelow(live: Live): Promise<void> {
  const opened = await openLong(live);
  const { page } = opened;
  await hasCount(page, '.outline-prompt', 2);
  await hasNothingNew(page);
  live.append((file) => file.answer('one more line of the same turn'));
  await newBelow(page).waitFor();
  // The reader keeps the place, and there is neither a new turn nor a new part.
  await isAtTop(page, 0);
  await hasCount(page, '.outline-prompt', 2);
  await newBelow(page).click();
  await page.getByText('one more line of the same turn').waitFor();
  await isTrue(page, isAtEnd);
  await noComplaints(opened);
}

async function forgetsNewBelow(live: Live): Promise<void> {
  const opened = await openLong(live);
  const { page } = opened;
  live.append((file) => file.prompt('third prompt').answer('third answer'));
  await newBelow(page).waitFor();
  await page.locator('.conversation').hover();
  await eventually(async () => {
    await page.mouse.wheel(0, 400);
    assert.equal(await page.evaluate<boolean>(isAtEnd), true);
  });
  await page.getByText('third answer').waitFor();
  await newBelow(page).waitFor({ state: 'detached' });
  await noComplaints(opened);
}

async function ignoresHidden(live: Live): Promise<void> {
  const opened = await openLong(live);
  const { page } = opened;
  // The size in the header shows that the page has the new lines.
  const facts = page.locator('.session-facts');
  const size = await eventually(async () => {
    const text = (await facts.textContent()) ?? '';
    assert.match(text, /KB/);
    return text;
  });
  live.append((file) => Array.from({ length: 7 }, () => file.hookSuccess()));
  await eventually(async () => assert.notEqual(await facts.textContent(), size));
  await hasNothingNew(page);
  live.append((file) => file.answer('an answer'));
  await newBelow(page).waitFor();
  await noComplaints(opened);
}

async function opensAtEnd(live: Live): Promise<void> {
  live.file.prompt('open me from the live page').answer(words).prompt('second').answer(`${words}the last words`);
  await live.write();
  const opened = await live.openLivePage();
  const { page } = opened;
  await page.locator('.live-session h2 a', { hasText: 'open me from the live page' }).click();
  await page.getByText('the last words').waitFor();
  await isTrue(page, isAtEnd);
  await page.waitForURL((url) => url.search === '?at=end');
  await isListening(opened);
  live.append((file) => file.answer(`${words}even later words`));
  await page.getByText('even later words').waitFor();
  await isTrue(page, isAtEnd);
  await noComplaints(opened);
}

async function countsSeconds(live: Live): Promise<void> {
  live.file.prompt('run');
  live.file.ageMs = 12_000;
  live.file.call('c1', 'sleep 100');
  live.file.ageMs = 0;
  await live.write();
  const opened = await live.open();
  const { page } = opened;
  const outcome = page.locator('.call .call-outcome');
  const secondsIn = (text: string | null): number => Number(/^running, (\d+) s$/.exec(text ?? '')?.[1]);
  const first = await eventually(async () => {
    const seconds = secondsIn(await outcome.textContent());
    assert.ok(seconds >= 12 && seconds < 60, `${seconds} s`);
    return seconds;
  });
  await eventually(async () => assert.ok(secondsIn(await outcome.textContent()) > first));
  await page.getByRole('img', { name: 'running' }).waitFor();
  live.append((file) => file.result('c1', 'slept'));
  await page.locator('.call.done').waitFor();
  await hasCount(page, '.running', 0);
  await noComplaints(opened);
}

async function saysNoResult(live: Live): Promise<void> {
  live.file.ageMs = 3 * 86_400_000;
  live.file.prompt('run').call('c1', 'sleep 100');
  await live.write();
  const opened = await live.open();
  const { page } = opened;
  await page.locator('.call .call-outcome', { hasText: 'no result' }).waitFor();
  await hasCount(page, '.running', 0);
  await hasCount(page, '.live-badge', 0);
  await noComplaints(opened);
}

async function showsLive(live: Live): Promise<void> {
  live.file.prompt('am I live?');
  await live.write();
  const opened = await live.open();
  const badge = opened.page.locator('.session-header .live-badge');
  await badge.waitFor();
  await eventually(async () => assert.match((await badge.textContent()) ?? '', /^live, written (now|\d+ s ago)$/));
  await noComplaints(opened);
}

async function reportsDeletion(live: Live): Promise<void> {
  live.file.prompt('delete me').answer('what was said');
  await live.write();
  const opened = await live.open();
  const { page } = opened;
  await page.locator('.live-badge').waitFor();
  // The right side has asked for everything that it shows.
  await page.locator('.side section[aria-label="Files changed"][aria-busy="false"] p').waitFor();
  await page.locator('.side section[aria-label="Context"][aria-busy="false"] p').first().waitFor();
  rmSync(live.path);
  const notice = page.getByRole('alert');
  await notice.waitFor();
  const said = new RegExp(`was deleted.*clew restore ${live.file.id}`);
  await eventually(async () => assert.match((await notice.textContent()) ?? '', said));
  await page.getByText('what was said').waitFor();
  await hasCount(page, '.live-badge', 0);
  await noComplaints(opened);
}

async function reportsReplacement(live: Live): Promise<void> {
  live.file.prompt('before').answer('the old answer');
  await live.write();
  const opened = await live.open();
  const { page } = opened;
  await page.getByText('the old answer').waitFor();
  const text = readFileSync(live.path, 'utf8');
  writeFileSync(live.path, text.replace('the old answer', 'the new answer, which is longer'));
  await page.getByText('the new answer, which is longer').waitFor();
  const notice = page.getByRole('alert');
  await notice.waitFor();
  await eventually(async () => assert.match((await notice.textContent()) ?? '', /replaced the file/));
  await notice.getByRole('button', { name: 'Close' }).click();
  await notice.waitFor({ state: 'detached' });
  live.append((file) => file.answer('appended'));
  await page.getByText('appended').waitFor();
  // An append is not a replacement.
  await hasCount(page, '[role="alert"]', 0);
  await noComplaints(opened);
}
