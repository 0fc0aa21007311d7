// The same plan → a profile for sandbox-exec of macOS. Of several rules that match, the last one decides.
import type { MountPlan } from './bubblewrap.ts';

export function seatbeltArgs({ home, readable, writable, hidden, guarded, shown }: MountPlan): readonly string[] {
  const below = (files: readonly string[]): string =>
    files.map((file) => `(subpath ${JSON.stringify(file)})`).join(' ');
  const rule = (verdict: string, what: string, files: readonly string[]): readonly string[] =>
    files.length === 0 ? [] : [`(${verdict} ${what} ${below(files)})`];
  const profile = [
    '(version 1)',
    '(allow default)',
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
  ];
  return ['sandbox-exec', '-p', profile.join('\n')];
}
