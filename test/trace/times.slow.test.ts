// Over all corpora and all profiles, as a live hook sends them: every span lies between the times of its lines. The
// expected times come from the raw JSON (raw-times.ts).
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { listBatches, openBatch } from '../../src/trace/outbox/outbox.ts';
import { traceSession } from '../../src/trace/session/trace-session.ts';
import type { TraceSpan } from '../../src/trace/span/span.ts';
import { sessionSpans } from '../../src/trace/spans/session-spans.ts';
import { shareOf } from '../support/fuzz-runs.ts';
import { writeTree } from '../support/temp-folder.ts';
import { contextFor, homeFor, traceEnv } from '../support/trace-kit.ts';
import { type ReceivedSpan, spansIn } from '../support/trace-receiver.ts';
import { type RawSession, type RawTimes, readRawSession } from './raw-times.ts';
import { corpusTranscripts } from './trace-kit.ts';

const profiles = ['langfuse', 'genai', 'openinference'] as const;
const slackMs = 1_000;
/** CI reads one transcript in so many. */
const shares = 3;

test('every span lies between its lines, and no generation takes no time or more time than its lines', async (context) => {
  const counts = { spans: 0, generations: 0, tools: 0 };
  for (const file of shareOf(corpusTranscripts(), 0, shares)) {
    const raw = readRawSession(file);
    const details = new Map((await sessionSpans(file)).map((span) => [span.spanId, span]));
    for (const [profile, spans] of Object.entries(await spooled(context, file))) {
      assert.equal(spans.length, details.size, `${profile} ${file}`);
      for (const span of spans) {
        const detail = details.get(span.spanId);
        assert.ok(detail !== undefined, `${profile} ${file}: the span ${span.spanId} is known`);
        check(span, detail, raw, spansBelow(detail, details), `${profile} ${file} ${detail.kind} ${span.spanId}`);
        counts.spans++;
        if (detail.kind === 'generation') counts.generations++;
        if (detail.kind === 'tool') counts.tools++;
      }
    }
  }
  // One third of three times what the corpora hold; three times that with CLEW_LONG=1.
  assert.ok(counts.generations > 1000 && counts.tools > 500, JSON.stringify(counts));
});

function check(
  { startMs, endMs }: ReceivedSpan,
  span: TraceSpan,
  raw: RawSession,
  below: readonly TraceSpan[],
  name: string,
): void {
  const found = [span, ...below].map((each) => linesOf(each, raw));
  const known = found.flatMap((each) => [...each.own, ...each.causes]);
  // Lines without an id cannot be distinguished. A session without any time is of 1970.
  const times = known.length > 0 ? known : raw.times.length > 0 ? raw.times : [0];
  const [low, high] = [Math.min(...times), Math.max(...times)];
  const shown = `${name}: ${startMs} to ${endMs}, lines ${low} to ${high}`;
  assert.ok(startMs <= endMs, shown);
  // Between the prompt of a turn and its first answer there may be other lines, such as the output of a local command.
  const isPrompt = span.kind === 'turn' && raw.inputs.has(startMs) && startMs <= low;
  assert.ok(isPrompt || startMs >= low - slackMs, shown);
  assert.ok(endMs <= high + slackMs, shown);
  const { own, causes } = linesOf(span, raw);
  const last = own.at(-1);
  if (span.detail.kind !== 'generation') return;
  if (last === undefined) return void assert.ok(hasNoLines(span.detail.messageId, raw), `${shown}: it has no lines`);
  assert.ok(endMs <= last + slackMs, `${shown}: it ends with its own last line`);
  const differ = [...own, ...causes.filter((cause) => cause <= (own[0] ?? cause))].some((time) => time < last);
  assert.equal(endMs > startMs, differ, `${shown}: ${JSON.stringify({ own, causes })}`);
}

function hasNoLines(messageId: string | undefined, raw: RawSession): boolean {
  return messageId === undefined || raw.untimed.has(messageId);
}

function linesOf({ detail }: TraceSpan, raw: RawSession): RawTimes {
  const none = { own: [], causes: [] };
  if (detail.kind === 'generation') return raw.responses.get(detail.messageId ?? '') ?? none;
  return detail.kind === 'tool' ? (raw.calls.get(detail.toolUseId) ?? none) : none;
}

/** For turns and sub-agents: the generations and calls they are made of. */
function spansBelow(span: TraceSpan, all: ReadonlyMap<string, TraceSpan>): readonly TraceSpan[] {
  if (span.kind === 'generation' || span.kind === 'tool') return [];
  const children = [...all.values()].filter(({ parentSpanId }) => parentSpanId === span.spanId);
  const calls = [...all.values()].filter((each) => children.some(({ spanId }) => spanId === each.parentSpanId));
  return [...children, ...calls.filter(({ kind }) => kind === 'tool')];
}

/** What a live hook puts into the outbox of each profile. */
async function spooled(context: TestContext, file: string): Promise<Record<string, readonly ReceivedSpan[]>> {
  const home = homeFor(context);
  const destinations = profiles.map((profile) => ({
    name: profile,
    profile,
    endpoint: 'http://127.0.0.1:9',
    format: 'json',
    redact: false,
  }));
  writeTree(home, { 'clew/trace.json': JSON.stringify({ destinations }) });
  const { CLEW_TRACE_ENDPOINT: _endpoint, CLEW_TRACE_PROFILE: _profile, ...env } = traceEnv(home, '');
  const tracer = contextFor(env);
  const sessionId = path.basename(file, '.jsonl');
  await traceSession({ file, sessionId, atEnd: 'session', endMs: Date.now(), fromStart: true }, tracer);
  const found: Record<string, readonly ReceivedSpan[]> = {};
  for (const profile of profiles) {
    found[profile] = listBatches(tracer.places, profile, 'ready').flatMap((name) => {
      const batch = openBatch(tracer.places, profile, name, 'ready');
      assert.ok(batch !== undefined);
      return spansIn(gunzipSync(batch.body));
    });
  }
  return found;
}
