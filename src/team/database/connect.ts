// An address of PostgreSQL → a connection to the store, and its errors as errors of the user. The driver is loaded by the
// first connection.
import type { Sql } from 'postgres';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { asString } from '../../base/json/index.ts';

export type { Sql, TransactionSql } from 'postgres';

export interface ConnectOptions {
  /** How many connections at most. */
  readonly connections?: number;
  readonly connectTimeoutMs?: number;
  /** Arrays in results are text without it, and a new connection has one round trip less. */
  readonly readsArrays?: boolean;
}

/** Opens connections on first use; `sql.end()` closes them. Numbers of 64 bits are JavaScript numbers. */
export async function connect(
  address: string,
  { connections = 1, connectTimeoutMs = 10_000, readsArrays = true }: ConnectOptions = {},
): Promise<Sql> {
  const url = parseAddress(address);
  // `?host=/run/postgresql`, as in libpq: the folder of a Unix socket.
  const host = url.searchParams.get('host');
  url.searchParams.delete('host');
  // `?prepare=false`: a pool such as pgbouncer gives the transactions of a client to different connections.
  const prepare = url.searchParams.get('prepare') !== 'false';
  url.searchParams.delete('prepare');
  const { default: postgres } = await import('postgres');
  return postgres(url.href, {
    ...(host === null ? {} : { host }),
    max: connections,
    connect_timeout: connectTimeoutMs / 1000,
    idle_timeout: 60,
    // Seconds before the next attempt. The driver's own pauses grow to 20: too long for a store that restarts.
    backoff: (failures: number) => Math.min(1, 0.05 * 2 ** failures),
    connection: { application_name: 'clew', search_path: 'clew, pg_temp' },
    // Notices of functions are for the administrator's log.
    onnotice: () => {},
    // One prepared statement per query text and connection.
    prepare,
    fetch_types: readsArrays,
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    transform: { undefined: null },
  }) as Sql;
}

/** Throws if it is not an address of PostgreSQL. */
export function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol))
    throw new UserError(
      `"${hidePassword(address)}" is not an address of PostgreSQL`,
      'write postgres://USER@HOST/DATABASE',
    );
  return url;
}

/** The address without its password, for messages. A password that is not encoded may contain anything. */
export function hidePassword(address: string): string {
  return address.replace(/^([a-z]+:\/\/[^:@/]*):.*@/i, '$1:***@').replace(/([?&](?:ssl)?password=)[^&]*/gi, '$1***');
}

/** What PostgreSQL or the network reported, as an error of the user where the user can fix it. */
export function storeError(error: unknown, address: string): unknown {
  if (error instanceof UserError || !(error instanceof Error)) return error;
  const code = asString((error as { readonly code?: unknown }).code) ?? '';
  const store = hidePassword(address);
  const known = knownErrors.find(([codes]) => codes.test(code));
  if (known === undefined) return error;
  const [, what, next] = known;
  return new UserError(`${what} (${store}: ${firstLine(error.message)})`, next, exitCodes.failed, { cause: error });
}

type KnownError = readonly [codes: RegExp, what: string, next: string];

const knownErrors: readonly KnownError[] = [
  [
    /^(ECONNREFUSED|ENOENT|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|CONNECT_TIMEOUT|ENOTFOUND|EAI_AGAIN)$/,
    'the store cannot be reached',
    'check the address and the network',
  ],
  [
    /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONNRESET|EPIPE|57P0[123]|08...)$/,
    'the connection to the store was lost',
    'run it again',
  ],
  [/^28/, 'the store does not accept this user', 'ask its administrator for a role: `clew team grant`'],
  [/^3D000$/, 'there is no such database', 'check the address'],
  [/^(3F000|42P01|42883)$/, 'the database has no store', 'the administrator runs `clew team init`'],
  [/^42501$/, 'your role may not do this', 'ask the administrator: `clew team grant`'],
  [/^CL001$/, 'the store does not know your role', 'ask the administrator: `clew team grant`'],
  [/^CL002$/, 'the store asks for less', 'run `clew push` again: it reads what the store asks for'],
  [/^53/, 'the store has no room', 'ask its administrator for more'],
];

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Whether the same call may succeed later: the connection was lost, or two transactions got in each other's way. */
export function isPassing(error: unknown): boolean {
  const code = asString((error as { readonly code?: unknown } | undefined)?.code) ?? '';
  return /^(ECONNREFUSED|ENOENT|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|CONNECT_TIMEOUT|ENOTFOUND|EAI_AGAIN|CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONNRESET|EPIPE|57P0[123]|08...|40001|40P01|53...|55P03)$/.test(
    code,
  );
}
