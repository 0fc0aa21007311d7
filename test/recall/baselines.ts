// What the ranking is compared with: FTS5 as it comes, the search by line, and ripgrep.
import { spawnSync } from 'node:child_process';
import { tokensOf } from '../../src/base/text/index.ts';
import { ExchangeBuilder } from '../../src/library/exchanges/builder.ts';
import { OwnerFinder } from '../../src/library/exchanges/owners.ts';
import { openDatabase } from '../../src/library/index/database.ts';
import type { Database, Row } from '../../src/library/index/index.ts';
import { indexable, quotePhrase } from '../../src/library/text/query.ts';
import { textsOfLine } from '../../src/library/text/text-extract.ts';
import { readLineBatches } from '../../src/store/index.ts';
import type { ExchangeKey } from './evaluate.ts';

export type Ranker = (question: string) => readonly ExchangeKey[];

function wordsOf(question: string): readonly string[] {
  return [...new Set([...tokensOf(question)].map(({ word }) => word))];
}

/**
 * The exchanges as one text each in a table of FTS5: its defaults, any of the words, its own order. The text is everything
 * that the lines say, as an index that knows nothing about fields has it, or only what our fields have.
 */
export function plainFts(index: Database, of: PlainText): Ranker {
  const database = openDatabase(':memory:');
  database.exec('CREATE VIRTUAL TABLE plain USING fts5 (text)');
  const rows = index
    .prepare(
      'SELECT e.*, f.path, f.agent_id FROM exchanges e JOIN files f ON f.id = e.file ORDER BY e.file, e.line, e.offset',
    )
    .all();
  const owners = ownersOf(index);
  const texts = new Map<string, string[]>();
  for (const row of rows) {
    const key = keyText(owners(row));
    const list = texts.get(key) ?? [];
    texts.set(key, list);
    list.push(textOfSegment(row, of));
  }
  const keys = [...texts.keys()];
  for (const [i, key] of keys.entries())
    database.prepare('INSERT INTO plain (rowid, text) VALUES (?, ?)').run(i + 1, texts.get(key)?.join('\n') ?? '');
  return (question) =>
    database
      .prepare('SELECT rowid AS id FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 100')
      .all(wordsOf(question).map(quotePhrase).join(' OR '))
      .map(({ id }) => keyOf(keys[Number(id) - 1] ?? ''));
}

type PlainText = 'everything' | 'fields';

function textOfSegment(row: Row, of: PlainText): string {
  const [offset, firstLine, line] = [Number(row.offset), Number(row.first_line), Number(row.line)];
  const open = { line, offset, firstLine };
  const builder = new ExchangeBuilder({ startsAt: () => false, isAgent: row.agent_id !== null, open });
  const range = { from: { offset, number: firstLine }, endOffset: Number(row.end_offset) };
  const everything: string[] = [];
  for (const batch of readLineBatches(String(row.path), range)) {
    for (const each of batch) {
      const texts = textsOfLine(each.bytes);
      builder.add(each, texts);
      everything.push(...texts.map(({ text }) => text));
    }
  }
  if (of === 'everything') return everything.map(indexable).join('\n');
  return builder.segments
    .flatMap(({ prompt, answer, files, commands, errors }) => [...prompt, ...answer, ...files, ...commands, ...errors])
    .map(indexable)
    .join('\n');
}

/** The lines of the index that have all words, or any of them, by the BM25 of the line. */
export function byLine(index: Database, joiner: 'AND' | 'OR'): Ranker {
  const owners = ownersOf(index);
  return (question) => {
    const rows = index
      .prepare(
        `SELECT d.file, d.line AS at, f.session, f.agent_id, d.time, coalesce((SELECT max(e.line) FROM exchanges e
           WHERE e.file = d.file AND e.line <= d.line), 0) AS line FROM
           (SELECT rowid AS id, rank FROM document_text WHERE document_text MATCH ? ORDER BY rank LIMIT 400) best
         JOIN documents d ON d.id = best.id JOIN files f ON f.id = d.file ORDER BY best.rank`,
      )
      .all(wordsOf(question).map(quotePhrase).join(` ${joiner} `));
    return distinct(rows.map((row) => owners(row)));
  };
}

/** The exchanges by how many different words of the question ripgrep finds in their lines; the shorter of equals first. */
export function byRipgrep(index: Database, root: string): Ranker {
  const owners = ownersOf(index);
  const rows = index
    .prepare(
      `SELECT e.file, e.line, e.first_line, e.end_offset - e.offset AS size, e.time, f.path, f.session, f.agent_id
       FROM exchanges e JOIN files f ON f.id = e.file ORDER BY e.file, e.first_line`,
    )
    .all();
  const byPath = new Map<string, Row[]>();
  for (const row of rows) byPath.set(String(row.path), [...(byPath.get(String(row.path)) ?? []), row]);
  const found = new Map<string, ReadonlySet<string>>();
  const sizes = new Map<string, number>();
  for (const row of rows) {
    const key = keyText(owners(row));
    sizes.set(key, (sizes.get(key) ?? 0) + Number(row.size));
  }
  const exchangesWith = (word: string): ReadonlySet<string> => {
    const known = found.get(word);
    if (known !== undefined) return known;
    const args = ['--no-config', '-F', '-i', '-n', '-o', '-0', '--no-heading', '-H', '--', word, root];
    const { stdout } = spawnSync('rg', args, { encoding: 'utf8', maxBuffer: 1 << 28 });
    const keys = new Set<string>();
    for (const line of stdout.split('\n')) {
      const [file = '', rest = ''] = line.split('\0');
      const number = Number.parseInt(rest, 10);
      const row = byPath.get(file)?.findLast((each) => Number(each.first_line) <= number);
      if (row !== undefined) keys.add(keyText(owners(row)));
    }
    found.set(word, keys);
    return keys;
  };
  return (question) => {
    const counts = new Map<string, number>();
    for (const word of wordsOf(question))
      for (const key of exchangesWith(word)) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts]
      .sort((a, b) => b[1] - a[1] || (sizes.get(a[0]) ?? 0) - (sizes.get(b[0]) ?? 0))
      .map(([key]) => keyOf(key));
  };
}

/** A sub-agent's text counts for the exchange that started it, as in our ranking. */
function ownersOf(index: Database): (row: Row) => ExchangeKey {
  const finder = new OwnerFinder(index);
  const agents = new Map(
    index
      .prepare('SELECT id, session, agent_id FROM files')
      .all()
      .map((row) => [Number(row.id), row]),
  );
  return (row) => {
    const file = Number(row.file);
    const { session, agent_id: agent } = agents.get(file) ?? {};
    const own = { file, line: Number(row.line) };
    if (typeof agent !== 'string') return own;
    return finder.ownerOf({ session: Number(session), agent, file }) ?? own;
  };
}

function keyText({ file, line }: ExchangeKey): string {
  return `${file} ${line}`;
}

function keyOf(text: string): ExchangeKey {
  const [file = 0, line = 0] = text.split(' ').map(Number);
  return { file, line };
}

function distinct(keys: readonly ExchangeKey[]): readonly ExchangeKey[] {
  return [...new Set(keys.map(keyText))].map(keyOf);
}
