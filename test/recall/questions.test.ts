// The evaluation set is honest: its answers exist, its questions do not repeat their text, and no kind of question dominates.
// And the ranking finds them: the floors are what it reached when they were written, minus a little for other changes.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { tokensOf } from '../../src/base/text/index.ts';
import { findExchanges } from '../../src/library/exchanges/recall.ts';
import { updateRows } from '../../src/library/index/indexer.ts';
import { openIndexInMemory } from '../../src/library/index/schema.ts';
import { updateText } from '../../src/library/search/text-indexer.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { type Answer, answerCheck, isHeldOut, placeOfAnswer, readQuestions, scoresOf } from './evaluate.ts';
import { makeRecallRoot, rawExchanges } from './library.ts';

const nowMs = Date.parse('2026-11-01T00:00:00Z');

test('ids and questions are unique, kinds are mixed, both halves are large', () => {
  const questions = readQuestions();
  assert.ok(questions.length >= 200);
  assert.equal(new Set(questions.map(({ id }) => id)).size, questions.length);
  assert.equal(new Set(questions.map(({ question }) => question.toLowerCase())).size, questions.length);
  const counts = new Map<string, number>();
  for (const { kind } of questions) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  assert.ok(counts.size >= 8);
  for (const [kind, count] of counts) assert.ok(count >= 10 && count <= questions.length * 0.3, `${kind}: ${count}`);
  const heldOut = questions.filter(isHeldOut).length;
  assert.ok(Math.min(heldOut, questions.length - heldOut) >= 100);
});

test('every answer exists, and no question repeats more than five words of it', () => {
  const exchanges = rawExchanges();
  for (const { id, question, answers } of readQuestions()) {
    assert.ok(answers.length > 0, id);
    const runs = runsOf(question, 6);
    for (const answer of answers) {
      const text = exchanges.get(keyOf(answer));
      assert.ok(text !== undefined, `${id}: ${JSON.stringify(answer)}`);
      const words = ` ${wordsOf(text).join(' ')} `;
      assert.deepEqual(
        runs.filter((run) => words.includes(` ${run} `)),
        [],
        id,
      );
    }
  }
});

test('the ranking finds the answers: R@1 and R@10 of both halves', (context) => {
  const root = makeRecallRoot(path.join(temporaryFolder(context), 'root'));
  const database = openIndexInMemory();
  updateRows(database, { roots: [root] });
  updateText(database, { roots: [root] });
  const isAnswer = answerCheck(database);
  const placed = readQuestions().map((question) => {
    const { found } = findExchanges(database, { text: question.question, limit: 10, nowMs });
    return { question, place: placeOfAnswer(found, question, isAnswer) };
  });
  database.close();
  const halves = [
    placed.filter((each) => !isHeldOut(each.question)),
    placed.filter((each) => isHeldOut(each.question)),
  ];
  for (const half of halves) {
    const { questions, at1, at10 } = scoresOf(half.map(({ place }) => place));
    assert.ok(at1 / questions >= 0.78, `R@1: ${at1} of ${questions}`);
    assert.ok(at10 / questions >= 0.95, `R@10: ${at10} of ${questions}`);
  }
});

function keyOf({ session, prompt, transcript }: Answer): string {
  return `${session} ${prompt ?? transcript}`;
}

function wordsOf(text: string): readonly string[] {
  return [...tokensOf(text)].map(({ word }) => word);
}

function runsOf(text: string, length: number): readonly string[] {
  const words = wordsOf(text);
  return words.slice(0, Math.max(0, words.length - length + 1)).map((_, i) => words.slice(i, i + length).join(' '));
}
