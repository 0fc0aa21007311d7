// One interface for the two SQLite engines: Node's own if it has one (22.13 and newer), else libsql, whose binary is in
// its npm package. The callers do not know which one is used.
import { createRequire } from 'node:module';
import { nativeCall } from '../../base/process/index.ts';

export type SqlValue = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;

export interface Statement {
  run(...values: readonly SqlValue[]): void;
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): readonly Row[];
}

export interface Database {
  exec(sql: string): void;
  /** Statements are prepared once and kept. */
  prepare(sql: string): Statement;
  /** All or nothing; waits for another writer. */
  transaction<T>(work: () => T): T;
  close(): void;
}

/** What both engines offer under the same names. */
interface Engine {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

const busyMs = 10_000;

export function openDatabase(path: string): Database {
  const engine = safely(nativeCall(() => openEngine(path)));
  try {
    engine.exec(`PRAGMA busy_timeout = ${busyMs}`);
    // WAL lets readers continue while one writes; NORMAL loses at most the last transactions on a power cut, never the file.
    engine.exec('PRAGMA journal_mode = WAL');
    engine.exec('PRAGMA synchronous = NORMAL');
    engine.exec('PRAGMA temp_store = MEMORY');
    engine.exec('PRAGMA cache_size = -32768');
  } catch (error) {
    engine.close();
    throw error;
  }
  return wrap(engine);
}

/** The worker that calls it may be terminated at any time. */
function safely(engine: Engine): Engine {
  return {
    exec: (sql) => nativeCall(() => engine.exec(sql)),
    prepare: (sql) => {
      const statement = nativeCall(() => engine.prepare(sql));
      return {
        run: (...values) => nativeCall(() => statement.run(...values)),
        get: (...values) => nativeCall(() => statement.get(...values)),
        all: (...values) => nativeCall(() => statement.all(...values)),
      };
    },
    close: () => nativeCall(() => engine.close()),
  };
}

function wrap(engine: Engine): Database {
  const statements = new Map<string, Statement>();
  return {
    exec: (sql) => engine.exec(sql),
    prepare: (sql) => {
      const known = statements.get(sql) ?? engine.prepare(sql);
      statements.set(sql, known);
      return known;
    },
    transaction: (work) => {
      engine.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        engine.exec('COMMIT');
        return result;
      } catch (error) {
        rollBack(engine);
        throw error;
      }
    },
    close: () => engine.close(),
  };
}

function rollBack(engine: Engine): void {
  try {
    engine.exec('ROLLBACK');
  } catch {
    // SQLite has already rolled back (a full disk does that); the first error is the one to report
  }
}

function openEngine(path: string): Engine {
  if (!hasOwnSqlite()) return openLibsql(path);
  const { DatabaseSync } = loadOwnSqlite();
  return new DatabaseSync(path);
}

/** Node 22 warns on stderr that it is experimental, which a user of a command can do nothing about. */
function loadOwnSqlite(): { readonly DatabaseSync: new (path: string) => Engine } {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return createRequire(import.meta.url)('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function hasOwnSqlite(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 13);
}

/** Writes many rows with few statements: binding one row at a time costs three times as much. */
export function insertMany(
  database: Database,
  head: string,
  columns: number,
  rows: readonly (readonly SqlValue[])[],
  tail: string = '',
): void {
  insertValues(database, head, columns, rows.flat(), tail);
}

/** The same for rows that are given as one list of all their values. */
export function insertValues(
  database: Database,
  head: string,
  columns: number,
  values: readonly SqlValue[],
  tail: string = '',
): void {
  const step = Math.max(1, Math.floor(mostVariables / columns)) * columns;
  const one = `(${Array(columns).fill('?').join(',')})`;
  for (let i = 0; i < values.length; i += step) {
    const part = values.slice(i, i + step);
    const rows = Array(part.length / columns).fill(one);
    database.prepare(`${head} VALUES ${rows.join(',')} ${tail}`).run(...part);
  }
}

/** In one statement. */
const mostVariables = 900;

interface Native {
  databaseOpen(path: string, token: string, cipher: string, key: string, timeout: number, remoteKey: string): object;
  databaseClose(this: object): void;
  databaseExecSync(this: object, sql: string): void;
  databasePrepareSync(this: object, sql: string): object;
  statementRun(this: object, values: readonly SqlValue[]): void;
  statementGet(this: object, values: readonly SqlValue[]): Row | undefined;
  statementRowsSync(this: object, values: readonly SqlValue[]): object;
  /** Fills the array with the next rows; those after the last stay undefined. */
  rowsNext(this: object, rows: (Row | undefined)[]): void;
}

const calls = [
  'databaseOpen',
  'databaseClose',
  'databaseExecSync',
  'databasePrepareSync',
  'statementRun',
  'statementGet',
  'statementRowsSync',
  'rowsNext',
] as const;

function openLibsql(path: string): Engine {
  const require = createRequire(import.meta.url);
  const native = findNative(require.resolve('libsql'));
  if (native !== undefined) return openNative(native, path);
  const Libsql = require('libsql') as new (path: string) => Engine;
  return new Libsql(path);
}

/** The package of this platform, which npm has put next to libsql. */
function findNative(libsqlFile: string): Native | undefined {
  const target = targets[`${process.platform}-${process.arch}`];
  if (target === undefined) return undefined;
  try {
    const found = createRequire(libsqlFile)(`@libsql/${target}`) as Partial<Native>;
    return calls.every((name) => typeof found[name] === 'function') ? (found as Native) : undefined;
  } catch {
    return undefined; // another C library, or another layout of packages
  }
}

const targets: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64-gnu',
  'linux-arm64': 'linux-arm64-gnu',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'win32-x64-msvc',
};

function openNative(native: Native, path: string): Engine {
  const database = native.databaseOpen(path, '', 'aes256cbc', '', 0, '');
  return {
    exec: (sql) => native.databaseExecSync.call(database, sql),
    prepare: (sql) => {
      const statement = native.databasePrepareSync.call(database, sql);
      return {
        run: (...values) => native.statementRun.call(statement, values),
        get: (...values) => native.statementGet.call(statement, values),
        all: (...values) => allRows(native, native.statementRowsSync.call(statement, values)),
      };
    },
    close: () => native.databaseClose.call(database),
  };
}

const rowsAtOnce = 100;

function allRows(native: Native, cursor: object): readonly Row[] {
  const all: Row[] = [];
  const next: (Row | undefined)[] = new Array(rowsAtOnce);
  for (;;) {
    next.fill(undefined);
    native.rowsNext.call(cursor, next);
    for (const row of next) {
      if (!row) return all;
      all.push(row);
    }
  }
}
