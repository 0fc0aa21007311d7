// Every reference that a search returns can be read: over the published sessions, which include sub-agents without their
// session, sessions of one name in several folders, and transcripts whose lines name no parents.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { Memory } from '../../src/memory/answers/memory.ts';
import { readQuestions } from '../recall/evaluate.ts';
import { makeRecallRoot } from '../recall/library.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

test('every reference of a search can be read, and reads the text that was found', async (context) => {
  const folder = temporaryFolder(context);
  const root = makeRecallRoot(path.join(folder, 'root'));
  const places = { roots: [root], state: path.join(folder, 'state'), ancestors: [], folders: [] };
  const memory = new Memory({ ...places, env: {}, isAllProjects: true });
  context.after(() => memory.close());
  const references = new Set<string>();
  for (const { question } of readQuestions()) {
    const answer = await memory.search({ query: question, limit: 8 });
    for (const [, reference = ''] of answer.matchAll(/^(clew:\S+) /gm)) references.add(reference);
  }
  const problems: string[] = [];
  for (const reference of references) {
    const read = await memory
      .read({ reference, tokens: 400, include: ['prompt', 'answer', 'calls', 'output'] })
      .catch((error: Error) => error.message);
    if (!/^\| \S/m.test(read)) problems.push(`${reference}: ${read}`);
  }
  // Three published files are a single result without its call: their turn has nothing to show.
  assert.deepEqual(
    problems.map((problem) => problem.split(':', 2)[1]),
    ['KillShell', 'MultiEdit', 'Read'].map((name) => `${name}-tool_result_error#L1`),
  );
  assert.ok(references.size > 150, `only ${references.size} references`);
  assert.ok([...references].some((reference) => reference.includes('#agent-')));
});
