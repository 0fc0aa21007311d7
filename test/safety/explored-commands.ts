// The commands that the explorer stops at every changing call. `before` are calls that prepare the place; an operation is
// explored a second time as `undo NAME`, where it is done before and its undo is what is stopped.

export interface ExploredCommand {
  readonly name: string;
  readonly before: readonly string[];
  readonly line: string;
  /** Whether `clew history` lists it, so that it can be undone. */
  readonly isRecorded: boolean;
  /** It is the undo of an operation that `before` has done. */
  readonly isUndo: boolean;
  /** Its result is only in the index or the archive: exit codes cannot be compared with files. */
  readonly hasNoResult?: boolean;
  /** The exit code of an undisturbed run, if not 0. */
  readonly status?: number;
  /** It adds lines to the transcript of `subject`, whose ids and times are others each time. */
  readonly isAppending?: boolean;
  /** It is not undone but run again, which finishes it. */
  readonly isRunAgain?: boolean;
  /** It also changes the index where there is one. */
  readonly usesIndex?: boolean;
}

/** A name, the line, and the lines before it. */
type Row = readonly [name: string, line: string, ...before: string[]];

const operations: readonly Row[] = [
  ['move', 'move {work} {moved}'],
  ['move-one', 'move {subject} --to {moved}'],
  ['move-copy', 'move {subject} --to {moved} --copy'],
  ['strip', 'strip {subject} --tools --in-place'],
  ['compress', 'compress {subject} --keep-turns 1 --in-place'],
  ['rewind', 'rewind {subject} --to 1 --in-place'],
  ['redact', 'redact {subject} --in-place'],
  ['rename', 'rename {subject} new'],
  ['tag', 'tag {subject} new'],
  ['doctor', 'doctor {damaged} --fix --yes --in-place'],
  ['fork', 'fork {subject}'],
  ['graft', 'graft {subject} {twin}'],
  ['split', 'split {subject} --at 1'],
  ['import', 'import {input}/one.clew --to {moved}', 'bundle {subject} --output {input}/one.clew'],
  ['rm', 'rm {subject} --yes'],
  ['restore', 'restore {subject}', 'rm {subject} --yes'],
  ['star', 'star {subject}'],
  ['unstar', 'star {subject} --remove', 'star {subject}'],
];

const others: readonly Row[] = [
  ['redact-no-backup', 'redact {subject} --in-place --no-backup'],
  ['rm-no-archive', 'rm {subject} --yes --no-archive'],
  ['bundle', 'bundle {subject} --output {out}/one.clew'],
  ['export', 'export {subject} --output {out}/one.md'],
  ['archive', 'archive'],
  ['index', 'index'],
  ['print', 'print Go.on --resume {subject}'],
  // There is no store at the address: what is remembered of a push that failed.
  ['push', 'push'],
  ['setup', 'setup --yes'],
  ['setup-remove', 'setup --remove --yes', 'setup --yes'],
];

const withoutResult: ReadonlySet<string> = new Set(['archive', 'index', 'print', 'push', 'redact-no-backup']);
/** There is no store; other sessions have the secret too. */
const failing: ReadonlySet<string> = new Set(['push', 'redact-no-backup']);

export const exploredCommands: readonly ExploredCommand[] = [
  ...operations.map(([name, line, ...before]) => ({ name, line, before, isRecorded: true, isUndo: false })),
  ...operations.map(([name, line, ...before]) => ({
    name: `undo ${name}`,
    line: 'undo',
    before: [...before, line],
    isRecorded: true,
    isUndo: true,
  })),
  ...others.map(([name, line, ...before]) => ({
    name,
    line,
    before,
    isRecorded: name === 'redact-no-backup',
    isUndo: false,
    hasNoResult: withoutResult.has(name),
    usesIndex: name === 'redact-no-backup',
    isAppending: name === 'print',
    isRunAgain: name.startsWith('setup'),
    ...(failing.has(name) ? { status: 1 } : {}),
  })),
];

/** In the words of strace. What a call may answer on a full, broken, read-only or closed disk. */
export function errorsFor(name: string): readonly string[] {
  const found = errors.find(([names]) => names.test(name));
  return found?.[1] ?? ['EIO'];
}

const errors: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:openat|open|creat)$/, ['ENOSPC', 'EACCES', 'EMFILE', 'EROFS', 'EDQUOT', 'EIO']],
  [/^(?:p?write|copy_file_range|sendfile|fallocate)/, ['ENOSPC', 'EIO', 'EDQUOT']],
  [/^(?:fsync|fdatasync)$/, ['EIO', 'ENOSPC']],
  [/^rename/, ['ENOSPC', 'EACCES', 'EIO', 'EROFS', 'ENOENT']],
  [/^(?:link|symlink)/, ['ENOSPC', 'EACCES', 'EIO', 'EMLINK']],
  [/^unlink/, ['EACCES', 'EIO', 'EROFS', 'EBUSY']],
  [/^rmdir/, ['EACCES', 'EIO']],
  [/^(?:mkdir|mknod)/, ['ENOSPC', 'EACCES', 'EROFS', 'EDQUOT']],
  [/^f?(?:chmod|chown|lchown|utimensat)/, ['EPERM', 'EIO']],
];
