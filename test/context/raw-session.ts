// A transcript as plain JSON, read without Clew: what the API counted, and which lines hang on which.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { corpusFolder } from '../support/corpus.ts';

interface RawUsage {
  readonly input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
}

interface RawBlock {
  readonly type?: string;
  readonly id?: string;
  readonly name?: string;
  readonly tool_use_id?: string;
}

export interface RawLine {
  readonly type?: string;
  readonly subtype?: string;
  readonly uuid?: string;
  readonly parentUuid?: string | null;
  readonly isSidechain?: boolean;
  readonly isCompactSummary?: boolean;
  readonly message?: {
    readonly id?: string;
    readonly model?: string;
    readonly usage?: RawUsage;
    readonly content?: string | readonly RawBlock[];
  };
}

export interface RawSession {
  /** By line, from 1. */
  readonly lines: ReadonlyMap<number, RawLine>;
  /** How many answers have a count. */
  readonly answers: number;
  /** What the API counted for the last of them. */
  readonly lastCount: number;
}

export function readRaw(file: string): RawSession {
  const lines = new Map<number, RawLine>();
  const ids = new Set<string | undefined>();
  let lastCount = 0;
  for (const [i, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    let line: RawLine;
    try {
      line = JSON.parse(text);
    } catch {
      continue;
    }
    lines.set(i + 1, line);
    const count = countOf(line);
    if (count === 0) continue;
    ids.add(line.message?.id);
    lastCount = count;
  }
  return { lines, answers: ids.size, lastCount };
}

export function countOf({ type, message }: RawLine): number {
  const usage = message?.usage;
  if (type !== 'assistant' || usage === undefined || message?.model === '<synthetic>') return 0;
  return (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
}

export function blocksIn({ message }: RawLine): readonly RawBlock[] {
  const content = message?.content;
  return typeof content === 'string' || content === undefined ? [] : content;
}

/** Made by hand for tests of other projects, with invented counts or missing parents. */
const madeByHand = /test_data\/(?:sidechain|dedup_|dag_|edge_cases|todowrite|representative)/;
/** Ends in a summary without an answer: a new beginning in the format of 1.0. */
const unanswered = /71c9afe9-d9cc-4583-86b3-e62ba682b83a/;

export interface RealSession {
  /** Below the published transcripts. */
  readonly name: string;
  readonly file: string;
  readonly raw: RawSession;
}

/** Published transcripts of a real model: at least two answers, with counts that a system prompt can have. */
export function realSessions(): readonly RealSession[] {
  const root = path.join(corpusFolder, 'corpus/public');
  return (readdirSync(root, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.jsonl') && !madeByHand.test(name) && !unanswered.test(name))
    .sort()
    .map((name) => ({ name, file: path.join(root, name), raw: readRaw(path.join(root, name)) }))
    .filter(({ raw }) => raw.answers >= 2 && raw.lastCount >= 8_000);
}
