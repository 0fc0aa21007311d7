// What --exact and --regex must find in an index, checked against a plain search of all its texts.
import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { isArray, isObject, type JsonValue, parseJson } from '../../src/base/json/json.ts';
import type { Database } from '../../src/library/index/database.ts';
import { planScan, scanDocuments } from '../../src/library/search/scan.ts';
import { search } from '../../src/library/search/search.ts';
import { DocumentReader, type DocumentRow, documentColumns, documentRow } from '../../src/library/text/document.ts';
import type { Scope } from '../../src/library/text/filter.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { linesOf } from '../support/transcripts.ts';
import { currentIndex } from './index-check.ts';
import { linkTranscripts } from './library-root.ts';

/** Pseudo-random, so that a failure can be repeated. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function allDocuments(database: Database): { row: DocumentRow; text: string }[] {
  const reader = new DocumentReader('sequential');
  return database
    .prepare(`SELECT ${documentColumns} FROM documents d JOIN files f ON f.id = d.file ORDER BY d.file, d.offset, d.id`)
    .all()
    .map((each) => documentRow(each))
    .map((row) => ({ row, text: reader.read(row)?.text ?? '' }));
}

export const everything: Scope = { where: '', values: [], fileWhere: '', fileValues: [] };

/** Hundreds of random parts of random documents: what the scan finds is what looking at every document finds. */
export function checkExact(database: Database, count: number): void {
  const documents = allDocuments(database);
  const random = randomFrom(42);
  let narrowed = 0;
  for (let i = 0; i < count; i++) {
    const { text } = documents[random(documents.length)] as (typeof documents)[number];
    const start = random(text.length);
    const wanted = text.slice(start, start + (i % 20 === 0 ? 1 : 3) + random(30));
    const ignoreCase = i % 10 === 9;
    const scan = planScan({ text: ignoreCase ? swapCase(wanted) : wanted, mode: 'exact', ignoreCase });
    if (scan.words !== undefined) narrowed++;
    const one = new RegExp(scan.pattern.source, scan.pattern.flags.replace('g', ''));
    const expected = documents.filter((each) => (ignoreCase ? one.test(each.text) : each.text.includes(wanted)));
    assert.deepEqual(
      scanDocuments(database, scan, everything)
        .map((row) => row.id)
        .sort((a, b) => a - b),
      expected.map(({ row }) => row.id).sort((a, b) => a - b),
      JSON.stringify(wanted),
    );
  }
  assert.ok(narrowed > count / 5, `${narrowed} of ${count} used the index`);
}

export function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
}

/** By the plainest means: every string of the messages, as JSON.parse gives it, with its line. */
export function plainStrings(files: readonly string[]): { file: string; line: number; text: string }[] {
  return files.flatMap((file) =>
    linesOf(file).flatMap((bytes, i) => {
      const entry = parseJson(bytes.toString('utf8'));
      if (!isObject(entry) || (entry.type !== 'user' && entry.type !== 'assistant') || !isObject(entry.message))
        return [];
      const { content } = entry.message;
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : isArray(content) ? content : [];
      return blocks.flatMap((block) => stringsOf(block)).map((text) => ({ file, line: i + 1, text }));
    }),
  );
}

export function stringsOf(block: JsonValue): string[] {
  if (!isObject(block)) return [];
  if (block.type === 'text') return typeof block.text === 'string' ? [block.text] : [];
  if (block.type === 'thinking') return typeof block.thinking === 'string' ? [block.thinking] : [];
  if (block.type === 'tool_use' && isObject(block.input)) {
    return Object.values(block.input).filter((value) => typeof value === 'string');
  }
  if (block.type !== 'tool_result') return [];
  if (typeof block.content === 'string') return [block.content];
  return isArray(block.content) ? block.content.flatMap(stringsOf) : [];
}

export function checkRecall(database: Database, root: string, files: readonly string[], count: number): void {
  const strings = plainStrings(files).filter(({ text }) => text.length > 0 && text.length < 20_000);
  const random = randomFrom(7);
  for (let i = 0; i < count; i++) {
    const { file, line, text } = strings[random(strings.length)] as (typeof strings)[number];
    const start = random(text.length);
    const wanted = text.slice(start, start + 3 + random(40));
    const found = search(database, { text: wanted, mode: 'exact', roots: [root], limit: 1_000_000 }).sessions;
    const place = `${path.join(root, 'projects', `p${files.indexOf(file)}`, path.basename(file))} ${line}`;
    const places = found.flatMap((each) => each.hits.map((hit) => `${hit.path} ${hit.line}`));
    assert.ok(places.includes(place), `${JSON.stringify(wanted)} of ${file}:${line}`);
  }
}

export function checkRegex(database: Database): void {
  const documents = allDocuments(database);
  const patterns = [
    '\\bfunction\\s+\\w+\\(',
    'error[^\\n]{0,20}line',
    '^\\s*import .* from',
    '[a-z]+_[a-z]+_id',
    'lamp|fog|test',
    'exit code \\d+$',
    '\\p{Script=Han}{2,}',
    'node_modules/\\w+',
    '(?:foo)?\\.json"',
    'colou?r',
    'x{2,3}',
    '\\u0041\\w',
  ];
  for (const [i, source] of patterns.entries()) {
    for (const ignoreCase of [false, true]) {
      const scan = planScan({ text: source, mode: 'regex', ignoreCase });
      const plain = new RegExp(source, i === 8 ? (ignoreCase ? 'im' : 'm') : ignoreCase ? 'imu' : 'mu');
      assert.deepEqual(
        scanDocuments(database, scan, everything).map((row) => row.id),
        documents.filter(({ text }) => plain.test(text)).map(({ row }) => row.id),
        source,
      );
    }
  }
}

export function indexOf(context: TestContext, files: readonly string[]): { database: Database; root: string } {
  const root = temporaryFolder(context);
  linkTranscripts(root, files);
  const database = currentIndex(temporaryFolder(context), root);
  context.after(() => database.close());
  return { database, root };
}
