// Any error that the system, the disk or SQLite gave a call → one line with a next step. What fails outside of Clew is not a
// bug in Clew, wherever it surfaces: in a command, a stream, a worker or SQLite.
import { exitCodes, systemErrorCode, UserError } from './errors.ts';

/** What to do, by the code of the system. */
export const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'make room on the disk and run it again',
  EDQUOT: 'make room in your quota and run it again',
  EFBIG: 'the file would pass the size limit of this system or shell (ulimit -f)',
  EROFS: 'the disk is read-only; name another folder',
  ENOENT: 'something else cleans up its folder; run it again',
  EACCES: 'check the permissions',
  EPERM: 'check the permissions',
  EISDIR: 'name a file',
  EILSEQ: 'its name is not UTF-8; rename it',
  ENOTDIR: 'name a file in a folder',
  ENOTEMPTY: 'something else writes to this folder; run it again',
  EEXIST: 'something else has written it meanwhile; run it again',
  ENAMETOOLONG: 'choose a shorter name',
  ELOOP: 'remove the link that leads to itself',
  EIO: 'the disk reports a fault; check it',
  ENXIO: 'the disk reports a fault; check it',
  ENODEV: 'the disk reports a fault; check it',
  EMFILE: 'too many files are open; close other programs or raise the limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine; close other programs',
  ENOMEM: 'close other programs to free memory and run it again',
  EAGAIN: 'the system is short of resources; run it again in a minute',
  EBUSY: 'another program uses it; run it again in a minute',
  ETXTBSY: 'another program uses it; run it again in a minute',
  EINTR: 'run it again',
  ESTALE: 'the network disk has replaced it; run it again',
  ETIMEDOUT: 'check the network and run it again',
  ENOSYS: 'the system does not offer this call here; use another disk or machine',
  ENOTSUP: 'the disk does not offer this; use another one',
  EOPNOTSUPP: 'the disk does not offer this; use another one',
  EXDEV: 'the file would move to another disk; name a place on the same one',
  EMLINK: 'the disk allows no more links to this file; copy it',
};

/** `undefined` for any other error, which is a bug. Follows causes: what was thrown last may only wrap it. */
export function explainSystemError(error: unknown): UserError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof UserError) return at;
    const found = explainSqlite(at) ?? explainInstall(at) ?? explainCall(at);
    if (found !== undefined) return new UserError(found.what, found.next, exitCodes.usage, { cause: error });
    const inner = at instanceof AggregateError ? at.errors.find((each) => explainSystemError(each)) : undefined;
    if (inner !== undefined) return explainSystemError(inner);
  }
  return undefined;
}

interface Explained {
  readonly what: string;
  readonly next: string;
}

const writing =
  /^(?:write|writev|ftruncate|truncate|fsync|fdatasync|mkdir|mkdtemp|rmdir|rm|unlink|rename|link|symlink|chmod|fchmod|chown|fchown|utime|futime|lutime|copyfile|cp)$/;
const onlyWhenWriting = /^(?:ENOSPC|EDQUOT|EROFS|EFBIG)$/;
const ofNetwork = /^(?:connect|getaddrinfo|listen|bind|accept|send)$/;

function explainCall(error: Error): Explained | undefined {
  const call = readCall(error);
  if (call === undefined) return undefined;
  const { code, name, path } = call;
  if (name === 'uv_cwd')
    return {
      what: `the working directory cannot be read (${code})`,
      next: 'change to a folder that exists and run it again',
    };
  if (ofNetwork.test(name))
    return { what: `the network refused ${name} (${error.message})`, next: 'check the address and the network' };
  const next = remedies[code];
  if (name.startsWith('spawn')) {
    const program = name.slice('spawn '.length) || path || 'a program';
    return { what: `cannot start ${program} (${code})`, next: startRemedy(code) };
  }
  if (next === undefined) return undefined;
  const isWrite = writing.test(name) || onlyWhenWriting.test(code);
  const place = path ?? (isWrite ? 'a file' : 'a file or folder');
  const isMissing = code === 'ENOENT' && !isWrite;
  return { what: `cannot ${isWrite ? 'write' : 'read'} ${place} (${code})`, next: isMissing ? 'check the name' : next };
}

