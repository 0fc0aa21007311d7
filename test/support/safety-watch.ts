// A watched call in a hostile place → what it touched, in the words of docs/safety.md, and its violations.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { shellQuote } from '../../src/base/text/human.ts';
import type { Run } from './clew.ts';
import { type HostilePlace, snapshotAround } from './hostile-place.ts';
import { ordinaryProgram, ordinaryUser } from './ordinary-user.ts';
import { projectRoot } from './paths.ts';
import { rowFor, type SafetyRow } from './safety-table.ts';
import { steeringIn } from './steering.ts';
import { type WatchedRun, watchProgram } from './system-calls.ts';
import { changesOf, listTree } from './tree-snapshot.ts';

export interface WatchedCall {
  readonly run: WatchedRun;
  readonly done: Readonly<Record<Column, ReadonlySet<string>>>;
  /** One line each; none if the call did only what its row allows, ended, printed plain text and changed nothing else. */
  readonly faults: readonly string[];
}

type Column = 'reads' | 'writes' | 'deletes' | 'sends';

export interface CallOptions {
  readonly input?: string;
  /** It is stopped after `seconds`, which is expected. */
  readonly isEndless?: boolean;
  readonly isInTerminal?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Addresses on loopback and the words for them. */
  readonly servers?: Readonly<Record<string, string>>;
  readonly seconds?: number;
}

/** `tag {sound} new` → the words of a call in this place. */
export function argsOf(place: HostilePlace, line: string): readonly string[] {
  return (line.match(/(?:\{[a-z ]+\}|\S)+/g) ?? []).map((word) => fillIn(place, word));
}

/** Names in braces are sessions, or folders of the place. */
export function fillIn(place: HostilePlace, text: string): string {
  const { sessions, project, input, out, work } = place;
  const file = path.join(project, `${sessions.sound}.jsonl`);
  const names: Readonly<Record<string, string>> = { ...sessions, 'sound file': file, input, out, work };
  return text.replace(/\{([a-z ]+)\}/g, (_, name: string) => {
    const value = names[name];
    if (value === undefined) throw new Error(`the hostile place has no ${name}`);
    return value;
  });
}

/** A call that prepares a watched one. */
export function prepareCall(place: HostilePlace, args: readonly string[]): void {
  const [node = '', ...program] = ordinaryProgram();
  const { error } = spawnSync(node, [...program, ...args], {
    env: place.env,
    cwd: place.work,
    ...ordinaryUser,
  });
  if (error !== undefined) throw error;
}

export async function watchCall(
  place: HostilePlace,
  args: readonly string[],
  options: CallOptions = {},
): Promise<WatchedCall> {
  const { input = '', isEndless = false, isInTerminal = false, env = {}, servers = {}, seconds = 60 } = options;
  const before = new Set(listTree(place.top));
  const links = linksIn(before);
  const row = rowFor(args);
  const open = [
    ...(row.writes.includes('working folder') ? [place.work] : []),
    ...(row.writes.includes('temporary folder') ? [path.join(place.top, 'tmp')] : []),
  ];
  const around = snapshotAround(place, open);
  const argv = [...ordinaryProgram(), ...args];
  const run = await watchProgram(isInTerminal ? inTerminal(argv) : argv, {
    env: { ...place.env, ...env },
    cwd: place.work,
    isNobody: ordinaryUser.uid !== undefined,
    input,
    seconds,
  });
  const sort = (paths: Iterable<string>, placeOf: typeof placeRead, follows: boolean): Map<string, string> =>
    new Map([...paths].map((file) => [file, placeOf(place, realOf(file, links, follows))]));
  const reads = sort(run.reads, placeRead, true);
  const writes = sort(run.writes, placeWritten, true);
  const deletes = sort(run.deletes, placeWritten, false);
  for (const file of run.deletes) if (!before.has(realOf(file, links, false))) deletes.delete(file);
  const sends = new Map([...run.connects].map((address) => [address, servers[address] ?? `address ${address}`]));
  for (const address of run.listens) sends.set(address, address.startsWith('127.0.0.1:') ? '127.0.0.1' : address);
  const found = { reads, writes, deletes, sends };
  const faults = [
    ...extraIn(found, row),
    // The agent's screen is full of its own sequences.
    ...(isInTerminal ? [] : outputFaults(args, isEndless ? { ...run, status: 0 } : run)),
    ...changesOf(around, snapshotAround(place, open)),
  ];
  const call = `clew ${args.map((word) => JSON.stringify(word)).join(' ')}`;
  return { run, done: valuesOf(found), faults: faults.map((fault) => `${call}: ${fault}`.replaceAll(place.top, '')) };
}

type Found = Readonly<Record<Column, ReadonlyMap<string, string>>>;

