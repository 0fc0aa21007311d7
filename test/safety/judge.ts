// What a stopped command and what followed left → what is wrong with it, by bytes: the trees before and after an undisturbed
// run, and the lines that another process appended.
import path from 'node:path';
import type { FaultyRun } from '../support/changing-calls.ts';
import type { Run } from '../support/clew.ts';
import type { ExploredCommand } from './explored-commands.ts';
import type { FollowedUp, SeenOperation } from './follow-up.ts';

/** Paths below the place with their bytes. */
export type Tree = ReadonlyMap<string, string>;

/** A line that another process appended to a file. */
export interface Appended {
  readonly name: string;
  readonly mark: string;
  readonly line: string;
  /** The command had its result in place already. */
  readonly isLate: boolean;
}

export interface Observed {
  readonly what: string;
  readonly run: FaultyRun;
  /** Right after the command. */
  readonly tree: Tree;
  readonly followed: FollowedUp;
  readonly appended: readonly Appended[];
  readonly second?: Run;
  /** A file or folder whose removal the disk refused. */
  readonly kept?: string;
  /** The disk refused to say that something is durable. */
  readonly isUnsynced?: boolean;
  /** The same command once more, where that finishes it. */
  readonly again?: Run;
  /** What a second command saw of the history, and the disk at that moment. */
  readonly seenAtSecond?: { readonly history: readonly SeenOperation[]; readonly tree: Tree };
}

export interface Expected {
  readonly before: Tree;
  readonly after: Tree;
  readonly listedBefore: readonly string[];
  readonly listedAfter: readonly string[];
  readonly undone?: Tree;
}

type Where = 'before' | 'after' | 'both' | 'between';

/** One line for each thing that is wrong; its first word is the kind. */
export function judgePoint(command: ExploredCommand, expected: Expected, observed: Observed): readonly string[] {
  const { run, followed, appended } = observed;
  const trees = { first: observed.tree, next: new Map(followed.tree), undone: new Map(followed.undo?.tree ?? []) };
  const next = withoutAppended(trees.next, appended, expected);
  const where = findWhere(next, expected);
  // The second command waited for the first one and undid it.
  const isUndone = observed.what === 'second undo' && observed.second?.status === 0;
  const faults = [
    ...judgeExit(
      { hasNoResult: command.hasNoResult === true || isUndone, isUnsynced: observed.isUnsynced === true },
      run,
      findWhere(withoutAppended(trees.first, appended, expected), expected),
    ),
    ...(followed.next.status === 0 ? [] : [`stuck: the next command fails: ${oneLine(followed.next.stderr)}`]),
    ...judgeSecond(command, expected, observed),
    ...judgeAgain(observed.again, where),
    ...lostSessions(next, expected),
    ...(where === 'between' ? [`torn: ${describeDifference(next, expected)}`] : []),
    ...judgeFolders(trees.next, expected, where, observed.kept),
    ...judgeHistory(command, followed.history, where),
    // A client that does not know that its session was moved makes the file again.
    ...(appended.some(({ name, isLate }) => isLate || isGone(name, expected.after))
      ? []
      : judgeList(followed.listed, expected, where)),
    ...followed.leftovers.filter((file) => file !== observed.kept).map((file) => `leftover: ${file}`),
    ...judgeUndo(command, expected, observed, where),
    ...lostLines(appended, trees.next, trees.undone, expected, where),
  ];
  return faults;
}

/** The exit code is 0 only with the result in place, and an error is one line with a next step. */
function judgeExit(
  { hasNoResult, isUnsynced }: { readonly hasNoResult: boolean; readonly isUnsynced: boolean },
  { status, stderr }: FaultyRun,
  where: Where,
): readonly string[] {
  if (status === null) return [];
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('waiting for another clew'));
  if (status === 70) return [`bug: exit 70: ${oneLine(stderr)}`];
  const form =
    // Notices, such as that of an index that cannot be written, come before it.
    status === 0 || (lines.every((line) => line.startsWith('clew: ')) && /^clew: .+; .+/.test(lines.at(-1) ?? ''))
      ? []
      : [`message: ${oneLine(stderr)}`];
  if (hasNoResult || where === 'both') return form;
  if (status === 0 && where !== 'after') return [...form, `exit: 0, but the result is not in place (${where})`];
  // What is in place but not durable may be reported either way.
  if (status !== 0 && where === 'after' && !isUnsynced)
    return [...form, `exit: ${status}, but the result is in place: ${oneLine(stderr)}`];
  return form;
}

