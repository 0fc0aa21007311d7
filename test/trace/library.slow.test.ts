// A library of all corpora is backfilled: a dry run counts what is sent, tokens and cost of every session are those of
// `clew usage`, and a copy of the library (`cp -r`: one time for all files) makes the same spans, byte for byte.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { asObject, type JsonObject, parseJson } from '../../src/base/json/json.ts';
import { readUsage } from '../../src/format/entry/usage.ts';
import { loadPrices } from '../../src/library/usage/prices.ts';
import { PriceList } from '../../src/models/price-list.ts';
import { jsonOf } from '../support/clew.ts';
import { corpusFolder } from '../support/corpus.ts';
import { clew } from '../support/dist.ts';
import { homeFor, traceEnv } from '../support/trace-kit.ts';
import { type ReceivedSpan, rawSpans, repeated, startReceiver } from '../support/trace-receiver.ts';

/** Output tokens and cost of the trace, then of `clew usage`: files that people wrote for tests of other programs. */
const explained = [
  // The id `msg-2` and a request id are in two sessions. It is not an id of the API, so a trace takes it for two messages.
  ['no-summary', [50, 1050], [undefined, undefined]],
  // The same message id is in dedup_main under another request id. A trace goes by the message id alone.
  ['sidechain_main', [190, 56_311], [555, 591_565]],
  // Priced for the US only (`inference_geo`), which no attribute of a span says.
  ['small', [5, 175], [5, 193]],
  // The other session of `msg-2`.
  ['test-session-123', [10, 150], [50, 350]],
];

test('a backfill of the corpora: the dry run, the totals of clew usage, and a copy of the library', async (context) => {
  const first = homeFor(context);
  const root = path.join(first, 'claude');
  copyProjects(path.join(corpusFolder, 'corpus'), path.join(root, 'projects'));
  for (const [i, file] of filesBelow(root).sort().entries()) utimesSync(file, 1_700_000_000 - i, 1_700_000_000 - i);
  const receiver = await startReceiver(context);
  const env = { ...traceEnv(first, receiver.url, { CLEW_TRACE_REDACT: 'off' }), CLEW_ROOTS: root };
  const dry = await backfill(env, ['--dry-run']);
  assert.equal(receiver.requests.length, 0);
  const report = await backfill(env);
  assert.deepEqual([dry.spans, report.spans, report.sentSpans], Array(3).fill(receiver.spans.length));
  assert.deepEqual(repeated(receiver.spans), {});

  const usage = jsonOf(['usage', 'session', '--json'], { env }) as unknown as { readonly rows: readonly JsonObject[] };
  const traced = totalsOf(receiver.spans);
  const counted = new Map(usage.rows.map(({ key, ...row }) => [String(key), pick(row)]));
  assert.ok(counted.size > 100, `${counted.size} sessions`);
  const ids = [...new Set([...traced.keys(), ...counted.keys()])].sort();
  const different = ids.filter((id) => JSON.stringify(traced.get(id)) !== JSON.stringify(counted.get(id)));
  const shown = (row: JsonObject | undefined) => [row?.outputTokens, row?.costMicroUsd];
  assert.deepEqual(
    different.map((id) => [id, shown(traced.get(id)), shown(counted.get(id))]),
    explained,
  );

  const second = homeFor(context);
  const copy = path.join(second, 'claude');
  cpSync(root, copy, { recursive: true });
  const other = await startReceiver(context);
  await backfill({ ...traceEnv(second, other.url, { CLEW_TRACE_REDACT: 'off' }), CLEW_ROOTS: copy });
  const [before, after] = [new Set(rawSpans(receiver)), new Set(rawSpans(other))];
  const short = (span: string): string => span.slice(0, 200);
  assert.deepEqual([...after].filter((span) => !before.has(span)).map(short), [], 'spans of the copy alone');
  // A session without a time on any line is over an hour after its file was written: only these may wait in the copy.
  const isTimed = (span: string): boolean => !span.includes('"startTimeUnixNano":"0"');
  const lacking = [...before].filter((span) => !after.has(span) && isTimed(span));
  assert.deepEqual(lacking.map(short), [], 'spans that the copy lacks');
});

/** In a process of its own: the receiver answers in this one. */
async function backfill(env: Readonly<Record<string, string>>, flags: readonly string[] = []): Promise<JsonObject> {
  const { stdout } = await promisify(execFile)(process.execPath, [clew, 'trace', 'backfill', ...flags, '--json'], {
    env,
  });
  const report = asObject(parseJson(stdout));
  assert.ok(report !== undefined);
  return report;
}

/** Every folder with transcripts, each as a project of the library. */
function copyProjects(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true, recursive: true })) {
    const folder = entry.parentPath;
    if (!entry.name.endsWith('.jsonl') || folder.includes('subagents')) continue;
    cpSync(folder, path.join(to, path.relative(from, folder).replace(/[^A-Za-z0-9]/g, '-')), { recursive: true });
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}

const prices = new PriceList(loadPrices({}));

/** By session, as a report of `clew usage` has it. */
function totalsOf(spans: readonly ReceivedSpan[]): ReadonlyMap<string, JsonObject> {
  const totals = new Map<string, Record<string, number>>();
  for (const { attributes, endMs } of spans) {
    const details = asObject(parseJson(String(attributes['langfuse.observation.usage_details'] ?? 'null')));
    if (details === undefined) continue;
    const parameters = asObject(parseJson(String(attributes['langfuse.observation.model.parameters'] ?? '{}')));
    const short = Number(details.input_cache_creation_5m ?? 0) + Number(details.cache_creation_input_tokens ?? 0);
    const raw = {
      input_tokens: details.input,
      output_tokens: details.output,
      cache_read_input_tokens: details.cache_read_input_tokens,
      cache_creation: {
        ephemeral_5m_input_tokens: short,
        ephemeral_1h_input_tokens: details.input_cache_creation_1h ?? 0,
      },
      ...parameters,
    };
    const used = readUsage(raw as JsonObject);
    assert.ok(used !== undefined);
    const sum = totals.get(String(attributes['session.id'])) ?? {};
    totals.set(String(attributes['session.id']), sum);
    const model = String(attributes['langfuse.observation.model.name']);
    const own = { ...pick(used as unknown as JsonObject), costMicroUsd: prices.costOf(model, used, endMs) ?? 0 };
    for (const [key, value] of Object.entries(own)) sum[key] = (sum[key] ?? 0) + Number(value);
  }
  return totals;
}

function pick({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWrite5mTokens,
  cacheWrite1hTokens,
  costMicroUsd,
}: JsonObject): JsonObject {
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    cacheReadTokens: cacheReadTokens ?? 0,
    cacheWrite5mTokens: cacheWrite5mTokens ?? 0,
    cacheWrite1hTokens: cacheWrite1hTokens ?? 0,
    costMicroUsd: costMicroUsd ?? 0,
  };
}
