// Counted messages → the prompts that cost the most: in the main transcript the prompt before the message, for a
// sub-agent's the one that was running at the time.

import { parseJson } from '../../../base/json/index.ts';
import { asEntry, contentOf } from '../../../format/entry/index.ts';
import type { Database } from '../../../library/index/index.ts';
import type { PricedMessage } from '../../../library/usage/index.ts';
import { promptText } from '../../../session/transcript/index.ts';
import { readLineBatches } from '../../../store/index.ts';

/** The cost of some messages, as far as they have a price. */
export interface PricedPart {
  readonly costMicroUsd: number;
  readonly messages: number;
  readonly unpricedMessages: number;
}

export type PricedSum = { -readonly [K in keyof PricedPart]: PricedPart[K] };

export function newSum(): PricedSum {
  return { costMicroUsd: 0, messages: 0, unpricedMessages: 0 };
}

export function addTo(sum: PricedSum, costMicroUsd: number | undefined): void {
  sum.messages++;
  if (costMicroUsd === undefined) sum.unpricedMessages++;
  else sum.costMicroUsd += costMicroUsd;
}

export interface ExpensiveTurn extends PricedPart {
  /** Of the main transcript. */
  readonly path: string;
  readonly line: number;
  readonly prompt: string;
  readonly time: number | null;
}

interface Prompt {
  readonly line: number;
  readonly time: number;
}

const promptChars = 300;

export function expensiveTurns(
  database: Database,
  messages: readonly PricedMessage[],
  count: number,
): readonly ExpensiveTurn[] {
  const prompts = promptsByFile(database);
  const turns = new Map<string, PricedSum & { path: string; prompt: Prompt }>();
  for (const { line, session, costMicroUsd } of messages) {
    const own = prompts.get(session.path) ?? [];
    const isMain = line.file === session.path;
    const prompt = lastBefore(own, (each) => (isMain ? each.line <= line.line : each.time <= line.time));
    if (prompt === undefined) continue;
    const key = `${session.path}\n${prompt.line}`;
    const turn = turns.get(key) ?? { path: session.path, prompt, ...newSum() };
    turns.set(key, turn);
    addTo(turn, costMicroUsd);
  }
  const dearest = [...turns.values()].sort((a, b) => b.costMicroUsd - a.costMicroUsd).slice(0, count);
  return dearest.map(({ path, prompt, ...sums }) => ({
    path,
    line: prompt.line,
    prompt: promptAt(path, prompt.line),
    time: Number.isNaN(prompt.time) ? null : prompt.time,
    ...sums,
  }));
}

function promptsByFile(database: Database): ReadonlyMap<string, readonly Prompt[]> {
  const prompts = new Map<string, Prompt[]>();
  for (const row of database.prepare(promptRows).all()) {
    const path = String(row.path);
    const own = prompts.get(path) ?? [];
    if (own.length === 0) prompts.set(path, own);
    own.push({ line: Number(row.line), time: row.time === null ? Number.NaN : Number(row.time) });
  }
  return prompts;
}

const promptRows = `
SELECT f.path, p.line, p.time FROM prompts p JOIN files f ON f.id = p.file WHERE f.agent_id IS NULL ORDER BY p.file, p.line`;

/** The list is in order, as far as clocks are correct. */
function lastBefore(prompts: readonly Prompt[], isBefore: (prompt: Prompt) => boolean): Prompt | undefined {
  let [from, to] = [0, prompts.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBefore(prompts[middle] as Prompt))
      from = middle + 1; // middle is in range
    else to = middle;
  }
  return prompts[from - 1];
}

function promptAt(path: string, line: number): string {
  try {
    for (const batch of readLineBatches(path))
      for (const { number, bytes } of batch)
        if (number === line) {
          const entry = asEntry(parseJson(bytes.toString('utf8')));
          const text = entry === undefined ? '' : promptText(contentOf(entry));
          return text
            .slice(0, promptChars * 4)
            .replace(/\s+/g, ' ')
            .trim()
            .slice(0, promptChars)
            .toWellFormed();
        }
  } catch {
    // The file was deleted after it was indexed: the numbers stay.
  }
  return '';
}
