// The rows of a session → the columns and lines of each table, in the order in which they are written.
import { monthOf, noMonth, type SessionRows } from '../contract/index.ts';
import { type CopyValue, copyFields, copyTime, storableJson } from './copy-text.ts';

export interface TableCopy {
  readonly table: string;
  /** After `tenant`, `person`, `session_id` and `month`. */
  readonly columns: readonly string[];
  readonly lines: Iterable<string>;
}

/** `tenant` and `person` are those of the connection; the policies refuse any others. */
export function copiesOf(session: SessionRows, tenant: number, person: number): readonly TableCopy[] {
  const { head, cells, calls, prompts, titles, callPaths, documents, exchanges, packs } = session;
  const months = new Set(head.months);
  const start = copyFields([tenant, person, head.sessionId]);
  const lines = <T>(rows: readonly T[], timeOf: TimeOf<T>, valuesOf: ValuesOf<T>): Generator<string> =>
    copyLines(start, months, rows, timeOf, valuesOf);
  /** Rows of the session as a whole are in its own month. */
  const ownTime = Date.parse(head.month);
  const tables: readonly (TableCopy & { readonly count: number })[] = [
    {
      table: 'cells',
      count: cells.length,
      columns: cellColumns,
      lines: lines(
        cells,
        ({ quarter }) => (quarter === null ? null : quarter * quarterMs),
        (row, nth) => [
          nth,
          row.quarter,
          row.model,
          row.isFast,
          row.isLowerBound,
          row.messages,
          row.inputTokens,
          row.outputTokens,
          row.cacheReadTokens,
          row.cacheWrite5mTokens,
          row.cacheWrite1hTokens,
          row.costMicroUsd,
        ],
      ),
    },
    {
      table: 'calls',
      count: calls.length,
      columns: ['nth', 'call_key', 'name', 'called_at', 'is_error'],
      lines: lines(
        calls,
        ({ calledAt }) => calledAt,
        (row, nth) => [nth, row.callKey, row.name, copyTime(row.calledAt), row.isError],
      ),
    },
    {
      table: 'prompts',
      count: prompts.length,
      columns: ['nth', 'prompt_key', 'typed_at', 'is_copy'],
      lines: lines(
        prompts,
        ({ typedAt }) => typedAt,
        (row, nth) => [nth, row.promptKey, copyTime(row.typedAt), row.isCopy],
      ),
    },
    {
      table: 'titles',
      count: titles.length,
      columns: ['title', 'cwd', 'path', 'facts'],
      lines: lines(
        titles,
        () => ownTime,
        (row) => [row.title, row.cwd, row.path, storableJson(row.facts)],
      ),
    },
    {
      table: 'call_paths',
      count: callPaths.length,
      columns: ['nth', 'touched'],
      lines: lines(
        callPaths,
        ({ calledAt }) => calledAt,
        (row) => [row.nth, row.touched],
      ),
    },
    {
      table: 'documents',
      count: documents.length,
      columns: ['nth', 'agent', 'line', 'kind', 'part', 'said_at', 'tool', 'uuid', 'text', 'words', 'tokens', 'facts'],
      lines: lines(
        documents,
        ({ saidAt }) => saidAt,
        (row, nth) => [
          nth,
          row.agent,
          row.line,
          row.kind,
          row.part,
          copyTime(row.saidAt),
          row.tool,
          row.uuid,
          row.text,
          `${personLexeme(person)} ${row.words}`,
          row.tokens,
          row.facts === null ? null : storableJson(row.facts),
        ],
      ),
    },
    {
      table: 'exchanges',
      count: exchanges.length,
      columns: ['nth', 'agent', 'line', 'first_line', 'end_line', 'said_at', 'words', 'tokens', 'facts'],
      lines: lines(
        exchanges,
        ({ saidAt }) => saidAt,
        (row, nth) => [
          nth,
          row.agent,
          row.line,
          row.firstLine,
          row.endLine,
          copyTime(row.saidAt),
          `${personLexeme(person)} ${row.words}`,
          row.tokens,
          row.facts === null ? null : storableJson(row.facts),
        ],
      ),
    },
    {
      table: 'packs',
      count: packs.length,
      columns: ['is_original', 'nth', 'chunk', 'name', 'size_bytes', 'sha256', 'mode', 'mtime_ms', 'codec', 'data'],
      lines: lines(
        packs,
        () => ownTime,
        (row) => [
          row.isOriginal,
          row.nth,
          row.chunk,
          row.name,
          row.sizeBytes,
          row.sha256,
          row.mode,
          row.mtimeMs,
          row.codec,
          row.data,
        ],
      ),
    },
  ];
  return tables.filter(({ count }) => count > 0);
}

type TimeOf<T> = (row: T) => number | null;
type ValuesOf<T> = (row: T, nth: number) => readonly CopyValue[];

/** `start`: of every line. */
function* copyLines<T>(
  start: string,
  months: ReadonlySet<string>,
  rows: readonly T[],
  timeOf: TimeOf<T>,
  valuesOf: ValuesOf<T>,
): Generator<string> {
  let nth = 0;
  for (const row of rows) {
    // Clocks are wrong in real files, and the store has no partition for such a month.
    const month = monthOf(timeOf(row));
    yield `${start}\t${months.has(month) ? month : noMonth}\t${copyFields(valuesOf(row, nth++))}\n`;
  }
}

/**
 * A word of the person in every row, which no text has: so the index of words finds those of one person without visiting the rows
 * of all others.
 */
export function personLexeme(person: number): string {
  return `'@${person}'`;
}

const quarterMs = 15 * 60 * 1000;

const cellColumns = [
  'nth',
  'quarter',
  'model',
  'is_fast',
  'is_lower_bound',
  'messages',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'cost_micro_usd',
];
