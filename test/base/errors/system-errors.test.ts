// Errors of the system and of SQLite, in every form in which they reach a command → one line; anything else stays a bug.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { explainSystemError } from '../../../src/base/errors/system-errors.ts';

function makeError(message: string, more: object = {}): Error {
  return Object.assign(new Error(message), more);
}

function catchError(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

const fault = 'the disk reports a fault; check it';
const explained: readonly (readonly [unknown, string])[] = [
  [catchError(() => readFileSync('/no/such/file')), 'cannot read /no/such/file (ENOENT); check the name'],
  [
    makeError('ENOSPC: no space left on device, write', { code: 'ENOSPC', errno: -28, syscall: 'write' }),
    'cannot write a file (ENOSPC); make room on the disk and run it again',
  ],
  [
    makeError("EMFILE: too many open files, open '/a'", { code: 'EMFILE', syscall: 'open', path: '/a' }),
    'cannot read /a (EMFILE); too many files are open; close other programs or raise the limit (ulimit -n)',
  ],
  [
    makeError('ENOENT: no such file or directory, uv_cwd', { code: 'ENOENT', syscall: 'uv_cwd' }),
    'the working directory cannot be read (ENOENT); change to a folder that exists and run it again',
  ],
  [makeError("EIO: i/o error, rename '/a' -> '/b'"), `cannot write /a (EIO); ${fault}`],
  [
    makeError("Unknown system error -122: Unknown system error -122, mkdir '/a'", {
      code: 'Unknown system error -122',
      errno: -122,
      syscall: 'mkdir',
      path: '/a',
    }),
    'cannot write /a (EDQUOT); make room in your quota and run it again',
  ],
  [
    makeError('UNKNOWN: unknown error, write', { code: 'UNKNOWN', errno: -122, syscall: 'write' }),
    'cannot write a file (EDQUOT); make room in your quota and run it again',
  ],
  [
    new Error('it failed', { cause: makeError('EIO: i/o error, read') }),
    `cannot read a file or folder (EIO); ${fault}`,
  ],
  [
    makeError('spawn git ENOENT', { code: 'ENOENT', syscall: 'spawn git', path: 'git' }),
    'cannot start git (ENOENT); install it, or add its folder to the PATH',
  ],
  [
    makeError("Cannot find module '/x/chunk.mjs' imported from /x/a.mjs", { code: 'ERR_MODULE_NOT_FOUND' }),
    '/x/chunk.mjs of this installation cannot be read; check the disk, or install Clew again',
  ],
  [
    makeError('database or disk is full', { code: 'SQLITE_FULL' }),
    'a database of Clew: the disk is full (database or disk is full); make room and run it again',
  ],
  [
    makeError('disk I/O error', { code: 'ERR_SQLITE_ERROR', errcode: 1034 }),
    'a database of Clew: the disk refuses it (disk I/O error); check the disk, its quota and the size limit of the shell (ulimit -f)',
  ],
  [
    makeError('unknown', { code: 'ERR_SQLITE_ERROR', errcode: 14 }),
    'a database of Clew: it cannot be opened (unknown); check the permissions, or set CLEW_HOME to a folder you may write to',
  ],
];

for (const [error, line] of explained)
  test(line, () => {
    const found = explainSystemError(error);
    assert.deepEqual([found?.message, found?.exitCode], [line, 2]);
  });

test('errors of the program stay bugs', () => {
  const bugs = [
    new TypeError('x is not a function'),
    makeError('EBADF: bad file descriptor, read', { code: 'EBADF', syscall: 'read' }),
    makeError('near "SELEC": syntax error', { code: 'SQLITE_ERROR' }),
    makeError('wrong type', { code: 'ERR_INVALID_ARG_TYPE' }),
    'EIO',
    undefined,
  ];
  for (const bug of bugs) assert.equal(explainSystemError(bug), undefined, String(bug));
});
