// The ledger of real sessions against the counts of the API, which are read from the raw JSON: the sum, the lines of every
// slice, and how good the estimate is before it is anchored.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { contextLedger } from '../../src/context/ledger/ledger.ts';
import type { ContextLedger, ContextSlice } from '../../src/context/wire/ledger.ts';
import { loadSession, type Session } from '../../src/session/load/session.ts';
import { blocksIn, countOf, type RawLine, type RealSession, realSessions } from './raw-session.ts';

interface Case extends RealSession {
  readonly session: Session;
  readonly ledger: ContextLedger;
}

let cases: readonly Case[] = [];

before(async () => {
  const found: Case[] = [];
  for (const real of realSessions()) {
    const session = await loadSession(real.file);
    found.push({ ...real, session, ledger: contextLedger(session) });
  }
  cases = found;
});

test('the slices of 62 real conversations add up to what the API counted, within 3 %', (context) => {
  assert.equal(cases.length, 62);
  assert.equal(cases.filter(({ session }) => session.isAgent).length, 18);
  for (const { name, raw, ledger } of cases) {
    const sum = total(ledger.slices);
    const error = Math.abs(sum - raw.lastCount) / raw.lastCount;
    context.diagnostic(`${(error * 100).toFixed(2)} % ${raw.lastCount} ${name}`);
    assert.ok(error <= 0.03, `${name}: ${sum}, counted ${raw.lastCount}`);
    assert.deepEqual([ledger.basis, ledger.problem], ['anchored', null], name);
  }
});

test('at every turn the slices add up to the count on the line of the request', () => {
  let turns = 0;
  for (const { name, session, raw, ledger } of cases) {
    for (const { turn, tokens, kinds } of ledger.turns) {
      if (tokens === null) continue;
      turns++;
      const then = contextLedger(session, { turn });
      const line = raw.lines.get(then.request?.line ?? 0);
      assert.ok(line !== undefined, `${name} turn ${turn}`);
      assert.deepEqual([then.turn, total(then.slices), tokens], [turn, countOf(line), countOf(line)], name);
      assert.equal(
        Object.values(kinds).reduce((sum, each) => sum + each, 0),
        tokens,
        name,
      );
    }
  }
  assert.ok(turns >= 90, String(turns));
});

test('no slice is negative, and every slice names lines of the transcript', () => {
  for (const { name, raw, ledger } of cases) {
    assert.ok(ledger.slices.length >= 3, name);
    for (const slice of ledger.slices) {
      const what = `${name} ${slice.kind} ${slice.name}`;
      assert.ok(Number.isSafeInteger(slice.tokens) && slice.tokens >= 0, what);
      const lines = linesOf(slice);
      assert.ok(lines.length > 0 && lines.length === slice.lineCount, what);
      for (const number of lines) {
        const line = raw.lines.get(number);
        assert.ok(line !== undefined, `${what} line ${number}`);
        // What is on no line is shown by the count of an answer.
        if (!slice.isRecorded) assert.ok(countOf(line) > 0, `${what} line ${number}`);
      }
    }
  }
});

test('every line between the beginning and the request is in a slice', () => {
  let checked = 0;
  for (const { name, raw, ledger } of cases) {
    const named = new Set(ledger.slices.flatMap(linesOf));
    for (const number of linesAbove(raw.lines, ledger.request?.line ?? 0)) {
      checked++;
      assert.ok(named.has(number), `${name} line ${number}`);
    }
  }
  assert.ok(checked >= 1_500, String(checked));
});

test('the output and the calls of a tool are the lines of its results and its calls', () => {
  let checked = 0;
  for (const { name, raw, ledger } of cases) {
    const tools = new Map<string, string>();
    for (const line of raw.lines.values())
      for (const block of blocksIn(line)) if (block.type === 'tool_use') tools.set(block.id ?? '', block.name ?? '');
    for (const slice of ledger.slices) {
      if (slice.name === null || slice.free === null || !['output', 'files', 'calls'].includes(slice.kind)) continue;
      for (const number of linesOf(slice)) {
        checked++;
        const blocks = blocksIn(raw.lines.get(number) ?? {});
        const names = blocks.flatMap((block) =>
          slice.kind === 'calls' ? (block.name ?? []) : (tools.get(block.tool_use_id ?? '') ?? []),
        );
        assert.ok(names.includes(slice.name), `${name} ${slice.kind} ${slice.name} line ${number}`);
      }
    }
  }
  assert.ok(checked >= 1_000, String(checked));
});

test('the estimate before anchoring is close to the next count', (context) => {
  const errors = cases.flatMap(({ session, ledger }) =>
    ledger.turns.flatMap(({ turn, tokens }) => {
      if (tokens === null) return [];
      const then = contextLedger(session, { turn });
      // The first request has nothing to start from: its system prompt is not known.
      return then.request?.line === firstRequest(then) ? [] : [Math.abs(then.estimatedTokens / tokens - 1)];
    }),
  );
  report(context, 'one request ahead', errors);
  assert.ok(errors.length >= 60 && quantile(errors, 0.5) <= 0.005 && quantile(errors, 0.9) <= 0.03);
});

test('with the first count alone, the last request is estimated within a few per cent', (context) => {
  const all: number[] = [];
  const recorded: number[] = [];
  for (const { session, ledger } of cases) {
    const { tokens } = contextLedger(session, { onlyFirstCount: true });
    const missing = total(ledger.slices.filter(({ kind, isRecorded }) => !isRecorded && kind !== 'system'));
    all.push(Math.abs(tokens / ledger.tokens - 1));
    recorded.push(Math.abs(tokens / (ledger.tokens - missing) - 1));
  }
  report(context, 'all of the request', all);
  report(context, 'what the transcript holds', recorded);
  assert.ok(quantile(all, 0.5) <= 0.02 && quantile(all, 0.9) <= 0.15);
  assert.ok(quantile(recorded, 0.5) <= 0.01 && quantile(recorded, 0.9) <= 0.05);
});

function total(slices: readonly ContextSlice[]): number {
  return slices.reduce((sum, { tokens }) => sum + tokens, 0);
}

function linesOf({ lines }: ContextSlice): readonly number[] {
  return lines.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
}

/** By the links of the raw lines, up to the last compaction. */
function linesAbove(lines: ReadonlyMap<number, RawLine>, below: number): readonly number[] {
  const byUuid = new Map([...lines].map(([number, line]) => [line.uuid, number] as const));
  const above: number[] = [];
  const seen = new Set<number>();
  let number = byUuid.get(lines.get(below)?.parentUuid ?? '');
  while (number !== undefined && !seen.has(number)) {
    const line = lines.get(number);
    seen.add(number);
    above.push(number);
    if (line?.subtype === 'compact_boundary' || line?.isCompactSummary === true) break;
    number = byUuid.get(line?.parentUuid ?? '');
  }
  return above;
}

/** The system prompt is the remainder of the first count. */
function firstRequest({ slices }: ContextLedger): number | undefined {
  return slices.find(({ kind, isRecorded }) => kind === 'system' && !isRecorded)?.lines[0]?.[0];
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;
}

function report(context: { diagnostic(message: string): void }, what: string, errors: readonly number[]): void {
  const [half, most] = [quantile(errors, 0.5), quantile(errors, 0.9)].map((value) => `${(value * 100).toFixed(2)} %`);
  context.diagnostic(`${what}: ${errors.length} estimates, median ${half}, p90 ${most}`);
}
