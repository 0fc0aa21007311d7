// The rows of a session → the columns and lines of each table, in the order in which they are written.
import { monthOf, noMonth, type SessionRows } from '../contract/index.ts';
import { type CopyValue, copyFields, copyTime, storableJson } from './copy-text.ts';

export interface TableCopy {
  readonly table: string;
  /** After `tenant`, `person`, `session_id` and `month`. */
  readonly columns: readonly string[];
  readonly lines: Iterable<string>;
}

/** What is the same in all lines of a session. */
interface LineStart {
  readonly session: SessionRows;
  readonly person: number;
  /** Tenant, person and session. */
  readonly start: string;
  readonly months: ReadonlySet<string>;
}

interface TableShape<T> {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rowsOf: (session: SessionRows) => readonly T[];
  /** `ownTime`: of the session as a whole, whose month such rows are in. */
  readonly timeOf: (row: T, ownTime: number) => number | null;
  readonly valuesOf: (row: T, nth: number, person: number) => readonly CopyValue[];
}

/** `tenant` and `person` are those of the connection; the policies refuse any others. */
export function copiesOf(session: SessionRows, tenant: number, person: number): readonly TableCopy[] {
  const { head } = session;
  const start = copyFields([tenant, person, head.sessionId]);
  const line = { session, person, start, months: new Set(head.months) };
  return shapes.flatMap((shape) => shape(line));
}

/** V8 compiles functions that are made for each session again and again, so these are made once. */
function shapeOf<T>(shape: TableShape<T>): (line: LineStart) => readonly TableCopy[] {
  const { table, columns, rowsOf } = shape;
  return (line) => (rowsOf(line.session).length === 0 ? [] : [{ table, columns, lines: copyLines(shape, line) }]);
}

function* copyLines<T>(
  { rowsOf, timeOf, valuesOf }: TableShape<T>,
  { session, person, start, months }: LineStart,
): Generator<string> {
  const ownTime = Date.parse(session.head.month);
  let nth = 0;
  for (const row of rowsOf(session)) {
    // Clocks are wrong in real files, and the store has no partition for such a month.
    const month = monthOf(timeOf(row, ownTime));
    yield `${start}\t${months.has(month) ? month : noMonth}\t${copyFields(valuesOf(row, nth++, person))}\n`;
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

const shapes: readonly ((line: LineStart) => readonly TableCopy[])[] = [
  shapeOf({
    table: 'cells',
    columns: cellColumns,
    rowsOf: ({ cells }) => cells,
    timeOf: ({ quarter }) => (quarter === null ? null : quarter * quarterMs),
    valuesOf: (row, nth) => [
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
  }),
  shapeOf({
    table: 'calls',
    columns: ['nth', 'call_key', 'name', 'called_at', 'is_error'],
    rowsOf: ({ calls }) => calls,
    timeOf: ({ calledAt }) => calledAt,
    valuesOf: (row, nth) => [nth, row.callKey, row.name, copyTime(row.calledAt), row.isError],
  }),
  shapeOf({
    table: 'prompts',
    columns: ['nth', 'prompt_key', 'typed_at', 'is_copy'],
    rowsOf: ({ prompts }) => prompts,
    timeOf: ({ typedAt }) => typedAt,
    valuesOf: (row, nth) => [nth, row.promptKey, copyTime(row.typedAt), row.isCopy],
  }),
  shapeOf({
    table: 'titles',
    columns: ['title', 'cwd', 'path', 'facts'],
    rowsOf: ({ titles }) => titles,
    timeOf: (_, ownTime) => ownTime,
    valuesOf: (row) => [row.title, row.cwd, row.path, storableJson(row.facts)],
  }),
  shapeOf({
    table: 'call_paths',
    columns: ['nth', 'touched'],
    rowsOf: ({ callPaths }) => callPaths,
    timeOf: ({ calledAt }) => calledAt,
    valuesOf: (row) => [row.nth, row.touched],
  }),
  shapeOf({
    table: 'documents',
    columns: ['nth', 'agent', 'line', 'kind', 'part', 'said_at', 'tool', 'uuid', 'text', 'words', 'tokens', 'facts'],
    rowsOf: ({ documents }) => documents,
    timeOf: ({ saidAt }) => saidAt,
    valuesOf: (row, nth, person) => [
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
  }),
  shapeOf({
    table: 'exchanges',
    columns: ['nth', 'agent', 'line', 'first_line', 'end_line', 'said_at', 'words', 'tokens', 'facts'],
    rowsOf: ({ exchanges }) => exchanges,
    timeOf: ({ saidAt }) => saidAt,
    valuesOf: (row, nth, person) => [
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
  }),
  shapeOf({
    table: 'packs',
    columns: ['is_original', 'nth', 'chunk', 'name', 'size_bytes', 'sha256', 'mode', 'mtime_ms', 'codec', 'data'],
    rowsOf: ({ packs }) => packs,
    timeOf: (_, ownTime) => ownTime,
    valuesOf: (row) => [
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
  }),
];
