// What holds for every transcript, however its lines hang together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { usageLinesOf } from '../../src/session/facts/session-usage.ts';
import { summarise } from '../../src/session/facts/summary.ts';
import { findReplayed } from '../../src/session/graph/replay.ts';
import { compactionsOf } from '../../src/session/load/compaction.ts';
import type { Session } from '../../src/session/load/session.ts';
import { isMessage, type Node } from '../../src/session/transcript/node.ts';
import { findQueuedPrompts } from '../../src/session/turns/queue.ts';
import { messagesOf, turnsOf } from '../../src/session/turns/turns.ts';
import { countUsage } from '../../src/session/usage/usage.ts';
import { fuzzRuns } from '../support/fuzz-runs.ts';
import { randomTranscript } from '../support/random-transcript.ts';

const runs = { numRuns: fuzzRuns(1500) };

test('every message line of the conversation is on exactly one branch, or a side line of one', () => {
  fc.assert(
    fc.property(randomTranscript, (builder) => {
      const session = builder.session();
      const shown = session.branches.flatMap((branch) => [...branch.nodes, ...[...branch.sideLines.values()].flat()]);
      assert.equal(new Set(shown).size, shown.length, 'a line is shown twice');
      const wanted = session.transcript.nodes.filter(
        (node) => isMessage(node) && (session.isAgent || !node.isSidechain) && !session.graph.isReplaced(node),
      );
      const all = new Set(shown);
      assert.deepEqual(
        wanted.filter((node) => !all.has(node)).map((node) => node.uuid),
        [],
      );
    }),
    runs,
  );
});

test('a branch is one way through the graph, which ends at its leaf', () => {
  fc.assert(
    fc.property(randomTranscript, (builder) => {
      const { branches, graph } = builder.session();
      for (const { nodes, fork, leaf } of branches) {
        assert.deepEqual(
          nodes.map((node) => graph.parentOf(node)),
          [fork, ...nodes.slice(0, -1)],
        );
        assert.equal(nodes.at(-1), leaf);
      }
      assert.deepEqual(
        branches.map((branch) => branch.active),
        branches.map((_, i) => i === 0),
      );
    }),
    runs,
  );
});

test('every line of a branch is in exactly one turn, unless it is a copy', () => {
  fc.assert(
    fc.property(randomTranscript, (builder) => {
      const session = builder.session();
      for (const branch of session.branches) {
        const copies = findReplayed(session.transcript, branch.nodes);
        const kept = branch.nodes.filter((node) => !copies.has(node));
        const wanted = kept.flatMap((node) => [node, ...(branch.sideLines.get(node) ?? [])]);
        const turns = turnsOf(session, branch);
        assert.deepEqual(
          turns.flatMap((turn) => turn.nodes),
          wanted,
        );
        for (const turn of turns) {
          const lines = messagesOf(turn).flatMap((message) => message.nodes);
          assert.deepEqual(new Set(lines), new Set(turn.nodes.filter(isMessage)));
        }
      }
    }),
    runs,
  );
});

test('titles, counts, compactions and queues are found in any transcript', () => {
  fc.assert(
    fc.property(randomTranscript, (builder) => {
      const session = builder.session();
      const { nodes } = session.transcript;
      summarise(session);
      const compactions = compactionsOf(session).flatMap(({ boundary, summary }) => [boundary ?? [], summary ?? []]);
      const parts = compactions.flat();
      assert.equal(new Set(parts).size, parts.length);
      const queued = findQueuedPrompts(nodes, (node) => session.transcript.read(node));
      assert.equal(queued.length, nodes.filter((node) => isEnqueue(session, node)).length);
      const withUsage = nodes.filter((node) => node.type === 'assistant' && node.message?.usage !== undefined);
      const { messages, dropped } = countUsage(usageLinesOf(session));
      assert.equal(messages.length + dropped.length, withUsage.length);
    }),
    runs,
  );
});

function isEnqueue(session: Session, node: Node): boolean {
  return node.type === 'queue-operation' && session.transcript.read(node).operation === 'enqueue';
}
