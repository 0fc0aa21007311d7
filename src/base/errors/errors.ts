// The errors a user sees: what happened and what to do next, in one line, with an exit code. Any other error is a bug
// (exit code 70).

/** Exit codes of every command; documented in the README. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, refused: 3, bug: 70 } as const;

/** An error that the user can fix; its message says what happened and what to do next. */
export class UserError extends Error {
  readonly exitCode: number;

  /** `message` says what happened, `next` what to do about it; together they make one line. */
  constructor(message: string, next: string, exitCode: number = exitCodes.usage, options?: ErrorOptions) {
    super(next === '' ? message : `${message}; ${next}`, options);
    this.name = 'UserError';
    this.exitCode = exitCode;
  }
}

/** A file or folder that the system does not let this process read. */
export class UnreadableError extends UserError {
  readonly path: string;
  readonly code: string;

  constructor(path: string, code: string, next: string, options?: ErrorOptions) {
    super(`cannot read ${path} (${code})`, next, exitCodes.usage, options);
    this.path = path;
    this.code = code;
  }
}

/** The `code` of a Node system error (`ENOENT`, `EACCES`, …), or `undefined` for anything else. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (typeof error.code !== 'string') return undefined;
  return ('errno' in error ? unnamed[String(error.errno)] : undefined) ?? error.code;
}

/** Node knows a full quota and a replaced network file only by their numbers, on Linux and on macOS. */
const unnamed: Readonly<Record<string, string>> = {
  '-122': 'EDQUOT',
  '-69': 'EDQUOT',
  '-116': 'ESTALE',
  '-70': 'ESTALE',
};

/** The same, also for a `UserError` that was caused by a system error. */
export function unreadableCode(error: unknown): string | undefined {
  return systemErrorCode(error) ?? (error instanceof UserError ? systemErrorCode(error.cause) : undefined);
}

/** Something wrong in a transcript, and where. */
export interface Diagnostic {
  readonly code: string;
  readonly line: number;
  readonly offset: number;
  readonly message: string;
}

/** Common in intact files, so they do not count as damage. */
const harmlessCodes: ReadonlySet<string> = new Set(['L-no-newline', 'L-crlf', 'L-bom']);

export function isDamage(diagnostic: Diagnostic): boolean {
  return !harmlessCodes.has(diagnostic.code);
}
