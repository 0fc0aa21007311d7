// Copies of redacted values that a search has found → what to do with each. What Clew and the client keep of a session apart
// from its files is cleaned; what belongs to other sessions, settings and everything unknown is only named.
import { existsSync, lstatSync, readFileSync, rmSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { isWithin, realPath } from '../../base/files/index.ts';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import { indexPath, removeIndex } from '../../library/index/index.ts';
import { usageFolder } from '../../library/usage/index.ts';
import { projectsFolder, replaceFile, withLock } from '../../store/index.ts';
import { listRecords, type OperationRecord, operationsFolder, removeBackup, writeRecord } from '../journal/index.ts';
import { nameOf } from '../secrets/index.ts';
import type { Redactor } from './redactor.ts';
import type { FoundCopy } from './search-files.ts';
import { inspectContent, isBinary } from './survey.ts';

/** A file, or several that belong together, with a secret. */
export interface CleanableCopy {
  readonly action: 'delete' | 'redact';
  /** The object of the action: `the search index …`. */
  readonly what: string;
  clean(): Promise<unknown>;
}

export interface CleaningPlan {
  readonly cleanable: readonly CleanableCopy[];
  /** Copies that are deliberately not changed, as sentences. */
  readonly kept: readonly string[];
}

export interface CleaningOptions {
  readonly state: string;
  readonly sessionId: string;
  /** The roots that were searched. */
  readonly roots: readonly string[];
  /** Knows the values. */
  readonly redactor: Redactor;
}

/** Changes nothing; call `clean` of each copy. Without the archive. */
export function planCleaning(copies: readonly FoundCopy[], options: CleaningOptions): CleaningPlan {
  const cleanable = [...findRebuilt(options), ...findOperations(copies, options)];
  const kept = new Set<string>();
  // Names last, the deepest first: a renamed folder would hide the files in it.
  const names = copies.filter(({ isInName }) => isInName).reverse();
  for (const copy of [...copies.filter(({ isInName }) => !isInName), ...names]) {
    const judged = judgeCopy(copy, options);
    if (typeof judged === 'string') kept.add(judged);
    else if (judged !== undefined) cleanable.push(judged);
  }
  return { cleanable, kept: [...kept] };
}

/** After the cleaning: one sentence for every file that holds a value, and what to do. */
export function explainCopies(copies: readonly FoundCopy[], options: CleaningOptions): readonly string[] {
  const sentences = copies.map((copy) => {
    const judged = judgeCopy(copy, options, true);
    if (typeof judged === 'string') return judged;
    return `${shown(copy, options)} still holds them: delete it`;
  });
  return [...new Set(sentences)];
}

/** Deleted rows stay in the pages of the index, and its words are no longer the text, so it is deleted without a search. */
function findRebuilt({ state }: CleaningOptions): readonly CleanableCopy[] {
  const index = indexPath(state);
  const usage = usageFolder(state);
  const copies: CleanableCopy[] = [];
  if (['', '-wal', '-shm'].some((ending) => existsSync(`${index}${ending}`))) {
    const what = `the search index (${index}), which is rebuilt when needed`;
    copies.push({ action: 'delete', what, clean: async () => removeIndex(index) });
  }
  if (existsSync(usage)) {
    const what = `what was counted of usage (${usage}), which is counted again when needed`;
    copies.push({ action: 'delete', what, clean: async () => rmSync(usage, { recursive: true, force: true }) });
  }
  return copies;
}

function findOperations(copies: readonly FoundCopy[], options: CleaningOptions): readonly CleanableCopy[] {
  const { state, sessionId, redactor } = options;
  const operations = operationsFolder({ CLEW_HOME: state });
  const isFound = (folder: string): boolean => copies.some(({ file }) => isWithin(realPath(folder), file));
  return listRecords(operations).flatMap((record): CleanableCopy[] => {
    if (!isOwn(record, sessionId)) return [];
    const inRecord = redactor.holdsValue(Buffer.from(JSON.stringify(record)));
    const backup = path.join(operations, record.id, 'backup');
    const inBackup = isFound(backup) || holdsInBackup(operations, record, redactor);
    if (!inRecord && !inBackup) return [];
    const name = `operation ${record.id} (${record.operation})`;
    const what = inBackup
      ? `the backup of ${name}, which can no longer be undone`
      : `file names in the record of ${name}`;
    const clean = (): Promise<void> =>
      withLock(operations, { what: 'changing sessions' }, async () => {
        const hidden = JSON.parse(redactor.hide(JSON.stringify(record))) as OperationRecord; // placeholders need no escapes
        await writeRecord(operations, { ...hidden, hasNoBackup: true });
        await removeBackup(operations, record);
      });
    return [{ action: inBackup ? 'delete' : 'redact', what, clean }];
  });
}

function isOwn(record: OperationRecord, sessionId: string): boolean {
  return [...record.from, ...record.to].some((place) => place.sessionId === sessionId);
}

function holdsInBackup(operations: string, record: OperationRecord, redactor: Redactor): boolean {
  return record.files.some(({ backup }) => {
    const file = backup === undefined ? undefined : path.join(operations, record.id, backup);
    if (file === undefined || statSync(file, { throwIfNoEntry: false }) === undefined) return false;
    const bytes = readFileSync(file);
    if (redactor.holdsValue(bytes) || redactor.holdsValue(Buffer.from(file))) return true;
    return inspectContent(bytes, file, redactor).length > 0;
  });
}

/** A sentence if the copy stays; `undefined` if another part of the cleaning covers it, or if it is gone by now. */
function judgeCopy(copy: FoundCopy, options: CleaningOptions, isFinal = false): CleanableCopy | string | undefined {
  try {
    return judgePlace(copy, options, isFinal);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' ? undefined : `${shown(copy, options)} holds them and cannot be changed (${code})`;
  }
}

function judgePlace(copy: FoundCopy, options: CleaningOptions, isFinal: boolean): CleanableCopy | string | undefined {
  const state = realPath(options.state);
  if (!copy.isNamed) return `${shown(copy, options)} holds them, and its name is not UTF-8: delete it`;
  if (/^\.clew-[0-9a-f]{16}\.tmp$/.test(path.basename(copy.file))) return leftover(copy);
  return isWithin(state, copy.file)
    ? judgeOwnFile(copy, path.relative(state, copy.file), options, isFinal)
    : judgeClientFile(copy, options);
}

/** Of a writer that was killed; nobody reads it. */
function leftover({ file }: FoundCopy): CleanableCopy {
  const what = `${file}, which an interrupted command left`;
  return { action: 'delete', what, clean: () => rm(file, { force: true }) };
}

/** Written by the user: a key that the tracer needs must not be replaced. */
const settingsFiles: ReadonlySet<string> = new Set(['trace.json', 'redact.json', 'prices.json', 'team.json']);

function judgeOwnFile(
  copy: FoundCopy,
  name: string,
  options: CleaningOptions,
  isFinal: boolean,
): CleanableCopy | string | undefined {
  const [top = '', second = ''] = name.split(path.sep);
  if (top === 'archive') return judgeArchived(copy, options, isFinal);
  if (top === 'operations') return judgeBackup(second, copy, options);
  if (top === 'trace' && (second === 'outbox' || second === 'dead')) return judgeBatch(copy, options);
  if (/^index\.db(?:-wal|-shm)?$/.test(name) || top === 'usage')
    return isFinal ? `${copy.file} was written again and holds them: delete it` : undefined;
  if (settingsFiles.has(name)) return `${copy.file} also holds them: it has your settings and is not changed`;
  if (copy.isInName && lstatSync(copy.file).isDirectory())
    return `${shown(copy, options)} has them in its name: rename or delete it`;
  if (copy.isInName)
    return { action: 'delete', what: shown(copy, options), clean: () => rm(copy.file, { force: true }) };
  return replacedCopy(copy, options);
}

function judgeArchived({ file, sessionId }: FoundCopy, options: CleaningOptions, isFinal: boolean): string | undefined {
  if (sessionId === options.sessionId)
    return isFinal ? `the archive (${file}) still holds them: see \`clew archive --verify\`` : undefined;
  if (sessionId === undefined && !isFinal) return undefined;
  return 'the archive still holds them for other sessions: `clew redact --check --all` finds the sessions that still exist';
}

function judgeBackup(id: string, copy: FoundCopy, { state, sessionId }: CleaningOptions): string | undefined {
  const record = listRecords(operationsFolder({ CLEW_HOME: state })).find((each) => each.id === id);
  if (record === undefined) return `${copy.file} holds them, of an operation without a record: delete it`;
  if (isOwn(record, sessionId)) return undefined;
  return `the backup of operation ${id} (${record.operation}) holds them for another session: \`clew undo ${id}\` would restore them`;
}

function judgeBatch({ file }: FoundCopy, { sessionId }: CleaningOptions): string | undefined {
  const bytes = readFileSync(file);
  const owner = asString(asObject(parseJson(bytes.toString('utf8', 0, bytes.indexOf(0x0a))))?.sessionId);
  return owner === sessionId ? undefined : `traces of other sessions also hold them (${file})`;
}

/** What the client keeps apart from sessions and settings: nothing in it is needed as it is. */
const clientFolders: ReadonlySet<string> = new Set([
  ...['image-cache', 'jobs', 'paste-cache', 'plans', 'sessions', 'shell-snapshots', 'statsig', 'telemetry'],
  'usage-data',
]);
const sessionFolders: ReadonlySet<string> = new Set(['debug', 'file-history', 'session-env', 'tasks', 'todos']);

function judgeClientFile(copy: FoundCopy, options: CleaningOptions): CleanableCopy | string {
  const { folder, rest } = placeInRoot(copy.file, options.roots);
  const [owner] = uuid.exec(rest.join('/')) ?? [];
  if (folder === 'projects') {
    if (rest[1] === 'memory' || rest[1] === 'sessions-index.json') return changedCopy(copy, options);
    if (owner === undefined) return notChanged(copy, options);
    if (owner !== options.sessionId) return otherSession(owner);
    return `${shown(copy, options)} still holds them, where nothing is changed: in signed thinking, an id or a picture`;
  }
  if (clientFolders.has(folder)) return changedCopy(copy, options);
  if (sessionFolders.has(folder))
    return owner === undefined || owner === options.sessionId ? changedCopy(copy, options) : otherSession(owner);
  if (folder === 'history.jsonl')
    return `prompts of other sessions in ${copy.file} hold them too: redact these sessions`;
  return notChanged(copy, options);
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** A projects folder may itself be named as a root. */
function placeInRoot(file: string, roots: readonly string[]): { folder: string; rest: readonly string[] } {
  const root = roots.map(realPath).find((each) => isWithin(each, file));
  const parts = path.relative(root ?? path.dirname(file), file).split(path.sep);
  const isProjects = root !== undefined && projectsFolder(root) === root;
  return isProjects ? { folder: 'projects', rest: parts } : { folder: parts[0] ?? '', rest: parts.slice(1) };
}

function otherSession(owner: string): string {
  return `session ${owner} also holds them: \`clew redact ${owner} --in-place --no-backup\` replaces them there`;
}

function notChanged(copy: FoundCopy, options: CleaningOptions): string {
  return `${shown(copy, options)} also holds them: it is not of a session and is not changed, edit or delete it`;
}

function changedCopy(copy: FoundCopy, options: CleaningOptions): CleanableCopy | string {
  if (!copy.isInName) return replacedCopy(copy, options);
  const target = path.join(path.dirname(copy.file), nameOf(options.redactor.hide(path.basename(copy.file))));
  if (target === copy.file || existsSync(target))
    return `${shown(copy, options)} has them in its name: rename or delete it`;
  return { action: 'redact', what: shown(copy, options), clean: () => rename(copy.file, target) };
}

function replacedCopy({ file }: FoundCopy, { redactor }: CleaningOptions): CleanableCopy | string {
  const bytes = readFileSync(file);
  const replaced = isBinary(bytes) ? bytes : redactor.replaceValues(bytes);
  if (replaced.equals(bytes)) return `${redactor.hide(file)} holds them and cannot be changed: delete it`;
  return {
    action: 'redact',
    what: redactor.hide(file),
    clean: () => replaceFile(file, redactor.replaceValues(readFileSync(file))),
  };
}

function shown({ file }: FoundCopy, { redactor }: CleaningOptions): string {
  return redactor.hide(file);
}
