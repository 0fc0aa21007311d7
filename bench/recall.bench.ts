// How often a question finds the exchange that answers it: our ranking, FTS5 as it comes, the search by line and ripgrep, on the
// questions of test/recall; and how many tokens an answered question costs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findExchanges } from '../src/library/exchanges/recall.ts';
import { updateRows } from '../src/library/index/indexer.ts';
import { openIndex } from '../src/library/index/schema.ts';
import { updateText } from '../src/library/search/text-indexer.ts';
import { byLine, byRipgrep, plainFts, type Ranker } from '../test/recall/baselines.ts';
import { answerCheck, isHeldOut, placeOfAnswer, readQuestions, scoresOf } from '../test/recall/evaluate.ts';
import { makeRecallRoot } from '../test/recall/library.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'clew-recall-'));
const root = makeRecallRoot(path.join(folder, 'root'));
const database = openIndex({ folder });
updateRows(database, { roots: [root] });
updateText(database, { roots: [root] });
const questions = readQuestions();
const isAnswer = answerCheck(database);
const rankers: Readonly<Record<string, Ranker>> = {
  clew: (text) => findExchanges(database, { text, limit: 10 }).found,
  'plain FTS5': plainFts(database, 'everything'),
  'plain FTS5 of our fields': plainFts(database, 'fields'),
  'lines, all words': byLine(database, 'AND'),
  'lines, any word': byLine(database, 'OR'),
  ripgrep: byRipgrep(database, root),
};
const halves = { all: () => true, tuning: (q: (typeof questions)[number]) => !isHeldOut(q), 'held out': isHeldOut };
const table: Record<string, number[]> = {};
for (const [name, rank] of Object.entries(rankers))
  table[name] = questions.map((question) => placeOfAnswer(rank(question.question), question, isAnswer));
for (const [half, isIn] of Object.entries(halves)) {
  console.log(`\n${half}: ${questions.filter(isIn).length} questions`.padEnd(30), '  R@1    R@5   R@10    MRR');
  for (const [name, places] of Object.entries(table)) {
    const { questions: count, at1, at5, at10, mrr } = scoresOf(places.filter((_, i) => isIn(questions[i] as never)));
    const shares = [at1 / count, at5 / count, at10 / count, mrr].map((share) => share.toFixed(3).padStart(6));
    console.log(name.padEnd(28), shares.join(' '));
  }
}
database.close();
rmSync(folder, { recursive: true });
