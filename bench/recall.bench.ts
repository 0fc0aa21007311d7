// How often a question finds the exchange that answers it: our ranking, FTS5 as it comes, the search by line and ripgrep, on the
// questions of test/recall; and how many tokens an answered question costs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findExchanges } from '../src/library/exchanges/recall.ts';
import { updateRows } from '../src/library/index/indexer.ts';
import { openIndex } from '../src/library/index/schema.ts';
import { updateText } from '../src/library/search/text-indexer.ts';
import { Memory } from '../src/memory/answers/memory.ts';
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
await printTokens();
rmSync(folder, { recursive: true });

/** What an agent spends that searches and reads the first right hit, with the default budgets. */
async function printTokens(): Promise<void> {
  const memory = new Memory({ roots: [root], state: folder, env: {}, ancestors: [], isAllProjects: true, folders: [] });
  const spent: number[] = [];
  for (const { question, answers } of questions) {
    const found = await memory.search({ query: question, limit: 5 });
    const hit = [...found.matchAll(/^(clew:(\S+?)#(\S+)) /gm)].find(([, , session = '', turn = '']) =>
      answers.some(({ session: id, prompt }) =>
        prompt === undefined ? id.startsWith(session) : prompt.startsWith(turn),
      ),
    );
    if (hit?.[1] === undefined) continue;
    const read = await memory.read({ reference: hit[1], tokens: 1000, include: ['prompt', 'answer', 'calls'] });
    spent.push(tokensIn(found) + tokensIn(read));
  }
  await memory.close();
  spent.sort((a, b) => a - b);
  const at = (share: number): number => spent[Math.floor((spent.length - 1) * share)] ?? Number.NaN;
  const mean = Math.round(spent.reduce((sum, tokens) => sum + tokens, 0) / spent.length);
  console.log(
    `\ntokens per answered question (one search, one read): mean ${mean}, median ${at(0.5)}, 95 % below ${at(0.95)}`,
  );
  console.log(`answered: ${spent.length} of ${questions.length}`);
}

/** The last line of an answer. */
function tokensIn(answer: string): number {
  return Number(/\((\d+) tokens\)$/.exec(answer)?.[1]);
}
