// Finds what can confine commands on this machine (bubblewrap on Linux, sandbox-exec on macOS, otherwise nothing) and
// turns a confinement into the prefix of a command.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { withoutOwnKeys } from '../../api/connection/index.ts';
import { isWithin, realPath } from '../../base/files/index.ts';
import type { Confinement, Launch, LaunchPlace, PathPolicy, Sandbox } from '../contract/index.ts';
import { confinedArgs, openArgs, seatbeltArgs, seatbeltOpenArgs } from './mechanism.ts';
import { type Domains, openNetwork } from './network.ts';
import { type Found, TreeScan } from './scan.ts';

export interface SandboxOptions {
  readonly projectDir: string;
  readonly extraDirs: readonly string[];
  readonly home: string;
  /** The user's `.claude` folder, with the sessions of all projects. */
  readonly root: string;
  readonly policy: PathPolicy;
  readonly mechanism: Mechanism;
  /** Domains that the workspace profile may reach; none if absent. */
  readonly domains?: Domains;
  /** More folders that the workspace profile may change. */
  readonly allowWrite?: readonly string[];
}

/** `isolation`: the flags that this machine's bubblewrap accepts. */
export interface Mechanism {
  readonly kind: Sandbox['mechanism'];
  readonly isolation: readonly string[];
}

export const noMechanism: Mechanism = { kind: 'none', isolation: [] };

let found: Mechanism | undefined;

/** Tried once per process: a container may forbid what the program offers. */
export function findMechanism(env: NodeJS.ProcessEnv = process.env): Mechanism {
  found ??= tryMechanism(process.platform, env);
  return found;
}

export function tryMechanism(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Mechanism {
  if (platform === 'darwin') return { kind: 'seatbelt', isolation: [] };
  if (platform !== 'linux') return noMechanism;
  const strict = ['--unshare-all', '--unshare-user', '--disable-userns'];
  const works = (flags: readonly string[]): boolean =>
    spawnSync('bwrap', [...flags, '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true'], { env })
      .status === 0;
  const isolation = [strict, ['--unshare-all']].find(works);
  return isolation === undefined ? noMechanism : { kind: 'bubblewrap', isolation };
}

export function makeSandbox(options: SandboxOptions): Sandbox {
  const { policy, mechanism } = options;
  const scan = new TreeScan(policy);
  const changing = new Set<Launch>();
  const launchChanging = (place: LaunchPlace): Launch => {
    const { finish, ...rest } = launchConfined('workspace', options, scan, place);
    const launch: Launch = {
      ...rest,
      finish: () => {
        changing.delete(launch);
        return finish();
      },
    };
    changing.add(launch);
    return launch;
  };
  return {
    mechanism: mechanism.kind,
    hiddenBelow: (folder) => scan.scan(folder).hidden,
    launch: (confinement, place) => {
      if (mechanism.kind === 'none') return openLaunch([], place);
      // A background command may have created a repository whose settings run programs: until it ends, nothing runs outside
      // the sandbox that only a rule allows.
      const isExposed = confinement === 'open' && changing.size > 0 && place.isApproved !== true;
      if (confinement === 'workspace' || isExposed) return launchChanging(place);
      return confinement === 'open'
        ? launchOpen(options, scan, place)
        : launchConfined(confinement, options, scan, place);
    },
  };
}

function launchOpen(options: SandboxOptions, scan: TreeScan, place: LaunchPlace): Launch {
  const { projectDir, extraDirs, policy, mechanism } = options;
  const projects = [projectDir, ...extraDirs].map(realPath);
  const denied = [...projects.flatMap((folder) => scan.scan(folder).denied), ...policy.deniedElsewhere()];
  const prefix = mechanism.kind === 'bubblewrap' ? openArgs(denied, projects, place.cwd) : seatbeltOpenArgs(denied);
  return openLaunch(prefix, place);
}

function openLaunch(prefix: readonly string[], { env }: LaunchPlace): Launch {
  return { confinement: 'open', prefix, env: withoutOwnKeys(env), finish: () => [] };
}

function launchConfined(
  confinement: Exclude<Confinement, 'open'>,
  options: SandboxOptions,
  scan: TreeScan,
  { cwd, env, sessionDir }: LaunchPlace,
): Launch {
  const folders = [options.projectDir, ...options.extraDirs].map(realPath);
  const isWorkspace = confinement === 'workspace';
  const home = realPath(options.home);
  const around = repositoryFolders(folders[0] ?? '', home, options.policy.isHidden);
  const before = [...folders, ...around].map((folder) => scan.scan(folder));
  const protectedFiles = before.flatMap((each) => [...each.guarded.keys()]);
  const repositories = protectedFiles.filter((file) => path.basename(file) === '.git');
  const { domains = { allowed: [], denied: [] } } = options;
  const isConnected = isWorkspace && options.mechanism.kind === 'bubblewrap';
  const network = isConnected && domains.allowed.length > 0 ? openNetwork(domains) : undefined;
  // A Python environment in the project: a program in it would run outside the sandbox, in place of git or bash.
  const programs = (env.PATH ?? '')
    .split(':')
    .filter((folder) => path.isAbsolute(folder))
    .map(realPath);
  const plan = {
    home,
    cwd: realPath(cwd),
    searchPath: env.PATH ?? '',
    readable: isWorkspace ? around : [...around, ...folders],
    writable: isWorkspace ? [...folders, ...(options.allowWrite ?? []).map(realPath)] : [],
    hidden: [
      ...before.flatMap(({ hidden }) => hidden),
      ...repositories.filter((folder) => tracksHidden(folder, options.policy.isHidden)),
      ...[...options.policy.deniedElsewhere(), options.root],
    ],
    guarded: isWorkspace ? [...protectedFiles, ...before.flatMap(linkTargets), ...programs] : [],
    shown: [path.join(sessionDir, 'tool-results'), ...(network === undefined ? [] : [network.folder])],
    files: network?.files ?? new Map(),
  };
  const { kind, isolation } = options.mechanism;
  return {
    confinement,
    prefix: [...(kind === 'seatbelt' ? seatbeltArgs(plan) : confinedArgs(plan, isolation)), ...(network?.prefix ?? [])],
    env: { ...confinedEnvironment(env), ...network?.env },
    finish: () => (isWorkspace ? folders.flatMap((folder, i) => putAway(before[i], scan.scan(folder))) : []),
  };
}

/** The targets of protected links: changing them changes the links' content. */
function linkTargets({ guarded }: Found): readonly string[] {
  return [...guarded].filter(([, target]) => target !== '').map(([file]) => realPath(file));
}

/** A missing file cannot be covered without creating it. It is renamed after the command, before anything of ours reads
 *  it; no process of the command is left by then. */
function putAway(before: Found | undefined, after: Found): readonly string[] {
  const created = [...after.guarded].filter(([file, target]) => before?.guarded.get(file) !== target);
  const top = created.filter(([file]) => !created.some(([other]) => other !== file && isWithin(other, file)));
  return top.flatMap(([file]) => {
    const away = `${file}.blocked-${Date.now()}`;
    try {
      renameSync(file, away);
    } catch {
      // Another command that ended at the same time renamed it.
      return [];
    }
    return [`${file} may not be created or replaced in the sandbox; it is now ${away}.`];
  });
}

const plain =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|TZ|CI|NODE_ENV|CLAUDECODE)$/;

function confinedEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => plain.test(name));
  // git refuses a repository of another owner; in the sandbox its programs can do no harm.
  const git = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };
  return { ...Object.fromEntries(kept), TMPDIR: '/tmp', GIT_OPTIONAL_LOCKS: '0', GIT_PAGER: 'cat', ...git };
}

/** The top of the repository if the project is below it; for a worktree, the repository that it belongs to. */
function repositoryFolders(project: string, home: string, isHidden: (file: string) => boolean): readonly string[] {
  for (let top = project; top !== path.dirname(top); top = path.dirname(top)) {
    const stats = lstatSync(path.join(top, '.git'), { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (stats.uid !== process.getuid?.() || isWithin(top, home)) return [];
    const git = path.join(top, '.git');
    const common = stats.isFile() ? commonFolder(git) : [];
    const isBare = [git, ...common].some((each) => tracksHidden(each, isHidden));
    return [...(top === project ? [] : [top]), ...(isBare ? [] : common)];
  }
  return [];
}

/** Only if that repository knows this worktree: the file could name any folder. */
function commonFolder(gitFile: string): readonly string[] {
  const gitDir = namedFolder(gitFile);
  const isKnown = realPath(path.resolve(gitDir, readText(path.join(gitDir, 'gitdir')))) === realPath(gitFile);
  const common = realPath(path.resolve(gitDir, readText(path.join(gitDir, 'commondir'))));
  return isKnown && isWithin(common, gitDir) && existsSync(path.join(common, 'objects')) ? [common] : [];
}

function namedFolder(gitFile: string): string {
  return realPath(path.resolve(path.dirname(gitFile), readText(gitFile).replace(/^gitdir: /, '')));
}

/** git reads tracked files from its objects (`git show :.env`), which no mount can cover one by one, so a repository that
 *  tracks a hidden file is hidden completely. */
function tracksHidden(git: string, isHidden: (file: string) => boolean): boolean {
  const gitDir = lstatSync(git, { throwIfNoEntry: false })?.isFile() === true ? namedFolder(git) : git;
  const index = readBytes(path.join(gitDir, 'index'));
  if (index === undefined) return false;
  const version = index.length < 12 ? 0 : index.readUInt32BE(4);
  // Other versions compress the names, so the tracked files are unknown.
  if (version !== 2 && version !== 3) return true;
  const top = path.dirname(git);
  for (let left = index.readUInt32BE(8), at = 12; left > 0; left--) {
    if (at + 62 > index.length) return true;
    const start = at + ((index.readUInt16BE(at + 60) & 0x4000) === 0 ? 62 : 64);
    const end = index.indexOf(0, start);
    const file = path.join(top, index.toString('utf8', start, end < 0 ? start : end));
    if (isHidden(file)) return true;
    at += Math.floor((end - at + 8) / 8) * 8;
  }
  return false;
}

function readText(file: string): string {
  return readBytes(file)?.toString('utf8').trim() ?? '';
}

function readBytes(file: string): Buffer | undefined {
  try {
    return statSync(file).isFile() ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  }
}
