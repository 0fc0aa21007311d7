// The table of docs/safety.md as data, and the row that applies to a command line.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from './paths.ts';

export interface SafetyRow {
  /** The words of the call, without `clew`: `['rm', '--dry-run']`. */
  readonly words: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly deletes: readonly string[];
  readonly sends: readonly string[];
}

export const safetyPage: string = readFileSync(path.join(projectRoot, 'docs/safety.md'), 'utf8');

export function readSafetyTable(page: string = safetyPage): readonly SafetyRow[] {
  return tableAfter(page, '| call |').map(([call = '', reads = '', writes = '', deletes = '', sends = '']) => ({
    words: call.replace(/^`clew (.*)`$/, '$1').split(' '),
    reads: wordsOf(reads),
    writes: wordsOf(writes),
    deletes: wordsOf(deletes),
    sends: wordsOf(sends),
  }));
}

/** The words of the cells, as the page defines them. */
export function readVocabulary(page: string = safetyPage): ReadonlySet<string> {
  return new Set(tableAfter(page, '| word |').map(([word = '']) => word));
}

/** The last row whose words are all in the command line, as defined by the page. */
export function rowFor(args: readonly string[], rows: readonly SafetyRow[] = readSafetyTable()): SafetyRow {
  const row = rows.findLast(({ words }) => words[0] === args[0] && words.every((word) => args.includes(word)));
  if (row === undefined) throw new Error(`docs/safety.md has no row for clew ${args.join(' ')}`);
  return row;
}

/** The cells of the table that begins with this header, row by row. */
function tableAfter(page: string, header: string): readonly (readonly string[])[] {
  const start = page.indexOf(`\n${header}`);
  if (start < 0) throw new Error(`docs/safety.md has no table that begins with ${header}`);
  const lines = page.slice(start + 1).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(2, end < 0 ? undefined : end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

function wordsOf(cell: string): readonly string[] {
  return cell === '–' ? [] : cell.split(', ');
}
