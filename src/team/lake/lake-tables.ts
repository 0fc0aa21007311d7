// The tables of a lake and their columns, the level that has them, and the query that reads them from the store. Columns are
// named as in docs/parquet.md where they mean the same; they are never renamed or dropped, and new ones come at the end.
import type { Column, Row } from '../../export/parquet/index.ts';
import type { LevelNumber } from '../contract/index.ts';

const text = (name: string): Column => ({ name, type: 'STRING' });
const json = (name: string): Column => ({ name, type: 'JSON' });
const number = (name: string): Column => ({ name, type: 'INT64' });
const truth = (name: string): Column => ({ name, type: 'BOOLEAN' });
const time = (name: string): Column => ({ name, type: 'TIMESTAMP' });

export const lakeTableNames = ['sessions', 'usage', 'calls', 'prompts', 'titles', 'call_paths', 'documents'] as const;
export type LakeTableName = (typeof lakeTableNames)[number];

/** A row as the driver reads it. */
export type StoreRow = Readonly<Record<string, unknown>>;

export interface LakeTable {
  /** In the store, in the schema `clew`. */
  readonly source: string;
  readonly level: LevelNumber;
  /** After those of every row. */
  readonly columns: readonly Column[];
  /** What is selected, apart from `person`, `session_id` and `month`. */
  readonly select: string;
  toRow(row: StoreRow): Row;
}

/** Of every row: whose it is, and which version of the session it belongs to. */
export const commonColumns: readonly Column[] = [
  text('tenant'),
  number('person_id'),
  text('person'),
  text('session_id'),
  number('version'),
];

/** One row for each session of an export. Who reads a lake takes the rows of the version that it names last. */
export const versionColumns: readonly Column[] = [
  ...commonColumns,
  number('export'),
  time('exported_at'),
  truth('is_removed'),
  text('level'),
  text('content_key'),
];

const quarterMs = 15 * 60 * 1000;

/** A time of the driver. */
const milliseconds = (value: unknown): number | null => (value instanceof Date ? value.getTime() : null);

const tokens = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
] as const;

export const lakeTables: Readonly<Record<LakeTableName, LakeTable>> = {
  sessions: {
    source: 'sessions',
    level: 1,
    columns: [
      text('level'),
      text('machine'),
      time('started_at'),
      time('ended_at'),
      text('project_hash'),
      time('pushed_at'),
      text('rules'),
      json('facts'),
    ],
    select: 'level, machine, started_at, ended_at, project_hash, pushed_at, rules, facts',
    toRow: (row) => ({
      ...row,
      started_at: milliseconds(row.started_at),
      ended_at: milliseconds(row.ended_at),
      pushed_at: milliseconds(row.pushed_at),
    }),
  },
  usage: {
    source: 'cells',
    level: 1,
    columns: [
      time('timestamp'),
      text('model'),
      truth('is_fast'),
      truth('is_lower_bound'),
      number('messages'),
      ...tokens.map(number),
      { name: 'cost_micro_usd', type: 'DOUBLE' },
    ],
    select: `quarter, model, is_fast, is_lower_bound, messages, ${tokens.join(', ')}, cost_micro_usd`,
    toRow: ({ quarter, ...row }) => ({
      ...row,
      timestamp: typeof quarter === 'number' ? quarter * quarterMs : null,
    }),
  },
  calls: {
    source: 'calls',
    level: 1,
    columns: [number('call'), text('call_key'), text('name'), time('started_at'), truth('is_error')],
    select: 'nth AS call, call_key, name, called_at, is_error',
    toRow: (row) => ({ ...row, started_at: milliseconds(row.called_at) }),
  },
  prompts: {
    source: 'prompts',
    level: 1,
    columns: [text('prompt_key'), time('typed_at'), truth('is_copy')],
    select: 'prompt_key, typed_at, is_copy',
    toRow: (row) => ({ ...row, typed_at: milliseconds(row.typed_at) }),
  },
  titles: {
    source: 'titles',
    level: 2,
    columns: [text('title'), text('cwd'), text('path'), json('facts')],
    select: 'title, cwd, path, facts',
    toRow: (row) => row,
  },
  call_paths: {
    source: 'call_paths',
    level: 2,
    columns: [number('call'), text('path')],
    select: 'nth AS call, touched AS path',
    toRow: (row) => row,
  },
  documents: {
    source: 'documents',
    level: 3,
    columns: [
      number('document'),
      text('agent_id'),
      number('line'),
      text('kind'),
      number('part'),
      time('timestamp'),
      text('tool'),
      text('uuid'),
      text('text'),
    ],
    select: `nth AS document, nullif(agent, '') AS agent_id, line, kind, part, said_at, tool, uuid, text`,
    toRow: (row) => ({ ...row, timestamp: milliseconds(row.said_at) }),
  },
};
