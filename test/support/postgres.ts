// A PostgreSQL server of a test's own: a new data folder, a Unix socket in it, no TCP. Debian installs the programs; a server
// does not run as root, so the tests start it as another user.
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterTest, type Endable } from './after-test.ts';
import { temporaryFolder } from './temp-folder.ts';

const versions = '/usr/lib/postgresql';

/** The folder of the newest installed server; `undefined` without one. */
function programs(): string | undefined {
  if (!existsSync(versions)) return undefined;
  const [newest] = readdirSync(versions).sort((a, b) => Number(b) - Number(a));
  const folder = path.join(versions, newest ?? '', 'bin');
  return existsSync(path.join(folder, 'postgres')) ? folder : undefined;
}

/** For `test(…, { skip })`: why there is no server, or `false`. */
export const noPostgres: string | false = programs() === undefined ? 'PostgreSQL is not installed' : false;

export interface PostgresServer {
  /** Of the data and the socket. */
  readonly folder: string;
  /** The address for a role, `postgres` (the superuser) by default. */
  address(role?: string, database?: string): string;
  start(): void;
  /** `immediate` ends it as a crash does. */
  stop(mode?: 'fast' | 'immediate'): void;
  /** Runs SQL as the superuser, and returns what psql prints, without headers. */
  run(sql: string, database?: string): string;
  /** Runs statement after statement as a role, and returns everything that psql prints, errors included. */
  attempt(role: string, sql: string): string;
  /** Runs one of the programs of PostgreSQL against the database, for example `pg_dump`. */
  program(name: string, ...args: readonly string[]): string;
}

export interface PostgresOptions {
  /** Lines of postgresql.conf. */
  readonly settings?: readonly string[];
}

/** Started, with an empty database `clew`. */
export function startPostgres(context: Endable, { settings = [] }: PostgresOptions = {}): PostgresServer {
  const bin = programs();
  if (bin === undefined) throw new Error('PostgreSQL is not installed');
  const folder = path.join(temporaryFolder(context), 'pg');
  mkdirSync(folder);
  const user = otherUser();
  if (user !== undefined) {
    chownSync(folder, user.uid, user.gid);
    chownSync(path.dirname(folder), user.uid, user.gid);
  }
  const data = path.join(folder, 'data');
  const call = (program: string, args: readonly string[], input?: string): string => {
    const { status, stdout, stderr, error } = spawnSync(path.join(bin, program), args, {
      encoding: 'utf8',
      cwd: folder,
      // A server that keeps the pipe of its starter open would never let it end.
      stdio: ['pipe', program === 'pg_ctl' ? 'ignore' : 'pipe', program === 'pg_ctl' ? 'ignore' : 'pipe'],
      ...(input === undefined ? {} : { input }),
      ...(user ?? {}),
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' },
    });
    if (error !== undefined) throw error;
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr ?? readLog()}`);
    return stdout ?? '';
  };
  const log = path.join(folder, 'log');
  const readLog = (): string => (existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : '');
  call('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale', 'C.UTF-8']);
  const options = [
    `unix_socket_directories = '${folder}'`,
    "listen_addresses = ''",
    'max_connections = 200',
    'shared_buffers = 128MB',
    ...settings,
  ];
  const server: PostgresServer = {
    folder,
    address: (role = 'postgres', database = 'clew') =>
      `postgres://${encodeURIComponent(role)}@localhost/${database}?host=${encodeURIComponent(folder)}`,
    start: () => {
      const flags = options.map((option) => `-c ${option.replace(/ = /, '=').replaceAll("'", '')}`).join(' ');
      call('pg_ctl', ['-D', data, '-l', log, '-w', '-o', flags, 'start']);
    },
    stop: (mode = 'fast') => void call('pg_ctl', ['-D', data, '-w', '-m', mode, 'stop']),
    run: (sql, database = 'clew') =>
      call(
        'psql',
        ['-h', folder, '-U', 'postgres', '-d', database, '-X', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=1'],
        sql,
      ),
    attempt: (role, sql) => {
      const args = ['-X', '-A', '-t', '-v', 'VERBOSITY=verbose', '-d', server.address(role)];
      const { stdout, stderr, error } = spawnSync(path.join(bin, 'psql'), args, {
        input: sql,
        encoding: 'utf8',
        env: { LC_ALL: 'C.UTF-8', PGAPPNAME: 'attempt' },
      });
      if (error !== undefined) throw error;
      return stdout + stderr;
    },
    program: (name, ...args) => call(name, ['-h', folder, '-U', 'postgres', '-d', 'clew', ...args]),
  };
  server.start();
  afterTest(context, () => {
    if (existsSync(path.join(data, 'postmaster.pid'))) server.stop('immediate');
  });
  server.run('CREATE DATABASE clew', 'postgres');
  return server;
}

/** Root may not run a server: `postgres` if there is such a user, else nobody. */
function otherUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  return { uid: Number(found?.[2] ?? 65534), gid: Number(found?.[3] ?? 65534) };
}
