// Words for the test of hits: a library of sessions of the corpora, and words that its files hold, taken from the raw JSON
// by a rule of its own.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { corpusFolder } from '../support/corpus.ts';
import { filesBelow } from '../support/paths.ts';
import { seededRandom } from '../support/seeded-random.ts';

export interface ChosenWord {
  /** The main transcript of the session. */
  readonly path: string;
  readonly word: string;
}

const mainName = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.jsonl$/;

/** Copies sessions below `projects`, each into a folder of its own, with its sub-agents; returns their paths. */
export function copySessions(projects: string, count: number, seed: number, from: string = corpusFolder): string[] {
  const all = filesBelow(path.join(from, 'corpus'), '.jsonl')
    .filter((file) => mainName.test(path.basename(file)) && wordsOf([file]).length > 0)
    .sort();
  const random = seededRandom(seed);
  const ids = new Set<string>();
  const copied: string[] = [];
  while (copied.length < count && all.length > 0) {
    const [file = ''] = all.splice(Math.floor(random() * all.length), 1);
    if (ids.has(path.basename(file))) continue;
    ids.add(path.basename(file));
    const folder = path.join(projects, `-corpus-${String(copied.length).padStart(2, '0')}`);
    mkdirSync(folder, { recursive: true });
    copied.push(path.join(folder, path.basename(file)));
    for (const own of ownFiles(file)) cpSync(own, path.join(folder, path.basename(own)), { recursive: true });
  }
  return copied;
}

/** The transcript, its side folder, and the sub-agents next to it that name it. */
function ownFiles(file: string): string[] {
  const side = file.replace(/\.jsonl$/, '');
  const id = path.basename(side);
  const flat = readdirSync(path.dirname(file))
    .filter((name) => /^agent-.*\.jsonl$/.test(name))
    .map((name) => path.join(path.dirname(file), name))
    .filter((agent) => readFileSync(agent, 'utf8').includes(`"sessionId":"${id}"`));
  return [file, ...(existsSync(side) ? [side] : []), ...flat];
}

export function chooseWords(sessions: readonly string[], count: number, seed: number): ChosenWord[] {
  const random = seededRandom(seed);
  const chosen: ChosenWord[] = [];
  const known = new Map(sessions.map((file) => [file, wordsOf(transcriptsOf(file))]));
  while (chosen.length < count) {
    const file = sessions[Math.floor(random() * sessions.length)] ?? '';
    const words = known.get(file) ?? [];
    const word = words[Math.floor(random() * words.length)];
    if (word === undefined) throw new Error(`no word in ${file}`);
    if (!chosen.some((each) => each.path === file && each.word === word)) chosen.push({ path: file, word });
  }
  return chosen;
}

function transcriptsOf(file: string): string[] {
  const side = file.replace(/\.jsonl$/, '');
  const agents = existsSync(side) ? filesBelow(side, '.jsonl') : [];
  const flat = readdirSync(path.dirname(file)).filter((name) => /^agent-.*\.jsonl$/.test(name));
  return [file, ...agents, ...flat.map((name) => path.join(path.dirname(file), name))];
}

/** Different words of at least four letters, between anything that is neither a letter nor a digit. */
function wordsOf(files: readonly string[]): string[] {
  const words = new Set<string>();
  for (const file of files) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      for (const text of saidIn(line)) {
        for (const token of text.split(/[^\p{L}\p{N}\p{M}\p{Co}]+/u)) {
          if (/^\p{L}{4,40}$/u.test(token)) words.add(token);
        }
      }
    }
  }
  return [...words].sort();
}

/** The strings in the content of a message: text, thinking, the values of an input, what a tool returned. */
function saidIn(line: string): string[] {
  let record: { type?: unknown; message?: { content?: unknown } } | null;
  try {
    record = JSON.parse(line) as typeof record;
  } catch {
    return [];
  }
  const isMessage = record?.type === 'user' || record?.type === 'assistant';
  return isMessage ? stringsIn(record?.message?.content) : [];
}

/** Names and encoded bytes are not said by anyone. */
const unsaid = new Set(['type', 'id', 'tool_use_id', 'name', 'signature', 'data', 'media_type', 'source', 'caller']);

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 1000 && !/\s/.test(value) ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (unsaid.has(key) ? [] : stringsIn(inner)));
}
