// What a call could not read: each file or folder is named once on stderr, is in the JSON of the commands that report on
// many sessions, and makes the call end with exit code 1, because its result is not about everything.
import type { Writable } from 'node:stream';
import { UnreadableError, UserError } from '../base/errors.ts';
import { diskError } from '../store/disk.ts';
import { compareNames, type DiskProblem } from '../store/folders.ts';
import { writeNotice } from './notice.ts';

export class Unread {
  readonly #stderr: Writable;
  readonly #problems = new Map<string, DiskProblem>();

  constructor(stderr: Writable) {
    this.#stderr = stderr;
  }

  get size(): number {
    return this.#problems.size;
  }

  /** By their path. */
  get problems(): readonly DiskProblem[] {
    const problems = [...this.#problems.values()].map(({ path, code }) => ({ path, code }));
    return problems.sort((a, b) => compareNames(a.path, b.path));
  }

  /**
   * A root that does not exist holds no sessions, and that is how every machine begins. A command whose result is a
   * verdict passes `withMissing`: it has not looked where it was told to look.
   */
  add(problems: Iterable<DiskProblem>, { withMissing = false }: { readonly withMissing?: boolean } = {}): void {
    for (const problem of problems) {
      const isExpected = problem.code === 'ENOENT' && !withMissing;
      if (isExpected || this.#problems.has(problem.path)) continue;
      this.#put(problem, problemText(problem));
    }
  }

  /** A file that was opened, and of which `error` says why the rest is not known. */
  addFailed(path: string, error: UserError): void {
    if (error instanceof UnreadableError) this.add([error]);
    else if (!this.#problems.has(path)) this.#put({ path, code: notExamined }, error.message);
  }

  #put(problem: DiskProblem, message: string): void {
    this.#problems.set(problem.path, problem);
    writeNotice(this.#stderr, message);
  }
}

/** The code of a file that can be opened, but not be examined. */
const notExamined = 'unreadable';

export function problemText({ path, code }: DiskProblem): string {
  const error = diskError(Object.assign(new Error(code), { code }), 'read', path);
  return error instanceof UserError ? error.message : `cannot read ${path} (${code}); check it and run it again`;
}
