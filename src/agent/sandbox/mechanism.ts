// What a command may see and change → the arguments of bubblewrap. The new root contains the system folders, the
// project and little else: what is not mounted cannot be read. Later mounts cover earlier ones.
import { existsSync, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../../base/files/index.ts';

interface MountPlan {
  readonly home: string;
  readonly cwd: string;
  /** `PATH`: programs may be installed outside the system folders. */
  readonly searchPath: string;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly hidden: readonly string[];
  readonly guarded: readonly string[];
  /** Readable although a parent folder is hidden. */
  readonly shown: readonly string[];
  /** More files to read, from → to. */
  readonly files: ReadonlyMap<string, string>;
}

const systemDirs = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix/store'];
const systemSecrets = ['shadow', 'shadow-', 'gshadow', 'gshadow-', 'sudoers', 'sudoers.d', 'ssh', 'ssl/private'];
const toolDirs = ['.nvm/versions', '.rustup/toolchains', '.pyenv/versions', '.rbenv/versions', '.sdkman/candidates'];
const quietDirs = ['/tmp', '/var/tmp', '/run', '/dev/shm'];

export function confinedArgs(plan: MountPlan, isolation: readonly string[]): readonly string[] {
  const { home, cwd, readable, writable, hidden, guarded, shown, files } = plan;
  const project = [...readable, ...writable];
  const isInside = (file: string): boolean => project.some((folder) => isWithin(folder, file));
  const system = systemDirs.filter((folder) => existsSync(folder));
  const visible = hidden.filter((file) => isInside(file) || system.some((folder) => isWithin(folder, file)));
  const covered = outermost([...(isInside(home) ? hiddenOf(home) : []), ...visible]);
  const secrets = systemSecrets.map((name) => `/etc/${name}`).filter((file) => existsSync(file));
  return [
    // The process group has no terminal.
    ...['bwrap', '--die-with-parent', '--cap-drop', 'ALL', ...isolation],
    ...system.flatMap(showSystem),
    ...secrets.flatMap(hide),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...quietDirs.flatMap((folder) => ['--tmpfs', folder]),
    ...(isInside(home) ? [] : ['--tmpfs', home]),
    ...programDirs(plan).flatMap((folder) => ['--ro-bind', folder, folder]),
    ...readable.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...writable.flatMap((folder) => ['--bind', folder, folder]),
    // A parent folder of a covered file could be renamed, which would uncover the file: mount points cannot be renamed.
    ...anchors([...hidden, ...guarded], writable).flatMap((folder) => ['--bind', folder, folder]),
    ...guarded.filter((file) => isInside(file) && isMountable(file)).flatMap((file) => ['--ro-bind', file, file]),
    ...covered.flatMap(hide),
    ...shown
      .filter((folder) => existsSync(folder) && !covered.some((each) => isWithin(each, folder)))
      .flatMap((folder) => ['--ro-bind', folder, folder]),
    ...[...files].flatMap(([from, to]) => ['--ro-bind', from, to]),
    ...['--chdir', cwd],
  ];
}

export function isInSystem(file: string): boolean {
  return systemDirs.some((folder) => isWithin(folder, file));
}

/** The whole disk except what a rule denies. */
export function openArgs(denied: readonly string[], projects: readonly string[], cwd: string): readonly string[] {
  const covers = denied.flatMap(hide);
  if (covers.length === 0) return [];
  return ['bwrap', '--dev-bind', '/', '/', ...(process.getuid?.() === 0 ? ['--cap-add', 'ALL'] : [])].concat(
    anchors(denied, projects).flatMap((folder) => ['--bind', folder, folder]),
    covers,
    ['--chdir', cwd],
  );
}

/** `/bin` is often a link to `/usr/bin`, which is already mounted; each mount takes time. */
function showSystem(folder: string): readonly string[] {
  return lstatSync(folder).isSymbolicLink()
    ? ['--symlink', readlinkSync(folder), folder]
    : ['--ro-bind', folder, folder];
}

/** A device on a mount without devices: opening it fails with "Permission denied". */
function hide(file: string): readonly string[] {
  const stats = statOf(file);
  if (stats === undefined) return [];
  return stats.isDirectory()
    ? ['--perms', '0000', '--tmpfs', file, '--remount-ro', file]
    : ['--ro-bind', '/dev/null', file];
}

/** `undefined` also if the user may not reach it, because their commands cannot either. */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

/** Nothing inside a covered folder needs to be covered. */
function outermost(files: readonly string[]): readonly string[] {
  const all = new Set(files);
  return [...all].filter((file) => {
    for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at)) if (all.has(at)) return false;
    return true;
  });
}

function isMountable(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === false;
}

function anchors(files: readonly string[], writable: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const file of files) {
    const top = writable.find((folder) => isWithin(folder, file));
    if (top === undefined) continue;
    for (let at = path.dirname(file); at !== top && isWithin(top, at); at = path.dirname(at)) found.add(at);
  }
  return [...found].sort();
}

/** If the project is the home folder, its hidden entries contain mail, keys and sessions. */
function hiddenOf(home: string): readonly string[] {
  return readdirSync(home)
    .filter((name) => name.startsWith('.'))
    .map((name) => path.join(home, name));
}

function programDirs({ home, searchPath, readable, writable }: MountPlan): readonly string[] {
  const known = [...systemDirs, ...readable, ...writable];
  const named = searchPath
    .split(':')
    .filter((folder) => path.isAbsolute(folder) && /\/(?:s?bin|shims)\/*$/.test(folder));
  const libraries = named.map((folder) => path.join(folder, '../lib'));
  const folders = [...toolDirs.map((folder) => path.join(home, folder)), ...named.map((each) => path.resolve(each))];
  return [...new Set([...folders, ...libraries])]
    .filter((folder) => !known.some((each) => isWithin(each, folder)) && !isWithin(folder, home))
    .filter((folder) => statOf(folder)?.isDirectory() === true);
}

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
