// The full text: how fast it is indexed, how large the index is, how long a query takes in a warm process, and the CPU time of
// whole `clew find` commands compared with ripgrep over the raw files.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '../src/library/index/database.ts';
import { updateRows } from '../src/library/index/indexer.ts';
import { indexPath, openIndex } from '../src/library/index/schema.ts';
import { search } from '../src/library/search/search.ts';
import { updateText } from '../src/library/search/text-indexer.ts';
import { DocumentReader, documentColumns, documentRow } from '../src/library/text/document.ts';
import { clew } from '../test/support/dist.ts';
import { corpusFolder } from './support/corpus.ts';
import { measureAll, printRatios } from './support/measure.ts';

const root = corpusRoot();
const folder = mkdtempSync(path.join(tmpdir(), 'clew-bench-index-'));
const database = openIndex({ folder });
const rows = measure('rows', () => updateRows(database, { roots: [root] }));
const text = measure('full text', () => updateText(database, { roots: [root] }));
measure('nothing changed', () => [updateRows(database, { roots: [root] }), updateText(database, { roots: [root] })]);
const indexMb = statSync(indexPath(folder)).size / 1e6;
const corpusMb = rows.result.bytesRead / 1e6;
console.log(
  `full text: ${(corpusMb / (text.cpuMs / 1000)).toFixed(0)} MB of transcripts per CPU second (bar: 65 on a quiet machine)`,
);
console.log(`index: ${indexMb.toFixed(1)} MB, ${((100 * indexMb) / corpusMb).toFixed(0)} % of the transcripts`);
const queries = makeQueries(database, 200);
for (const [name, list] of Object.entries(queries)) time(name, list);
const sample = samples(queries);
database.close();
compareWithRipgrep();
rmSync(folder, { recursive: true });

/** The corpus of other measurements, if its generator exists; else our own. */
function corpusRoot(): string {
  const generator = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../shared/bench/gen.mjs');
  const made = path.join(tmpdir(), 'corpus300');
  if (!existsSync(generator))
    return corpusFolder('search', { sessions: 300, linesPerSession: 160, bytesPerLine: 4000 });
  if (!existsSync(made) || readdirSync(made).length === 0)
    spawnSync(process.execPath, [generator, made], { stdio: 'inherit' });
  return made;
}

function measure<T>(name: string, work: () => T): { result: T; cpuMs: number } {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  console.log(`${name.padEnd(16)} ${cpuMs.toFixed(0).padStart(6)} ms CPU`);
  return { result, cpuMs };
}

/** Words, phrases and pairs of CJK characters from documents all over the corpus. */
function makeQueries(index: Database, count: number): Record<string, string[]> {
  const reader = new DocumentReader('scattered');
  const sample = index
    .prepare(
      `SELECT ${documentColumns} FROM documents d JOIN files f ON f.id = d.file ORDER BY d.id * 7919 % 100003 LIMIT 4000`,
    )
    .all();
  const words = new Set<string>();
  const phrases = new Set<string>();
  const pairs = new Set<string>();
  for (const [i, row] of sample.entries()) {
    const document = reader.read(documentRow(row))?.text ?? '';
    const pick = (pattern: RegExp): string | undefined => {
      const all = document.slice(0, 20_000).match(pattern) ?? [];
      return all[(i * 31) % Math.max(1, all.length)];
    };
    words.add(pick(/[A-Za-z]{3,}/g) ?? '');
    phrases.add(`"${pick(/[A-Za-z]{2,} [A-Za-z]{2,}/g) ?? ''}"`);
    pairs.add(pick(/[\u3040-\u30ff\u4e00-\u9fff]{2}/g) ?? '');
  }
  const first = (set: Set<string>): string[] => [...set].filter((query) => /[^"]/.test(query)).slice(0, count);
  return { words: first(words), phrases: first(phrases), 'two CJK characters': first(pairs) };
}

function time(name: string, list: readonly string[]): void {
  const ms = list.map((query) => {
    const start = performance.now();
    search(database, { text: query, mode: 'words', roots: [root], limit: 20, perSession: 3 });
    return performance.now() - start;
  });
  ms.sort((a, b) => a - b);
  const at = (share: number): string => (ms[Math.floor(share * (ms.length - 1))] ?? Number.NaN).toFixed(1);
  console.log(`${name}: ${list.length} queries with snippets, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (bar: 50)`);
}

/** Texts of different frequency for the comparison: a word, a phrase, and a part of a word. */
function samples({ words = [], phrases = [] }: Record<string, string[]>): {
  word: string;
  phrase: string;
  part: string;
} {
  const frequent = (list: readonly string[]): string =>
    list.find((text) => {
      const { total } = search(database, { text, mode: 'words', roots: [root], limit: 20 });
      return total >= 20 && total <= 1000;
    }) ?? 'the';
  const [word, phrase] = [frequent(words), frequent(phrases)];
  return { word, phrase, part: word.slice(1) };
}

/** User and system time of each command, interleaved; the medians, and their ratio to ripgrep's. */
function compareWithRipgrep(): void {
  const { word, phrase, part } = sample;
  const literal = phrase.replaceAll('"', '');
  const rg = (...args: string[]): string[] => ['rg', '--no-config', '-c', ...args, path.join(root, 'projects')];
  const find = (...args: string[]): string[] => [process.execPath, clew, 'find', ...args];
  const cases: readonly (readonly [name: string, bar: number, ours: string[], theirs: string[]])[] = [
    [`find ${word}`, 1, find(word), rg('-F', '-i', word)],
    [`find ${phrase}`, 1, find(phrase), rg('-F', '-i', literal)],
    [`find --exact ${part}`, 1.6, find('--exact', part), rg('-F', part)],
    [`find --exact '${literal}'`, 1.6, find('--exact', literal), rg('-F', literal)],
    [`find --regex '${part}[a-z]*'`, 2.5, find('--regex', `${part}[a-z]*`), rg(`${part}[a-z]*`)],
  ];
  process.env.CLEW_HOME = folder;
  process.env.CLEW_ROOTS = root;
  for (const [name, bar, ours, theirs] of cases) {
    const contenders = [
      { name, command: ours },
      { name: 'ripgrep', command: theirs },
    ];
    measureAll(contenders, 1); // the places of the hits are in the index after it
    printRatios(`${name} (bar: ${bar})`, measureAll(contenders, 9), 'ripgrep');
  }
}
