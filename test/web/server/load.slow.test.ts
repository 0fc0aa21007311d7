// Fifty open pages and twenty sessions written at once: every page gets the events of its session, the server keeps
// answering, and its memory is bounded. CLEW_LONG=1 makes the sessions and the test longer.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseJson } from '../../../src/base/json/json.ts';
import { keyParam, makeClient, readJson } from '../../../src/web/client/client.ts';
import type { AppendEvent } from '../../../src/web/wire/wire.ts';
import { startClew } from '../../support/running-clew.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { transcript } from '../../support/transcript-builder.ts';
import { waitFor } from '../../support/wait.ts';
import { listenTo, tokenOf } from '../../support/web-server.ts';

const isLong = process.env.CLEW_LONG === '1';
const sessions = 20;
const pages = 50;
const rounds = isLong ? 100 : 6;
const startTurns = isLong ? 400 : 20;
const maxBytes = 300 * 1024 * 1024;

test('fifty pages and twenty live sessions', async (context) => {
  const root = path.join(temporaryFolder(context), 'library');
  const live = Array.from({ length: sessions }, (_, i) => makeSession(root, i));
  const state = temporaryFolder(context);
  const clew = startClew(context, ['open', '--root', root, '--no-browser', '--json'], { CLEW_HOME: state });
  const { url } = parseJson((await clew.prints(/\n/)).trim()) as { readonly url: string };
  const { origin, port } = new URL(url);
  const token = tokenOf(url);
  const client = makeClient({ base: origin, token });
  await readJson(client.sessions.$get());
  const heard = Array.from({ length: pages }, (_, i) => {
    const { id } = live[i % sessions] as (typeof live)[number]; // i % sessions is in range
    return { id, ...listenTo(context, Number(port), token, `/api/events?watch=${id}${i % 5 === 0 ? '&live=1' : ''}`) };
  });
  await Promise.all(heard.map((page) => page.next('hello')));
  for (const { id } of live) await readJson(client.sessions[':key'].$get({ param: keyParam(id) }));

  const waits: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const writtenAt = performance.now();
    for (const session of live) session.append();
    const wanted = startTurns + round + 1;
    await waitFor(() =>
      heard.every(({ events, id }) =>
        events.some(
          ({ name, value }) =>
            name === 'append' && (value as AppendEvent).key === id && (value as AppendEvent).parts === wanted,
        ),
      ),
    );
    waits.push(performance.now() - writtenAt);
    const { rows, total } = await readJson(client.sessions.$get({ query: { limit: 5 } }));
    assert.deepEqual([rows.length, total], [5, sessions]);
  }
  const rss = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${clew.pid}/status`, 'utf8'))?.[1]) * 1024;
  const slowest = Math.max(...waits).toFixed(0);
  const usual = waits.toSorted((a, b) => a - b)[waits.length >> 1]?.toFixed(0);
  context.diagnostic(
    `all ${pages} pages heard of ${sessions} appends after ${usual} ms (slowest ${slowest} ms); ${(rss / 1e6).toFixed(0)} MB`,
  );
  assert.ok(rss < maxBytes, `${rss} bytes`);
  // A page only gets events of its session.
  for (const { events, id } of heard)
    assert.deepEqual(
      [...new Set(events.filter(({ name }) => name === 'append').map(({ value }) => (value as AppendEvent).key))],
      [id],
    );
  assert.deepEqual(await clew.end('SIGTERM'), [0, null]);
  assert.doesNotMatch(clew.stderr(), /Error|at .*\.js/);
});

interface LiveSession {
  readonly id: string;
  append(): void;
}

function makeSession(root: string, number: number): LiveSession {
  const id = `${String(number).padStart(8, '0')}-1111-4111-a111-111111111111`;
  const folder = path.join(root, 'projects', `-p${number % 4}`);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${id}.jsonl`);
  const builder = transcript({ sessionId: id, timestamp: new Date().toISOString() });
  const turn = (): void => void builder.user('more').assistant('x'.repeat(1_000));
  for (let i = 0; i < startTurns; i++) turn();
  writeFileSync(file, builder.text());
  return {
    id,
    append: () => {
      const known = builder.entries.length;
      turn();
      appendFileSync(
        file,
        builder.entries
          .slice(known)
          .map((entry) => `${JSON.stringify(entry)}\n`)
          .join(''),
      );
    },
  };
}