function judgeSecond(
  command: ExploredCommand,
  expected: Expected,
  { second, seenAtSecond }: Observed,
): readonly string[] {
  if (second === undefined) return [];
  const faults: string[] = [];
  if (second.status === 70) faults.push(`bug: the second command: ${oneLine(second.stderr)}`);
  if (seenAtSecond !== undefined) {
    const [record] = seenAtSecond.history;
    const where = findWhere(seenAtSecond.tree, expected);
    const [done, undone]: readonly Where[] = command.isUndo ? ['before', 'after'] : ['after', 'before'];
    if (record?.state === 'done' && where !== done && where !== 'both')
      faults.push(`lie: the history says done while the disk is ${where}`);
    if (record?.state === 'undone' && where !== undone && where !== 'both')
      faults.push(`lie: the history says undone while the disk is ${where}`);
  }
  return faults;
}

function judgeAgain(again: Run | undefined, where: Where): readonly string[] {
  if (again === undefined || (again.status === 0 && where === 'after')) return [];
  return [`stuck: run again, it exits ${again.status} and the disk is ${where}: ${oneLine(again.stderr)}`];
}

/** A transcript that is nowhere, neither as it was nor as the command makes it. */
function lostSessions(tree: Tree, { before, after }: Expected): readonly string[] {
  const contents = new Set(tree.values());
  return [...before].flatMap(([name, bytes]) => {
    if (!/\/[0-9a-f-]{36}\.jsonl$/.test(name)) return [];
    const base = path.basename(name);
    const results = [...after].filter(([other]) => path.basename(other) === base).map(([, result]) => result);
    const isRemoved = results.length === 0;
    const isThere = isRemoved || [bytes, ...results].some((each) => contents.has(each));
    return isThere ? [] : [`lost: session ${base} is nowhere as it was or as it should become`];
  });
}

function judgeHistory(command: ExploredCommand, [record]: readonly SeenOperation[], where: Where): readonly string[] {
  if (!command.isRecorded || where === 'both' || where === 'between') return [];
  const state = record?.state;
  const wanted = (where === 'after') === command.isUndo ? 'undone' : 'done';
  if (wanted === 'done' ? state === 'done' : state === 'undone' || (state === undefined && !command.isUndo)) return [];
  return [`lie: the history says ${state ?? 'nothing'}, but the disk is ${wanted}`];
}

/** The command deletes the session, wherever it was. */
function isGone(name: string, after: Tree): boolean {
  return ![...after.keys()].some((each) => nameInProject(each) === nameInProject(name));
}

