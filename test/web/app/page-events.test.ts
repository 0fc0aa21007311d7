// The page's stream of events: one at a time for everything that is wanted, no gap when that changes, and a word when events
// may be missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageEvents } from '../../../src/web/app/page/page-events.ts';
import type { Client } from '../../../src/web/client/index.ts';
import { waitFor } from '../../support/wait.ts';

interface Stream {
  readonly watch: readonly string[];
  readonly signal: AbortSignal;
  send(name: string, value: unknown): void;
  end(): void;
}

function startPage() {
  const streams: Stream[] = [];
  const encoder = new TextEncoder();
  const get = async ({ query }: { query: { watch: string[] } }, { init }: { init: { signal: AbortSignal } }) => {
    const { signal } = init;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        signal.addEventListener('abort', () => controller.error(new Error('aborted')));
        streams.push({
          ...{ watch: query.watch, signal },
          send: (name, value) =>
            controller.enqueue(encoder.encode(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`)),
          end: () => controller.close(),
        });
      },
    });
    return { body };
  };
  let isHidden = false;
  let notify = (): void => {};
  const events = new PageEvents({ events: { $get: get } } as unknown as Client, {
    isHidden: () => isHidden,
    onChange: (listener) => {
      notify = listener;
    },
  });
  const heard: unknown[] = [];
  events.on('sessions', ({ gone }) => heard.push(...gone));
  events.onMissed(() => heard.push('missed'));
  return {
    events,
    streams,
    heard,
    stream: (nth: number) => waitFor(() => streams[nth]),
    hears: (...wanted: readonly unknown[]) => waitFor(() => JSON.stringify(heard) === JSON.stringify(wanted)),
    hide: (hidden: boolean): void => {
      isHidden = hidden;
      notify();
    },
  };
}

const gone = (id: string) => ({ changed: [], gone: [id], isMany: false });

test('what is sent while another stream is asked for is heard, and nothing counts as missed', async () => {
  const page = startPage();
  const first = await page.stream(0);
  first.send('hello', {});
  first.send('sessions', gone('a'));
  await page.hears('a');
  page.events.want({ watch: ['s'] });
  const second = await page.stream(1);
  assert.deepEqual(second.watch, ['s']);
  first.send('sessions', gone('b'));
  await page.hears('a', 'b');
  assert.equal(first.signal.aborted, false);
  second.send('hello', {});
  await waitFor(() => first.signal.aborted);
  second.send('sessions', gone('c'));
  await page.hears('a', 'b', 'c');
  assert.equal(page.streams.length, 2);
});

test('of two changes in a row only the last stream stays', async () => {
  const page = startPage();
  (await page.stream(0)).send('hello', {});
  page.events.want({ watch: ['s'] });
  const second = await page.stream(1);
  page.events.want({ watch: ['t'] });
  const third = await page.stream(2);
  assert.deepEqual([second.signal.aborted, third.watch], [true, ['s', 't']]);
  third.send('hello', {});
  third.send('sessions', gone('a'));
  await page.hears('a');
});

test('the end of the old stream before the new one begins is a gap', async () => {
  const page = startPage();
  const first = await page.stream(0);
  first.send('hello', {});
  page.events.want({ watch: ['s'] });
  const second = await page.stream(1);
  first.end();
  await waitFor(() => first.signal.aborted);
  second.send('hello', {});
  await page.hears('missed');
  assert.equal(second.signal.aborted, false);
  assert.equal(page.events.isConnected, true);
});

test('a hidden page has no stream, and has missed what was sent meanwhile', async () => {
  const page = startPage();
  const first = await page.stream(0);
  first.send('hello', {});
  page.hide(true);
  await waitFor(() => first.signal.aborted);
  assert.equal(page.streams.length, 1);
  page.hide(false);
  (await page.stream(1)).send('hello', {});
  await page.hears('missed');
});

test('a lost connection is said, opened again, and is a gap', async () => {
  const page = startPage();
  const first = await page.stream(0);
  first.send('hello', {});
  first.end();
  await waitFor(() => !page.events.isConnected);
  (await page.stream(1)).send('hello', {});
  await page.hears('missed');
  assert.equal(page.events.isConnected, true);
});