function valuesOf(found: Found): WatchedCall['done'] {
  const of = (column: Column): ReadonlySet<string> =>
    new Set([...found[column].values()].filter((word) => word !== ''));
  return { reads: of('reads'), writes: of('writes'), deletes: of('deletes'), sends: of('sends') };
}

function extraIn(found: Found, row: SafetyRow): readonly string[] {
  return (['reads', 'writes', 'deletes', 'sends'] as const).flatMap((column) =>
    [...found[column]]
      .filter(([, word]) => word !== '' && !row[column].includes(word))
      .map(([what, word]) => `${column} ${word}: ${what}`),
  );
}

/** What no call may do: end as a bug, never end, send control sequences. */
export function outputFaults(
  args: readonly string[],
  { status, stdout, stderr }: Run,
  isTerminal = false,
): readonly string[] {
  const ended = new Map([
    [70, `exit 70: ${stderr.trim()}`],
    [124, 'did not end'],
    [137, 'did not end'],
  ]);
  const fault = status === null ? 'was killed by a signal' : ended.get(status);
  // `clew cat` prints the bytes unchanged, unless it writes to a terminal.
  const printed = args[0] === 'cat' && !isTerminal ? [stderr] : [stdout, stderr];
  return [...(fault === undefined ? [] : [fault]), ...printed.flatMap((text) => steeringIn(text) ?? [])];
}

/** With a terminal for stdin, stdout and stderr. */
export function inTerminal(argv: readonly string[]): readonly string[] {
  return ['/usr/bin/script', '-qec', argv.map(shellQuote).join(' '), '/dev/null'];
}

function linksIn(files: Iterable<string>): ReadonlyMap<string, string> {
  const links = [...files].filter((file) => existsSync(path.dirname(file)) && lstatSync(file).isSymbolicLink());
  return new Map(links.map((file) => [file, path.resolve(path.dirname(file), readlinkSync(file))]));
}

/** The target of a path before the call, which may have removed links. A deletion does not follow the last link. */
function realOf(file: string, links: ReadonlyMap<string, string>, follows: boolean): string {
  let real = '/';
  const parts = file.split('/').filter((part) => part !== '');
  for (const [i, part] of parts.entries()) {
    const next = path.resolve(real, part);
    real = follows || i < parts.length - 1 ? (links.get(next) ?? next) : next;
  }
  return real;
}

/** The word of docs/safety.md for a path that is read; nothing for the system's files and Clew's own program. */
function placeRead(place: HostilePlace, file: string): string {
  const { top, canary, input } = place;
  const isIn = (folder: string): boolean => file === folder || file.startsWith(`${folder}/`);
  if (!isIn(top)) return isSystem(file) ? '' : `elsewhere (${file})`;
  if (isIn(path.join(canary, 'linked'))) return 'sessions'; // what their links lead to may be read
  if (isIn(path.join(canary, 'named')) || isIn(input) || file.endsWith('.clew')) return 'input';
  return placeWritten(place, file);
}

function placeWritten({ top, root, state, out, work }: HostilePlace, file: string): string {
  const isIn = (folder: string): boolean => file === folder || file.startsWith(`${folder}/`);
  if (isIn(path.join(state, 'archive'))) return 'archive';
  if (isIn(path.join(state, 'operations'))) return 'operations';
  if (isIn(state)) return 'state';
  if (isIn(path.join(root, 'projects')) || isIn(path.join(out, 'loose'))) return 'sessions';
  if (isIn(out)) return 'output';
  // Replacing a file creates a temporary one in its folder, and syncs the folder.
  const home = path.dirname(root);
  if ([root, home].includes(file)) return '';
  if ([root, home].includes(path.dirname(file)) && /^\.clew-[0-9a-f]{16}\.tmp$/.test(path.basename(file))) return '';
  if (path.dirname(file) === home && /^\.claude\.json(?:\.lock)?$/.test(path.basename(file))) return 'client files';
  if (isIn(root)) return /^settings\.json[^/]*$/.test(path.relative(root, file)) ? 'settings.json' : 'client files';
  if (isIn(work)) return 'working folder';
  if (/^tmp\/clew-(?:client|archived|session|store)-\w+(?:\/|$)/.test(path.relative(top, file)))
    return 'temporary folder';
  return /^\/dev\/(?:null|tty|ptmx|pts\/\d+)$/.test(file) ? '' : `elsewhere (${path.relative(top, file)})`;
}

const systemFolders = ['/dev', '/proc', '/sys', '/etc', '/usr', '/lib', '/lib64', '/bin', '/var'];

function isSystem(file: string): boolean {
  const packages = realpathSync(path.join(projectRoot, 'node_modules'));
  const [node = '', program = ''] = ordinaryProgram();
  const own = [
    projectRoot,
    packages,
    ...[process.execPath, node, program].map((each) => path.dirname(path.dirname(each))),
  ];
  return file === '/' || [...systemFolders, ...own].some((folder) => file === folder || file.startsWith(`${folder}/`));
}