/** The same wherever a session is moved to. */
function nameInProject(name: string): string {
  return name.replace(/^.*\/projects\/[^/]+\//, '');
}

function judgeList(listed: readonly string[], expected: Expected, where: Where): readonly string[] {
  const wanted = { before: [expected.listedBefore], after: [expected.listedAfter] }[where as 'before'] ?? [
    expected.listedBefore,
    expected.listedAfter,
  ];
  return wanted.some((ids) => ids.join() === listed.join())
    ? []
    : [`list: ${listed.map((id) => id.slice(0, 4)).join(' ')}`];
}

/** What is done can be undone, byte for byte; what is not done has nothing to undo. */
function judgeUndo(
  command: ExploredCommand,
  expected: Expected,
  { followed: { undo, history }, appended }: Observed,
  where: Where,
): readonly string[] {
  const undone = command.isUndo ? expected.after : expected.undone;
  if (undone === undefined || undo === undefined) return [];
  const [record] = history;
  if (undo.status !== 0) {
    if (record?.state === 'undone' && /already undone|nothing to undo|no operation/.test(undo.stderr)) return [];
    // The client made the file again, so that it is the newer one.
    if (appended.length > 0 && /exists again/.test(undo.stderr)) return [];
    // Nor is it overwritten where it has grown since, or had grown before the undo that was stopped began.
    if (appended.some(({ isLate }) => isLate || command.isUndo) && /has changed since/.test(undo.stderr)) return [];
    return [`undo: ${record?.state ?? 'no record'}, the disk is ${where}: ${oneLine(undo.stderr)}`];
  }
  const tree = withoutAppended(new Map(undo.tree), appended, expected);
  const isUndone = sameFiles(withoutLeftovers(tree), withoutLeftovers(undone));
  const faults = isUndone ? [] : [`undo: ${differences(withoutLeftovers(tree), withoutLeftovers(undone))}`];
  return undo.history[0]?.state === 'undone' || undo.history.length === 0
    ? faults
    : [...faults, `lie: after the undo, the history says ${undo.history[0]?.state}`];
}

/** Each line is in the file that is live at the end; of a session that was deleted, after its undo. */
function lostLines(
  appended: readonly Appended[],
  next: Tree,
  undone: Tree,
  { before, after }: Expected,
  where: Where,
): readonly string[] {
  return appended.flatMap(({ name, mark, isLate }) => {
    const base = path.basename(name);
    const final = where === 'after' ? after : before;
    const live = [...final.keys()].filter((each) => nameInProject(each) === nameInProject(name));
    const found = [...next].filter(([, bytes]) => hasLine(bytes, mark)).map(([file]) => file);
    if (
      live.length === 0
        ? [...next, ...undone].some(([, bytes]) => hasLine(bytes, mark))
        : live.some((each) => found.includes(each))
    )
      return [];
    if (found.some((file) => nameInProject(file) === nameInProject(name)))
      return isLate ? [] : [`line: only in a file of its own, ${name}`];
    const isBack = [...undone].some(([, bytes]) => hasLine(bytes, mark));
    return [`line: lost from ${base}${isBack ? ' until the undo' : ''} (${where})`];
  });
}

function hasLine(bytes: string, mark: string): boolean {
  return bytes.split('\n').some((line) => line.includes(`"${mark}"`) && isJson(line));
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** Without the lines of others, and without files that hold nothing else. */
function withoutAppended(tree: Tree, appended: readonly Appended[], { before, after }: Expected): Tree {
  const marks = appended.map(({ mark }) => `"${mark}"`);
  const rest = [...tree].flatMap(([name, bytes]): [string, string][] => {
    const lines = bytes.split(/(?<=\n)/).filter((line) => !marks.some((mark) => line.includes(mark)));
    const text = lines.join('');
    return text === '' && bytes !== '' && !(before.get(name) === '' || after.get(name) === '') ? [] : [[name, text]];
  });
  return new Map(rest);
}

/** Without temporary files and empty folders: each of them is a fault of its own. */
function withoutLeftovers(tree: Tree): Tree {
  const own = new Map([...tree].filter(([name]) => !/\/\.clew-[0-9a-f]{16}\.tmp$/.test(name)));
  const empty = emptyFolders(own);
  return new Map([...own].filter(([name]) => !empty.includes(name)));
}

/** Folders that hold nothing, or only such folders. */
function emptyFolders(tree: Tree): readonly string[] {
  const names = [...tree.keys()];
  const files = names.filter((name) => !name.endsWith('/'));
  return names.filter((name) => name.endsWith('/') && !files.some((file) => file.startsWith(name)));
}

/** A folder that the disk does not remove stays with those around it: it is empty, and no reason to fail or to try for ever. */
function judgeFolders(tree: Tree, { before, after }: Expected, where: Where, kept = ''): readonly string[] {
  const known = where === 'after' ? [after] : where === 'before' ? [before] : [before, after];
  return emptyFolders(tree)
    .filter((name) => !known.some((each) => each.has(name)) && !kept.startsWith(name))
    .map((folder) => `leftover: the empty folder ${folder}`);
}

function findWhere(tree: Tree, { before, after }: Expected): Where {
  const own = withoutLeftovers(tree);
  const [isBefore, isAfter] = [before, after].map((each) => sameFiles(own, withoutLeftovers(each)));
  if (isBefore && isAfter) return 'both';
  return isBefore ? 'before' : isAfter ? 'after' : 'between';
}

function sameFiles(a: Tree, b: Tree): boolean {
  return differencesOf(a, b).length === 0;
}

function describeDifference(tree: Tree, { before, after }: Expected): string {
  const own = withoutLeftovers(tree);
  const [toBefore = [], toAfter = []] = [before, after].map((each) => differencesOf(own, withoutLeftovers(each)));
  const [name, list] = toBefore.length <= toAfter.length ? ['before', toBefore] : ['after', toAfter];
  return `like ${name} but for ${list.slice(0, 3).join('; ')}${list.length > 3 ? ` and ${list.length - 3} more` : ''}`;
}

function differences(a: Tree, b: Tree): string {
  const list = differencesOf(a, b);
  return `${list.slice(0, 3).join('; ')}${list.length > 3 ? ` and ${list.length - 3} more` : ''}`;
}

function differencesOf(a: Tree, b: Tree): readonly string[] {
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names]
    .filter((name) => a.get(name) !== b.get(name))
    .map((name) => `${name} is ${!a.has(name) ? 'missing' : !b.has(name) ? 'new' : 'different'}`);
}

function oneLine(text: string): string {
  return text.trim().replaceAll('\n', ' ⏎ ').slice(0, 300);
}
