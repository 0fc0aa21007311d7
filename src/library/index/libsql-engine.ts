// libsql's native part, called as libsql's own wrapper calls it. The wrapper finds out the C library by way of a full
// process report and loads the network code for it, on every start: 25 ms, a quarter of what a command may take that
// finds nothing changed. Where the native part is not found or not as expected, the wrapper is what is used.
import { createRequire } from 'node:module';
import type { Engine, Row, SqlValue } from './database.ts';

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

export function openLibsql(path: string): Engine {
  const require = createRequire(import.meta.url);
  const native = findNative(require.resolve('libsql'));
  if (native !== undefined) return openNative(native, path);
  const Libsql = require('libsql') as new (path: string) => Engine;
  return new Libsql(path);
}

/** The package of this platform, which npm has put next to libsql. */
function findNative(beside: string): Native | undefined {
  const target = targets[`${process.platform}-${process.arch}`];
  if (target === undefined) return undefined;
  try {
    const found = createRequire(beside)(`@libsql/${target}`) as Partial<Native>;
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
