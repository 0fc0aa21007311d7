// Files and folders that could not be read: each is named once on stderr and in the JSON of reports, and makes the
// command exit with code 1, because its result is incomplete.
import type { Writable } from 'node:stream';
import { UnreadableError, UserError } from '../../base/errors/index.ts';
import { compareNames, type DiskProblem, diskError } from '../../store/index.ts';
import { writeNotice } from '../terminal/index.ts';

export class Unread {
  readonly #stderr: Writable;
  readonly #problems = new Map<string, DiskProblem>();

  constructor(stderr: Writable) {
    this.#stderr = stderr;
  }

  get size(): number {
    return this.#problems.size;
  }

  /** Sorted by path. */
  get problems(): readonly DiskProblem[] {
    const problems = [...this.#problems.values()].map(({ path, code }) => ({ path, code }));
    return problems.sort((a, b) => compareNames(a.path, b.path));
  }

  /** A missing root is normal: it holds no sessions yet. A command that gives a verdict passes `withMissing`. */
  add(problems: Iterable<DiskProblem>, { withMissing = false }: { readonly withMissing?: boolean } = {}): void {
    for (const problem of problems) {
      const isExpected = problem.code === 'ENOENT' && !withMissing;
      if (isExpected || this.#problems.has(problem.path)) continue;
      this.#put(problem, problemText(problem));
    }
  }

  addFailed(path: string, error: UserError): void {
    if (error instanceof UnreadableError) this.add([error]);
    else if (!this.#problems.has(path)) this.#put({ path, code: notExamined }, error.message);
  }

  #put(problem: DiskProblem, message: string): void {
    this.#problems.set(problem.path, problem);
    writeNotice(this.#stderr, message);
  }
}

/** For a file that can be opened but not examined. */
const notExamined = 'unreadable';

export function problemText({ path, code }: DiskProblem): string {
  const error = diskError(Object.assign(new Error(code), { code }), 'read', path);
  return error instanceof UserError ? error.message : `cannot read ${path} (${code}); check it and try again`;
}
