// What the client stores of a session outside its files: prompts in `history.jsonl`, copies of the files it changed, task
// lists, a debug log. Redacting in place covers them too.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import { sessionPlace } from '../../library/session-files/index.ts';
import {
  compareNames,
  type FileIdentity,
  identify,
  type LeftOut,
  listOwned,
  type OwnedFiles,
  readLineBatches,
  realPlace,
  whyLeaving,
} from '../../store/index.ts';
import type { OutLine, PlannedOtherFile } from '../engine/index.ts';
import type { Redactor } from './redactor.ts';
import { type FileSurvey, learnFile, redactFile, type SecretPlace, surveyFile, surveyName } from './survey.ts';

export interface KeptElsewhere {
  /** Taken before the files were read, because other sessions add prompts to the history. */
  readonly identities: ReadonlyMap<string, FileIdentity>;
  /** What may hold a secret but is not changed, because a link leads there. */
  readonly leftOut: readonly LeftOut[];
  learn(redactor: Redactor): void;
  redact(redactor: Redactor): RedactedElsewhere;
}

interface RedactedElsewhere {
  readonly files: readonly PlannedOtherFile[];
  /** The number of prompts of other sessions with a secret; they are not changed. */
  readonly foreign: number;
  /** Files whose old name held a secret. */
  readonly removals: readonly string[];
  readonly surveys: readonly FileSurvey[];
}

export async function keptElsewhere(main: string): Promise<KeptElsewhere> {
  const { projects, sessionId } = sessionPlace(main);
  const root = path.dirname(projects);
  const own = await ownFiles(root, sessionId);
  const files = own.files.map((file) => ({ path: file, name: path.basename(file) }));
  const leftOut = [...own.leftOut];
  const history = historyIn(root, leftOut);
  const read = [...files.map((file) => file.path), ...(history === undefined ? [] : [history])];
  return {
    leftOut,
    identities: new Map(read.map((file) => [file, identify(file)])),
    learn: (redactor) => {
      for (const file of files) {
        learnFile(file, redactor);
        redactor.learnFileName(file.name);
      }
      if (history === undefined) return;
      for (const { bytes, owner } of historyLines(history)) if (owner === sessionId) redactor.learn(bytes, 'json');
    },
    redact: (redactor) => {
      const surveys = files
        .flatMap((file) => [surveyFile(file, redactor), surveyName(file, redactor)])
        .filter(({ places }) => places.length > 0);
      const changed = files.flatMap((file): PlannedOtherFile[] => {
        const target = path.join(path.dirname(file.path), redactor.renameFile(file.name));
        const isChanged = surveys.some((survey) => survey.path === file.path);
        return isChanged ? [{ path: target, content: { bytes: redactFile(file, redactor) } }] : [];
      });
      const targets = new Set(changed.map((file) => file.path));
      const removals = files
        .filter(({ name, path: file }) => redactor.renameFile(name) !== name && !targets.has(file))
        .map((file) => file.path);
      if (history === undefined) return { files: changed, removals, surveys, foreign: 0 };
      const prompts = surveyHistory(history, sessionId, redactor);
      const foreign = countForeign(history, sessionId, redactor);
      if (prompts.lines.size === 0) return { files: changed, removals, surveys, foreign };
      const content = { lines: () => redactHistory(history, sessionId, redactor) };
      const all = [...changed, { path: history, content, isLog: true }];
      return { files: all, removals, surveys: [...surveys, prompts], foreign };
    },
  };
}

/** Not through links, which lead to files of others. */
async function ownFiles(root: string, sessionId: string): Promise<OwnedFiles> {
  const parts = [
    ...['file-history', 'tasks', 'session-env'].map((name) => path.join(name, sessionId)),
    ...['todos', 'debug'],
  ];
  const listed = await Promise.all(parts.map((part) => listKept(root, part)));
  const isNamed = (file: string): boolean =>
    path.basename(path.dirname(file)) === sessionId || path.basename(file).startsWith(sessionId);
  const isPart = (file: string): boolean => parts.includes(path.relative(root, file));
  return {
    files: listed.flatMap(({ files }) => files).filter(isNamed),
    leftOut: listed.flatMap(({ leftOut }) => leftOut).filter((each) => isPart(each.path) || isNamed(each.path)),
  };
}

