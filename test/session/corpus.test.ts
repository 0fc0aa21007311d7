// Every transcript of the corpora: nothing is lost between the file and the turns, and every token is counted
// or has a reason why not.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { sessionUsage, turnUsage, usageLinesOf } from '../../src/session/facts/session-usage.ts';
import { summarise } from '../../src/session/facts/summary.ts';
import { findReplayed } from '../../src/session/graph/replay.ts';
import { diagnosticsOf, loadAgent, loadSession, type Session } from '../../src/session/load/session.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { isMessage } from '../../src/session/transcript/node.ts';
import { loadTranscript } from '../../src/session/transcript/transcript.ts';
import { findQueuedPrompts } from '../../src/session/turns/queue.ts';
import { turnsOf } from '../../src/session/turns/turns.ts';
import { countUsage } from '../../src/session/usage/usage.ts';
import { corpusFolder } from '../support/corpus.ts';
import { filesBelow } from '../support/paths.ts';

for (const corpus of ['real', 'public'] as const) {
  const folder = path.join(corpusFolder, 'corpus', corpus);

  test(`every transcript of the ${corpus} corpus can be read, shown and resumed`, async () => {
    for (const file of filesBelow(folder, '.jsonl')) {
      const session = await loadSession(file);
      const name = path.relative(folder, file);
      assert.deepEqual(lostLines(session), [], name);
      const { messages, dropped } = countUsage(usageLinesOf(session));
      assert.equal(messages.length + dropped.length, linesWithUsage(session), name);
      for (const agent of session.agents) await loadAgent(session, agent);
      summarise(session);
      diagnosticsOf(session);
      requestMessages(session, 'next');
      findQueuedPrompts(session.transcript.nodes, (node) => session.transcript.read(node));
    }
  });

  test(`the turns of a session of the ${corpus} corpus add up to the session`, async () => {
    let compared = 0;
    for (const file of filesBelow(folder, '.jsonl')) {
      const session = await loadSession(file);
      const linked = session.agents.every((agent) => agent.toolUseId !== undefined);
      if (!linked || session.isAgent || session.branches.length !== 1) continue;
      const turns = turnsOf(session).map((turn) => turnUsage(session, turn));
      const sum = (pick: (usage: (typeof turns)[number]) => number): number =>
        turns.reduce((all, usage) => all + pick(usage), 0);
      const { messages, inputTokens, outputTokens } = sessionUsage(session);
      assert.deepEqual(
        [sum((usage) => usage.messages), sum((usage) => usage.inputTokens), sum((usage) => usage.outputTokens)],
        [messages, inputTokens, outputTokens],
        path.relative(folder, file),
      );
      compared++;
    }
    assert.ok(compared > 100, `${compared}`);
  });
}

/** Message lines that are in no turn of any branch, and are neither copies nor replaced. */
function lostLines(session: Session): number[] {
  const shown = new Set(session.branches.flatMap((branch) => turnsOf(session, branch).flatMap((turn) => turn.nodes)));
  const copies = new Set(session.branches.flatMap((branch) => [...findReplayed(session.transcript, branch.nodes)]));
  return session.transcript.nodes
    .filter((node) => isMessage(node) && (session.isAgent || !node.isSidechain) && !session.graph.isReplaced(node))
    .filter((node) => !shown.has(node) && !copies.has(node))
    .map((node) => node.line);
}

function linesWithUsage(session: Session): number {
  const files = [
    session.transcript,
    ...session.agents.flatMap(({ path: file }) => (file === undefined ? [] : loadTranscript(file))),
  ];
  return files
    .flatMap((transcript) => transcript.nodes)
    .filter((node) => node.type === 'assistant' && node.message?.usage !== undefined).length;
}
