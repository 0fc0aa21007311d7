// The tables of the Parquet export and their columns, as docs/parquet.md lists them. Columns are never renamed or
// dropped; new ones come at the end.

/** `JSON` is text: a column of Parquet's own JSON type is written by a recursive function, and inputs nest deeper than the stack. */
export type ColumnType = 'STRING' | 'JSON' | 'INT64' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export const tableNames = ['sessions', 'turns', 'messages', 'tool_calls', 'usage', 'edges'] as const;
export type TableName = (typeof tableNames)[number];

/** A value as its column takes it: times as milliseconds (`NaN` and `undefined` are null), JSON as any value. */
export type Cell = unknown;
export type Row = Readonly<Record<string, Cell>>;

const text = (name: string): Column => ({ name, type: 'STRING' });
const json = (name: string): Column => ({ name, type: 'JSON' });
const number = (name: string): Column => ({ name, type: 'INT64' });
const truth = (name: string): Column => ({ name, type: 'BOOLEAN' });
const time = (name: string): Column => ({ name, type: 'TIMESTAMP' });

const tokens = [
  number('input_tokens'),
  number('output_tokens'),
  number('cache_read_tokens'),
  number('cache_write_5m_tokens'),
  number('cache_write_1h_tokens'),
];

export const tables: Readonly<Record<TableName, readonly Column[]>> = {
  sessions: [
    text('session_id'),
    text('title'),
    text('project'),
    text('cwd'),
    time('started_at'),
    time('ended_at'),
    json('models'),
    json('client_versions'),
    number('entries'),
    number('turns'),
    number('branches'),
    number('agents'),
    number('damage'),
  ],
  turns: [
    text('session_id'),
    text('agent_id'),
    number('turn'),
    time('started_at'),
    time('ended_at'),
    text('prompt_kind'),
    text('prompt'),
    number('messages'),
    number('tool_calls'),
    number('tool_errors'),
  ],
  messages: [
    text('session_id'),
    text('agent_id'),
    number('turn'),
    text('uuid'),
    number('line'),
    time('timestamp'),
    text('role'),
    text('kind'),
    text('message_id'),
    text('model'),
    text('stop_reason'),
    text('text'),
    json('block_types'),
  ],
  tool_calls: [
    text('session_id'),
    text('agent_id'),
    number('turn'),
    text('tool_use_id'),
    text('name'),
    time('started_at'),
    number('duration_ms'),
    truth('is_answered'),
    truth('is_error'),
    json('input'),
    text('result'),
    text('started_agent_id'),
  ],
  usage: [
    text('session_id'),
    text('message_id'),
    text('request_id'),
    time('timestamp'),
    text('model'),
    truth('is_sidechain'),
    ...tokens,
    number('web_searches'),
    truth('is_fast'),
    truth('is_us_only'),
    truth('is_batch'),
    number('cost_micro_usd'),
    truth('is_lower_bound'),
  ],
  edges: [
    text('session_id'),
    text('agent_id'),
    text('uuid'),
    text('parent_uuid'),
    number('line'),
    time('timestamp'),
    text('type'),
    truth('is_active'),
  ],
};

/** The time that decides the month of a row. */
export const rowTime: Readonly<Record<TableName, string>> = {
  sessions: 'started_at',
  turns: 'started_at',
  messages: 'timestamp',
  tool_calls: 'started_at',
  usage: 'timestamp',
  edges: 'timestamp',
};
