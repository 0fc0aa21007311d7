// The same plan → a profile for macOS sandbox-exec. The last matching rule decides.
import type { MountPlan } from './mechanism.ts';

export function seatbeltArgs({ home, readable, writable, hidden, guarded, shown }: MountPlan): readonly string[] {
  return withProfile([
    '(deny network*)',
    '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd.xpc"))',
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/stdout") (literal "/dev/stderr") (subpath "/dev/fd"))',
    ...rule('deny', 'file-read*', [home, '/Users', '/Volumes', '/private/tmp', '/private/var/folders']),
    ...rule('allow', 'file-read*', [...readable, ...writable]),
    ...rule('allow', 'file-write*', writable),
    ...rule('deny', 'file-write*', guarded),
    ...rule('deny', 'file-read* file-write*', hidden),
    ...rule('allow', 'file-read*', shown),
  ]);
}

/** The whole disk except what a rule denies. */
export function seatbeltOpenArgs(denied: readonly string[]): readonly string[] {
  return denied.length === 0 ? [] : withProfile(rule('deny', 'file-read* file-write*', denied));
}

function withProfile(rules: readonly string[]): readonly string[] {
  return ['sandbox-exec', '-p', ['(version 1)', '(allow default)', ...rules].join('\n')];
}

function rule(verdict: 'allow' | 'deny', what: string, files: readonly string[]): readonly string[] {
  const below = files.map((file) => `(subpath ${JSON.stringify(file)})`).join(' ');
  return files.length === 0 ? [] : [`(${verdict} ${what} ${below})`];
}
