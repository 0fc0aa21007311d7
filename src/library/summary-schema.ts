// The table of what a list of sessions shows. It is filled when a list is asked for, not with the rows: turns need the
// whole graph of a transcript, and a usage report needs no turns.

export const summaryTables: string = `
CREATE TABLE summaries (
  path TEXT PRIMARY KEY,
  -- The files it was made from; another state means that it has to be made anew.
  state TEXT NOT NULL,
  -- Written by another program: it has no other column then.
  is_foreign INTEGER NOT NULL,
  cwd TEXT,
  title TEXT,
  started_at INTEGER,
  ended_at INTEGER,
  entries INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  agents INTEGER NOT NULL,
  size INTEGER NOT NULL,
  diagnostics INTEGER NOT NULL,
  damage INTEGER NOT NULL,
  tag TEXT,
  forked_from TEXT
) WITHOUT ROWID;
`;
