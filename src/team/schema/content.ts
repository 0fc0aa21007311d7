// What people push. Every table has tenant, person and month in its key and is partitioned by month (of the row's own time,
// UTC; 1970-01-01 if it has none). A level has tables of its own, so that a policy on rows decides about it: metrics
// (`sessions`, `cells`, `calls`, `prompts`), titles (`titles`, `call_paths`), text (`documents`, `exchanges` and packs of
// redacted files), files (packs of original files).

const key = `
  tenant integer NOT NULL,
  person integer NOT NULL,
  month date NOT NULL,
  session_id text NOT NULL`;

/**
 * ANALYZE would copy values of these columns into pg_statistic, where they outlive their rows: it does not even replace them
 * once a partition is empty.
 */
const columnsWithoutStatistics: Readonly<Record<string, readonly string[]>> = {
  sessions: ['project_hash', 'content_key', 'main_sha256'],
  calls: ['call_key'],
  prompts: ['prompt_key'],
  titles: ['title', 'cwd', 'path', 'facts'],
  call_paths: ['touched'],
  documents: ['text', 'words', 'facts'],
  exchanges: ['words', 'facts'],
  packs: ['name', 'data'],
  readings: ['detail'],
};

export const contentTables: string = `
-- One row per session. Its own month never changes the months of its other rows.
CREATE TABLE clew.sessions (${key},
  level smallint NOT NULL CHECK (level BETWEEN 1 AND 4),
  machine text NOT NULL,
  -- Everything that was pushed for it, at this level, with these rules: the same key is the same content.
  content_key text NOT NULL,
  -- Of the main transcript: another machine that has the same beginning and more continues this session.
  main_bytes bigint NOT NULL,
  main_sha256 text NOT NULL,
  -- Version of the redaction rules; null below the level of text.
  rules text,
  started_at timestamptz,
  ended_at timestamptz,
  -- Hash of the folder, so that metrics can be grouped by project without its name.
  project_hash text NOT NULL,
  -- The numbers of \`clew ls\`: {entries, turns, agents, sizeBytes, diagnostics, damage, model, …}.
  facts jsonb NOT NULL,
  -- The months of its rows in all tables.
  months date[] NOT NULL,
  -- How much text there is, for how rare a word is: documents and their words, segments of exchanges, their fields and words.
  words bigint[] NOT NULL DEFAULT '{0,0,0,0,0}' CHECK (cardinality(words) = 5 AND 0 <= ALL (words)),
  pushed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant, person, month, session_id)
) PARTITION BY RANGE (month);
CREATE INDEX sessions_by_id ON clew.sessions (tenant, person, session_id);
CREATE INDEX sessions_by_end ON clew.sessions (tenant, ended_at);
-- For retention. A time in the future would keep a session forever.
CREATE INDEX sessions_by_age ON clew.sessions (tenant, level, (least(ended_at, pushed_at)));

-- The session that a transaction may add rows to: one at a time for each person.
CREATE TABLE clew.opened (
  tenant integer NOT NULL,
  person integer NOT NULL,
  session_id text NOT NULL,
  level smallint NOT NULL,
  months date[] NOT NULL,
  xact xid8 NOT NULL,
  PRIMARY KEY (tenant, person)
);

-- Cells of usage, as in the local index: sums of a session, model and quarter of an hour (number of quarters since 1970;
-- null without a time). Messages without a price are in cells of their own.
CREATE TABLE clew.cells (${key},
  nth integer NOT NULL,
  quarter integer,
  model text,
  is_fast boolean NOT NULL,
  is_lower_bound boolean NOT NULL,
  messages integer NOT NULL CHECK (messages >= 0),
  input_tokens bigint NOT NULL CHECK (input_tokens >= 0),
  output_tokens bigint NOT NULL CHECK (output_tokens >= 0),
  cache_read_tokens bigint NOT NULL CHECK (cache_read_tokens >= 0),
  cache_write_5m_tokens bigint NOT NULL CHECK (cache_write_5m_tokens >= 0),
  cache_write_1h_tokens bigint NOT NULL CHECK (cache_write_1h_tokens >= 0),
  -- NaN or infinity would be the sum of everyone.
  cost_micro_usd double precision CHECK (cost_micro_usd >= 0 AND cost_micro_usd < 'infinity'),
  PRIMARY KEY (tenant, person, month, session_id, nth)
) PARTITION BY RANGE (month);

-- Sums of cells by day (UTC; -infinity without a time). Kept by a trigger on cells, so that it never disagrees with them.
CREATE TABLE clew.usage_days (
  tenant integer NOT NULL,
  person integer NOT NULL,
  month date NOT NULL,
  day date NOT NULL,
  model text NOT NULL,
  is_fast boolean NOT NULL,
  is_priced boolean NOT NULL,
  cells bigint NOT NULL,
  lower_bounds bigint NOT NULL,
  messages bigint NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cache_read_tokens bigint NOT NULL,
  cache_write_5m_tokens bigint NOT NULL,
  cache_write_1h_tokens bigint NOT NULL,
  cost_micro_usd double precision NOT NULL,
  PRIMARY KEY (tenant, person, month, day, model, is_fast, is_priced)
) PARTITION BY RANGE (month);

-- The same for all people, for reports about everyone: a thousand people have a million sums by day in three years. In shards of
-- people, so that pushes rarely wait for the row of the same day.
CREATE TABLE clew.usage_totals (
  tenant integer NOT NULL,
  shard smallint NOT NULL,
  day date NOT NULL,
  model text NOT NULL,
  is_fast boolean NOT NULL,
  is_priced boolean NOT NULL,
  cells bigint NOT NULL,
  lower_bounds bigint NOT NULL,
  messages bigint NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cache_read_tokens bigint NOT NULL,
  cache_write_5m_tokens bigint NOT NULL,
  cache_write_1h_tokens bigint NOT NULL,
  cost_micro_usd double precision NOT NULL,
  PRIMARY KEY (tenant, shard, day, model, is_fast, is_priced)
);

-- Tool calls: names, times and outcomes, without inputs. \`call_key\` is the same in copies of a call.
CREATE TABLE clew.calls (${key},
  nth integer NOT NULL,
  call_key text NOT NULL,
  name text NOT NULL,
  called_at timestamptz,
  is_error boolean,
  PRIMARY KEY (tenant, person, month, session_id, nth)
) PARTITION BY RANGE (month);

-- When the user typed something. \`prompt_key\` is the same in copies of a prompt.
CREATE TABLE clew.prompts (${key},
  nth integer NOT NULL,
  prompt_key text NOT NULL,
  typed_at timestamptz,
  is_copy boolean NOT NULL,
  PRIMARY KEY (tenant, person, month, session_id, nth)
) PARTITION BY RANGE (month);

-- Titles, folders, branches and links.
CREATE TABLE clew.titles (${key},
  title text,
  cwd text,
  path text NOT NULL,
  -- The rest of \`clew ls\`: {project, root, tag, gitBranch, worktree, pullRequests, forkedFrom, …}.
  facts jsonb NOT NULL,
  PRIMARY KEY (tenant, person, month, session_id)
) PARTITION BY RANGE (month);

-- The files that calls touched, by the \`nth\` of the call.
CREATE TABLE clew.call_paths (${key},
  nth integer NOT NULL,
  touched text NOT NULL,
  PRIMARY KEY (tenant, person, month, session_id, nth)
) PARTITION BY RANGE (month);

-- The documents of the local full text: what one line says in one capacity, redacted.
CREATE TABLE clew.documents (${key},
  nth integer NOT NULL,
  -- The transcript: '' for the main one, else the id of the sub-agent.
  agent text NOT NULL,
  line integer NOT NULL,
  kind text NOT NULL,
  part integer NOT NULL,
  said_at timestamptz,
  tool text,
  uuid text,
  text text NOT NULL,
  -- Words of our own tokenizer, CJK by character; tokens counts them all.
  words tsvector NOT NULL,
  tokens integer NOT NULL,
  facts jsonb,
  PRIMARY KEY (tenant, person, month, session_id, nth)
) PARTITION BY RANGE (month);
CREATE INDEX documents_words ON clew.documents USING gin (words) WITH (fastupdate = off);

-- The segments of exchanges that rank a search: stemmed words of the five fields.
CREATE TABLE clew.exchanges (${key},
  nth integer NOT NULL,
  agent text NOT NULL,
  -- The line of the prompt, the lines that the segment covers, and the time of its first line.
  line integer NOT NULL,
  first_line integer NOT NULL,
  end_line integer NOT NULL,
  said_at timestamptz,
  -- Stemmed words of the five fields; the letter of the field is before each word.
  words tsvector NOT NULL,
  -- Number of tokens of the five fields.
  tokens integer[] NOT NULL,
  facts jsonb,
  PRIMARY KEY (tenant, person, month, session_id, nth)
) PARTITION BY RANGE (month);
CREATE INDEX exchanges_words ON clew.exchanges USING gin (words) WITH (fastupdate = off);

-- The files of a session, compressed, in chunks: redacted ones from the level of text on, original ones at the level of files.
CREATE TABLE clew.packs (${key},
  is_original boolean NOT NULL,
  nth integer NOT NULL,
  chunk integer NOT NULL,
  -- Below the project folder. In the first chunk of a file: its size, hash, mode and time.
  name text NOT NULL,
  size_bytes bigint,
  sha256 text,
  mode integer,
  mtime_ms double precision,
  codec text NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (tenant, person, month, session_id, is_original, nth, chunk)
) PARTITION BY RANGE (month);
ALTER TABLE clew.packs ALTER COLUMN data SET STORAGE EXTERNAL;

-- What must not come back: a session is kept at most at this level; 0 keeps nothing. Only the machine that wrote the
-- tombstone, or the person's own word, raises it.
CREATE TABLE clew.tombstones (
  tenant integer NOT NULL,
  person integer NOT NULL,
  session_id text NOT NULL,
  level smallint NOT NULL CHECK (level BETWEEN 0 AND 3),
  -- removed, lowered, redacted, undone, retention
  reason text NOT NULL,
  -- Hash of the main transcript that was there, for redactions.
  main_sha256 text,
  machine text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant, person, session_id)
);

CREATE TABLE clew.machines (
  tenant integer NOT NULL,
  person integer NOT NULL,
  machine text NOT NULL,
  -- Of everything that this machine has pushed, to see at once that nothing is missing.
  digest text NOT NULL,
  pushed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant, person, machine)
);

-- Months in which rows were removed because someone wanted that, until their bytes are erased from the files of the
-- database: DELETE and VACUUM leave them in unused space.
CREATE TABLE clew.removals (
  tenant integer NOT NULL,
  person integer NOT NULL,
  month date NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (tenant, person, month)
);

-- Readings of other people's text. A row is written and committed before the text can be read.
CREATE TABLE clew.readings (
  tenant integer NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  reader_person integer NOT NULL,
  reader text NOT NULL DEFAULT session_user,
  -- What the reader says it is: find, show, restore, …
  action text NOT NULL,
  -- Whose text; null, like the session, means everyone's who shares it.
  person integer,
  session_id text,
  -- What was searched for, for example.
  detail text,
  xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (tenant, id),
  CHECK ((person IS NULL) = (session_id IS NULL))
);
CREATE INDEX readings_by_reader ON clew.readings (tenant, reader_person, at);
CREATE INDEX readings_by_person ON clew.readings (tenant, person, at);
${Object.entries(columnsWithoutStatistics)
  .flatMap(([table, columns]) =>
    columns.map((column) => `ALTER TABLE clew.${table} ALTER COLUMN ${column} SET STATISTICS 0;`),
  )
  .join('\n')}
`;

/** Tables with the key of a session, by the lowest level that has rows in them. */
export const tableLevels = {
  sessions: 1,
  cells: 1,
  calls: 1,
  prompts: 1,
  titles: 2,
  call_paths: 2,
  documents: 3,
  exchanges: 3,
  packs: 3,
} as const;

export const partitionedTables: readonly string[] = [...Object.keys(tableLevels), 'usage_days'];