/** Only files directly in the folder. */
async function listKept(root: string, part: string): Promise<OwnedFiles> {
  const folder = path.join(root, part);
  const real = realPlace(folder);
  if (!existsSync(folder)) return { files: [], leftOut: [] };
  if (real !== path.join(realPlace(root), part))
    return { files: [], leftOut: [{ path: folder, reason: `is really ${real}` }] };
  const { files, leftOut } = await listOwned(folder, real, []);
  return { files: files.filter((file) => path.dirname(file) === folder).sort(compareNames), leftOut };
}

function historyIn(root: string, leftOut: LeftOut[]): string | undefined {
  const history = path.join(root, 'history.jsonl');
  if (!existsSync(history)) return undefined;
  const leaving = whyLeaving(history, realPlace(root));
  const isFile = statSync(history).isFile();
  if (leaving === undefined && isFile) return history;
  leftOut.push({ path: history, reason: leaving ?? 'is not a regular file' });
  return undefined;
}

interface HistoryLine {
  readonly bytes: Buffer;
  readonly number: number;
  /** The session of the prompt; unknown in older clients. */
  readonly owner: string | undefined;
}

function* historyLines(file: string): Generator<HistoryLine> {
  if (!existsSync(file)) return;
  for (const batch of readLineBatches(file)) {
    for (const { bytes, number } of batch) yield { bytes: Buffer.from(bytes), number, owner: ownerOf(bytes) };
  }
}

/** In prompts without an owner, only secrets that the session also has are replaced. */
function redactPrompt({ bytes, owner }: HistoryLine, sessionId: string, redactor: Redactor): Buffer {
  if (owner === sessionId) return redactor.redact(bytes, 'json').bytes;
  return owner === undefined ? redactor.replaceKnown(bytes) : bytes;
}

function countForeign(file: string, sessionId: string, redactor: Redactor): number {
  let foreign = 0;
  for (const { bytes, owner } of historyLines(file))
    if (owner !== undefined && owner !== sessionId && redactor.findKnown(bytes).length > 0) foreign++;
  return foreign;
}

function surveyHistory(file: string, sessionId: string, redactor: Redactor): FileSurvey {
  const places: SecretPlace[] = [];
  for (const line of historyLines(file)) {
    const redacted = redactPrompt(line, sessionId, redactor);
    if (redacted === line.bytes || redacted.equals(line.bytes)) continue;
    const placeholders =
      line.owner === sessionId ? redactor.inspect(line.bytes, 'json') : redactor.findKnown(line.bytes);
    const text = redacted.toString('utf8');
    for (const placeholder of placeholders)
      places.push({ placeholder, line: line.number, count: 1, excerpt: redactor.excerpt(placeholder, text) });
  }
  return { path: file, lines: new Set(places.map(({ line }) => line)), places, signed: new Map() };
}

/** The number of lines of the history that still hold a secret. */
export function leakyPrompts(lines: Iterable<OutLine>, sessionId: string, redactor: Redactor): number {
  let leaky = 0;
  for (const { bytes } of lines) {
    const owner = ownerOf(bytes);
    const left =
      owner === sessionId ? redactor.inspect(bytes, 'json') : owner === undefined ? redactor.findKnown(bytes) : [];
    if (left.length > 0) leaky++;
  }
  return leaky;
}

function ownerOf(line: Buffer): string | undefined {
  return asString(asObject(parseJson(line.toString('utf8')))?.sessionId);
}

function* redactHistory(file: string, sessionId: string, redactor: Redactor): Generator<OutLine> {
  for (const line of historyLines(file))
    yield { bytes: redactPrompt(line, sessionId, redactor), isEdited: false, isRenamed: false };
}
