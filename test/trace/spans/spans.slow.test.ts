// The spans of all transcripts of the corpora: each once, in a tree, with the tokens that the counting rule counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionUsage } from '../../../src/session/facts/session-usage.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import type { TraceSpan } from '../../../src/trace/span/span.ts';
import { allSpansOf, corpusTranscripts } from '../trace-kit.ts';

test('over the corpora, every span is there once, below one that exists, and tokens add up to the counting rule', async () => {
  let counted = 0;
  for (const file of corpusTranscripts()) {
    const session = await loadSession(file);
    // Not main transcripts: all they have is a sub-agent's.
    if (session.transcript.nodes.every((node) => node.isSidechain || node.message === undefined)) continue;
    const spans = await allSpansOf(file);
    const ids = new Set(spans.map((span) => span.spanId));
    assert.equal(ids.size, spans.length, file);
    assert.ok(
      spans.every(({ parentSpanId }) => parentSpanId === undefined || ids.has(parentSpanId)),
      file,
    );
    const expected = sessionUsage(session);
    assert.deepEqual(
      tokensOf(spans),
      [
        expected.inputTokens,
        expected.outputTokens,
        expected.cacheReadTokens,
        expected.cacheWrite5mTokens,
        expected.cacheWrite1hTokens,
      ],
      file,
    );
    counted += expected.messages;
  }
  assert.ok(counted > 1000);
});

function tokensOf(spans: readonly TraceSpan[]): readonly number[] {
  const sum = [0, 0, 0, 0, 0];
  for (const { detail } of spans) {
    const usage = detail.kind === 'generation' ? detail.usage : undefined;
    const written = (usage?.cacheWrite5mTokens ?? 0) + (usage?.cacheWriteTokens ?? 0);
    const own = [usage?.inputTokens, usage?.outputTokens, usage?.cacheReadTokens, written, usage?.cacheWrite1hTokens];
    own.forEach((tokens, i) => {
      sum[i] = (sum[i] ?? 0) + (tokens ?? 0);
    });
  }
  return sum;
}