function startRemedy(code: string): string {
  if (code === 'ENOENT') return 'install it, or add its folder to the PATH';
  return remedies[code] ?? 'run it again in a minute';
}

interface SystemCall {
  readonly code: string;
  /** Such as `open`. */
  readonly name: string;
  readonly path: string | undefined;
}

/** An error that passed a thread or a promise of another program may have only its message left. */
function readCall(error: Error): SystemCall | undefined {
  const { syscall, path, dest } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const code = systemErrorCode(error);
  if (code !== undefined && /^E[A-Z0-9]+$/.test(code) && typeof syscall === 'string')
    return { code, name: syscall, path: pathText(dest ?? path) };
  const [, written, name = '', place] =
    /^(?:\w*Error: )?(E[A-Z0-9]{2,}): [^,\n]+(?:, ([\w ]+?)(?: '([^'\n]*)'.*)?)?$/.exec(error.message) ?? [];
  const found = code ?? written;
  if (found === undefined || (written === undefined && remedies[found] === undefined)) return undefined;
  return remedies[found] === undefined ? undefined : { code: found, name, path: pathText(path ?? place) };
}

function pathText(path: unknown): string | undefined {
  return typeof path === 'string' && path !== '' ? path : undefined;
}

/** Node's loader looks for a file and does not say that the system refused. */
function explainInstall(error: Error): Explained | undefined {
  if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(systemErrorCode(error) ?? '')) return undefined;
  const file = /Cannot find (?:module|package) '([^']*)'/.exec(error.message)?.[1] ?? 'a file';
  return { what: `${file} of this installation cannot be read`, next: 'check the disk, or install Clew again' };
}

/** By the name or the number of the result, with or without the rest of it: `SQLITE_IOERR_FSYNC`, 1034. */
const sqliteResults: readonly (readonly [RegExp, number, string, string])[] = [
  [/SQLITE_FULL|database or disk is full/, 13, 'the disk is full', 'make room and run it again'],
  [
    /SQLITE_IOERR|disk I\/O error/,
    10,
    'the disk refuses it',
    'check the disk, its quota and the size limit of the shell (ulimit -f)',
  ],
  [
    /SQLITE_CANTOPEN|unable to open database/,
    14,
    'it cannot be opened',
    'check the permissions, or set CLEW_HOME to a folder you may write to',
  ],
  [/SQLITE_READONLY|readonly database/, 8, 'it cannot be written', 'set CLEW_HOME to a folder you may write to'],
  [/SQLITE_BUSY|SQLITE_LOCKED|database (?:table )?is locked/, 5, 'another program uses it', 'run it again in a minute'],
  [/SQLITE_NOMEM|out of memory/, 7, 'there is not enough memory', 'close other programs and run it again'],
  [/SQLITE_PERM|SQLITE_AUTH|access permission denied/, 3, 'it may not be read', 'check the permissions'],
  [/SQLITE_CORRUPT|SQLITE_NOTADB|malformed|not a database/, 11, 'it is damaged', 'run it again: the index is rebuilt'],
];

function explainSqlite(error: Error): Explained | undefined {
  const { errcode } = error as Error & { readonly errcode?: number };
  const code = systemErrorCode(error) ?? '';
  if (!/^(?:ERR_)?SQLITE_/.test(code) && !/SQLITE_|^SqliteError/.test(`${error.name} ${error.message}`))
    return undefined;
  const text = `${code} ${error.message}`;
  const number = typeof errcode === 'number' ? errcode & 0xff : undefined;
  const found = sqliteResults.find(([form, result]) => form.test(text) || result === number);
  return found === undefined
    ? undefined
    : { what: `a database of Clew: ${found[2]} (${error.message})`, next: found[3] };
}
