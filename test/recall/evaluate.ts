// The evaluation set: questions with known answers, and how early a ranking has one of them.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Database } from '../../src/library/index/index.ts';
import { projectRoot } from '../support/paths.ts';

/** An exchange: by its prompt, or by its transcript where it has none. */
export interface Answer {
  readonly session: string;
  readonly prompt?: string;
  readonly transcript?: string;
}

export interface EvaluationQuestion {
  readonly id: string;
  readonly kind: string;
  readonly question: string;
  /** Each of them answers it. */
  readonly answers: readonly Answer[];
}

export function readQuestions(): readonly EvaluationQuestion[] {
  return JSON.parse(readFileSync(path.join(projectRoot, 'test/recall/questions.json'), 'utf8'));
}

/** Weights were chosen by the first half only. */
export function isHeldOut({ question }: EvaluationQuestion): boolean {
  return (createHash('sha256').update(question).digest()[0] ?? 0) % 2 === 1;
}

/** What a ranking returns: the file and the line of the prompt, as the index has them. */
export interface ExchangeKey {
  readonly file: number;
  readonly line: number;
}

/** Whether an exchange of the index is one of the answers. */
export function answerCheck(database: Database): (key: ExchangeKey, answers: readonly Answer[]) => boolean {
  const names = new Map<string, Answer>();
  return ({ file, line }, answers) => {
    const key = `${file} ${line}`;
    const known = names.get(key) ?? nameOf(database, { file, line });
    names.set(key, known);
    return answers.some((answer) => isSame(answer, known));
  };
}

/** A fork repeats the prompts of another session with their ids. */
function isSame(answer: Answer, found: Answer): boolean {
  if (answer.prompt === undefined) return answer.session === found.session && answer.transcript === found.transcript;
  const isUnique = /^[0-9a-f-]{36}$/.test(answer.prompt);
  return answer.prompt === found.prompt && (isUnique || answer.session === found.session);
}

function nameOf(database: Database, { file, line }: ExchangeKey): Answer {
  const row = database
    .prepare(
      `SELECT s.session_id, f.path, p.uuid FROM files f JOIN sessions s ON s.id = f.session
       LEFT JOIN prompts p ON p.file = f.id AND p.line = ? WHERE f.id = ?`,
    )
    .get(line, file);
  const session = String(row?.session_id);
  return typeof row?.uuid === 'string'
    ? { session, prompt: row.uuid }
    : { session, transcript: path.basename(String(row?.path)) };
}

export interface Scores {
  readonly questions: number;
  /** How many have an answer first, and among the first five and ten. */
  readonly at1: number;
  readonly at5: number;
  readonly at10: number;
  /** The mean of one over the place of the first answer. */
  readonly mrr: number;
}

/** `places`: of the first answer, from 1; 0 where there is none. */
export function scoresOf(places: readonly number[]): Scores {
  const within = (most: number): number => places.filter((place) => place > 0 && place <= most).length;
  const mrr = places.reduce((sum, place) => sum + (place > 0 ? 1 / place : 0), 0) / Math.max(1, places.length);
  return { questions: places.length, at1: within(1), at5: within(5), at10: within(10), mrr };
}

export function placeOfAnswer(
  ranked: readonly ExchangeKey[],
  { answers }: EvaluationQuestion,
  isAnswer: (key: ExchangeKey, answers: readonly Answer[]) => boolean,
): number {
  return 1 + ranked.findIndex((key) => isAnswer(key, answers));
}
