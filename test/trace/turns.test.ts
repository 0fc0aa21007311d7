// The turns of a trace are those that every other command shows: over all corpora the trace and `turnsOf` put each
// message under the same prompt. Where they do not, the table says why.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { loadSession } from '../../src/session/load/session.ts';
import { messagesOf, turnsOf } from '../../src/session/turns/turns.ts';
import { readTurns } from '../../src/trace/read/cursor.ts';
import { corpusFolder } from '../support/corpus.ts';
import { corpusTranscripts } from './trace-kit.ts';

/** The lines name no parents, so that each line is a branch of its own; the trace goes by the order of the file. */
const noParents = [
  'daaain__claude-code-log/test/test_data/edge_cases.jsonl',
  'daaain__claude-code-log/test/test_data/representative_messages.jsonl',
  'daaain__claude-code-log/test/test_data/session_b.jsonl',
  'handgemacht-ai__claude-code-log/test/test_data/edge_cases.jsonl',
  'handgemacht-ai__claude-code-log/test/test_data/representative_messages.jsonl',
  'handgemacht-ai__claude-code-log/test/test_data/session_b.jsonl',
  'jazzyalex__agent-sessions/Resources/Fixtures/stage0/agents/claude/schema_drift.jsonl',
  'junhoyeo__tokscale/packages/core/__test__/fixtures/.claude/projects/test-project/conversation.jsonl',
  'simonw__claude-code-transcripts/tests/sample_session.jsonl',
];

/** What the trace has there, and why it differs. */
const explained: Readonly<Record<string, readonly string[]>> = {
  // A prompt with two answers in two branches: the second branch of `turnsOf` begins below the prompt, without it.
  'handgemacht-ai__claude-code-log/test/test_data/dag_fork.jsonl': ['a: b', 'c: d', 'f: g', 'i: j'],
  // The first history was written again below new uuids: branches of `turnsOf`, and in a trace nothing new.
  'moredip__session-share/session-viewer/test/INTEGRATION/fixtures/images-in-user-messages.jsonl': [
    '0c629afe-8d02-4f22-9dd6-c930c7776e1c: msg_01EY3aoeFXUXQzTPmjMLQLgU',
    '137c76c7-f0c9-4afd-adb2-b6d19cdafc15: msg_012ZxFhXi5dm37YF9J2sv4uV',
    'a9f65f98-8946-4219-9999-bd59340567ac: msg_01MmA58YwSSNuKjf2UrkbXTh',
  ],
  // All but one line are marked as a sub-agent's, and all uuids of the second half are the same text.
  'jazzyalex__agent-sessions/Resources/Fixtures/stage0/agents/claude/small.jsonl': [
    '-: [trimmed for fixture] msg_stage0_1',
  ],
};

test('over the corpora the turns of a trace are those of turnsOf', async () => {
  const different: Record<string, readonly string[]> = {};
  let turns = 0;
  for (const file of corpusTranscripts()) {
    const traced = tracedTurns(file);
    turns += traced.length;
    if (traced.join('\n') === (await shownTurns(file)).join('\n')) continue;
    different[path.relative(path.join(corpusFolder, 'corpus/public'), file)] = traced;
  }
  const withParents = Object.entries(different).filter(([file]) => !noParents.includes(file));
  assert.deepEqual(Object.fromEntries(withParents), explained);
  assert.deepEqual(Object.keys(different).sort(), [...noParents, ...Object.keys(explained)].sort());
  assert.ok(turns > 400, `${turns} turns`);
});

/** The uuid of each prompt, with the ids of the messages that answer it. */
function tracedTurns(file: string): readonly string[] {
  const found = new Map<string, Set<string>>();
  for (const { prompt, messages } of readTurns(file, undefined, { isOver: true }).turns)
    for (const { id } of messages) add(found, prompt?.uuid, id);
  return rows(found);
}

/** Of all branches: a trace has the answers that were rewound, too. */
async function shownTurns(file: string): Promise<readonly string[]> {
  const session = await loadSession(file);
  const found = new Map<string, Set<string>>();
  for (const branch of session.branches) {
    for (const turn of turnsOf(session, branch)) {
      for (const { role, id, nodes } of messagesOf(turn)) {
        if (role === 'user' || nodes.every((node) => node.isSidechain) || turn.continued.has(id ?? '')) continue;
        add(found, turn.prompt?.uuid, id);
      }
    }
  }
  return rows(found);
}

function add(found: Map<string, Set<string>>, prompt = '-', id = 'without an id'): void {
  found.set(prompt, (found.get(prompt) ?? new Set()).add(id));
}

function rows(found: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  return [...found].map(([prompt, ids]) => `${prompt}: ${[...ids].sort().join(' ')}`).sort();
}
