import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noUsage } from '../../../src/format/entry/usage.ts';
import { countUsage, totalUsage, type UsageLine } from '../../../src/session/usage/usage.ts';

let lines = 0;

function line(outputTokens: number, fields: Partial<UsageLine> = {}): UsageLine {
  return {
    file: 'main',
    line: ++lines,
    sessionId: 's1',
    uuid: undefined,
    isSidechain: false,
    messageId: 'm',
    requestId: 'r',
    model: 'claude-opus-4-5',
    stopReason: 'end_turn',
    time: 0,
    usage: { ...noUsage, inputTokens: 10, outputTokens },
    isCopy: false,
    ...fields,
  };
}

/** What was counted, as output tokens, and why each other line was not. */
function count(...all: readonly UsageLine[]): { counted: number[]; dropped: string[] } {
  const { messages, dropped } = countUsage(all);
  return {
    counted: messages.map((message) => message.usage.outputTokens),
    dropped: dropped.map(({ line: each, reason }) => `${each.usage.outputTokens} ${reason}`),
  };
}

test('zeros in a copy never count instead of the original, in whichever order they come', () => {
  const original = line(0);
  const copy = line(0, { file: 'copy', sessionId: 's2', usage: noUsage });
  for (const all of [
    [original, copy],
    [copy, original],
  ])
    assert.deepEqual(
      countUsage(all).messages.map(({ usage }) => usage),
      [original.usage],
    );
});

test('of the lines of a message one counts: the one with the most output, of equals the last', () => {
  assert.deepEqual(count(line(3), line(3), line(400)), {
    counted: [400],
    dropped: ['3 smaller-line', '3 smaller-line'],
  });
  assert.deepEqual(count(line(400), line(1)), { counted: [400], dropped: ['1 smaller-line'] });
  const equal = [line(7), line(7)];
  assert.equal(countUsage(equal).messages[0]?.line, equal[1]);
});

test('two requests of the main conversation with one message id are two responses', () => {
  assert.deepEqual(count(line(1), line(2, { requestId: 'r2' }), line(3), line(4, { requestId: 'r2' })), {
    counted: [3, 4],
    dropped: ['1 smaller-line', '2 smaller-line'],
  });
});

test('a line without request id belongs to the first response with its message id', () => {
  const none = { requestId: undefined };
  assert.deepEqual(count(line(1, none), line(2), line(3, none)), {
    counted: [3],
    dropped: ['1 smaller-line', '2 smaller-line'],
  });
});

test('a side chain that replays a message is the same message, whatever its request', () => {
  const side = { isSidechain: true, requestId: 'r2', file: 'agent' };
  assert.deepEqual(count(line(400), line(400, side)), { counted: [400], dropped: ['400 copy'] });
  assert.deepEqual(count(line(5, side), line(400)), { counted: [400], dropped: ['400 copy'] });
});

test('a message counts in the session that had it first', () => {
  const fork = { sessionId: 's2', file: 'fork' };
  const { messages, dropped } = countUsage([line(400), line(400, fork), line(100, { ...fork, messageId: 'n' })]);
  assert.deepEqual(
    messages.map((message) => [message.line.sessionId, message.usage.outputTokens]),
    [
      ['s1', 400],
      ['s2', 100],
    ],
  );
  assert.deepEqual(
    dropped.map(({ reason }) => reason),
    ['copy'],
  );
});

test('where a copy knows more, its usage counts in the place of the first', () => {
  const { messages } = countUsage([line(3, { stopReason: undefined }), line(400, { file: 'fork', sessionId: 's2' })]);
  assert.deepEqual(
    messages.map((message) => [message.line.file, message.usage.outputTokens, message.isLowerBound]),
    [['main', 400, false]],
  );
});

test('a message without an id is its own, but a copy of its line is not', () => {
  const none = { messageId: undefined, requestId: undefined };
  assert.deepEqual(count(line(1, none), line(2, none)).counted, [1, 2]);
  const named = { ...none, uuid: 'u' };
  assert.deepEqual(count(line(1, named), line(1, { ...named, file: 'fork' })), { counted: [1], dropped: ['1 copy'] });
});

test('what the client made itself costs nothing', () => {
  assert.deepEqual(count(line(5, { model: '<synthetic>' })), { counted: [], dropped: ['5 synthetic'] });
});

test('without a stop reason on any line the output is a lower bound', () => {
  const stub = { stopReason: undefined };
  const bounds = (...all: readonly UsageLine[]): boolean[] =>
    countUsage(all).messages.map((message) => message.isLowerBound);
  assert.deepEqual([bounds(line(3, stub), line(4, stub)), bounds(line(3, stub), line(4))], [[true], [false]]);
});

test('totals add up the counted messages, kinds of cache writes apart', () => {
  const usage = {
    ...noUsage,
    inputTokens: 1,
    outputTokens: 2,
    cacheReadTokens: 3,
    cacheWrite5mTokens: 4,
    cacheWrite1hTokens: 5,
  };
  const { messages } = countUsage([line(0, { usage }), line(0, { usage, messageId: 'n', stopReason: undefined })]);
  assert.deepEqual(totalUsage(messages), {
    inputTokens: 2,
    outputTokens: 4,
    cacheReadTokens: 6,
    cacheWrite5mTokens: 8,
    cacheWrite1hTokens: 10,
    messages: 2,
    outputIsLowerBound: true,
  });
  assert.equal(totalUsage([]).outputIsLowerBound, false);
});

test('every line is counted or dropped, and every message has a line', () => {
  const anyLine = fc
    .record({
      output: fc.nat(9),
      id: fc.constantFrom('m', 'n', undefined),
      request: fc.constantFrom('r', 's', 't', undefined),
      side: fc.boolean(),
      file: fc.constantFrom('main', 'agent', 'fork'),
      model: fc.constantFrom('claude-opus-4-5', '<synthetic>'),
    })
    .map(({ output, id, request, side, file, model }) =>
      line(output, { messageId: id, requestId: request, isSidechain: side, file, model }),
    );
  fc.assert(
    fc.property(fc.array(anyLine), (all) => {
      const { messages, dropped } = countUsage(all);
      const seen = [...messages.map((message) => message.line), ...dropped.map((each) => each.line)];
      assert.deepEqual(new Set(seen), new Set(all));
      assert.equal(seen.length, all.length);
      for (const { line: counted, usage } of messages) assert.ok(usage.outputTokens >= counted.usage.outputTokens);
    }),
  );
});

test('a gateway that gives every response the same id takes no more than linear time', () => {
  const all = Array.from({ length: 200_000 }, (_, i) => line(1, { requestId: `r${i}` }));
  assert.equal(countUsage(all).messages.length, 200_000);
});
