// Rewinds an open session to the state before a prompt: its files, from our or Claude Code's backups, its chat, by
// continuing from the line above the prompt, or both. Everything is backed up before it is deleted, and nothing outside
// the project is touched, whatever the session file says.

import { randomUUID } from 'node:crypto';
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import path from 'node:path';
import { structuredPatch } from 'diff';
import { UserError } from '../../base/errors/index.ts';
import { asEntry, contentOf } from '../../format/entry/index.ts';
import { loadSession, type Session } from '../../session/load/index.ts';
import { resumeLines } from '../../session/resume/request/index.ts';
import { type Node, promptText } from '../../session/transcript/index.ts';
import { syncPath } from '../../store/index.ts';
import type { RewindPoint, RewindPreview, RewindReport } from '../contract/index.ts';
import { continueAt } from './continuation.ts';
import { type Backup, copyWhole, fileOf, isAsKept, readSnapshots, type Snapshot } from './file-history.ts';
import type { OpenSession } from './open-session.ts';

/** The prompts that the conversation can be rewound to, oldest first. */
export async function rewindPoints(open: OpenSession): Promise<readonly RewindPoint[]> {
  if (!open.recorder.isStarted || open.isEphemeral) return [];
  const session = await loadSession(open.file);
  const lines = resumeLines(session.transcript);
  if ('refused' in lines) return [];
  const snapshots = readSnapshots(session.transcript);
  const changed = await changedNow(open, snapshots);
  return lines.lines
    .filter((node) => node.promptKind !== undefined && node.uuid !== undefined)
    .map((node) => ({
      uuid: node.uuid ?? '',
      prompt: promptOf(session, node),
      at: new Date(node.time),
      changedFiles: changedSince(open, snapshots, node.uuid ?? '', changed),
    }));
}

/** The prompts that the user typed in the part of the session that is sent, oldest first; a command as it was called. */
export async function typedPrompts(open: OpenSession): Promise<readonly string[]> {
  if (!open.recorder.isStarted || open.isEphemeral) return [];
  const session = await loadSession(open.file);
  const lines = resumeLines(session.transcript);
  if ('refused' in lines) return [];
  return lines.lines.filter((node) => node.promptKind !== undefined).map((node) => promptOf(session, node));
}

export async function rewind(
  open: OpenSession,
  point: RewindPoint,
  what: 'chat' | 'files' | 'both',
): Promise<RewindReport> {
  if (open.isEphemeral)
    throw new UserError('a session that is not stored cannot be rewound', 'run without --no-session-persistence');
  await open.recorder.close();
  const session = await loadSession(open.file);
  const node = session.transcript.nodes.findLast(({ uuid }) => uuid === point.uuid);
  if (node === undefined)
    throw new UserError(
      `the session has no prompt ${point.uuid}`,
      'choose a prompt that the session can be rewound to',
    );
  const files = what === 'chat' ? nothingDone : await rewindFiles(open, session, point.uuid);
  if (what !== 'files') await rewindChat(open, session, node);
  return { ...files, prompt: promptOf(session, node) };
}

/** What a rewind of the files would change, without changing anything. */
export async function previewRewind(open: OpenSession, { uuid, changedFiles }: RewindPoint): Promise<RewindPreview> {
  const { transcript } = await loadSession(open.file);
  const targets = targetsAt(readSnapshots(transcript), uuid) ?? new Map();
  let insertions = 0;
  let deletions = 0;
  for (const [key, { name }] of targets) {
    const file = fileOf(key, open.history.cwd);
    if (!changedFiles.includes(file)) continue;
    const kept = name === undefined ? '' : readText(path.join(open.history.folder, path.basename(name)));
    const counts = countLines(readText(file), kept);
    insertions += counts.insertions;
    deletions += counts.deletions;
  }
  return { files: changedFiles, insertions, deletions };
}

const maxComparedBytes = 4 * 1024 * 1024;

/** Nothing for a file that is missing or too large to compare. */
function readText(file: string): string {
  const size = statSync(file, { throwIfNoEntry: false });
  return size?.isFile() === true && size.size <= maxComparedBytes ? readFileSync(file, 'utf8') : '';
}

function countLines(now: string, kept: string): { readonly insertions: number; readonly deletions: number } {
  const lines = structuredPatch('', '', now, kept, '', '', { context: 0, timeout: 2000 })?.hunks ?? [];
  const changed = lines.flatMap(({ lines: each }) => each);
  return {
    insertions: changed.filter((line) => line.startsWith('+')).length,
    deletions: changed.filter((line) => line.startsWith('-')).length,
  };
}

type FilesReport = Omit<RewindReport, 'prompt'>;
const nothingDone: FilesReport = { restored: [], removed: [], problems: [] };

/** Later lines stay in the file, as after the client's /rewind. */
async function rewindChat(open: OpenSession, { transcript, graph }: Session, prompt: Node): Promise<void> {
  const going = continueAt(transcript, graph.parentOf(prompt)?.uuid ?? null);
  if (going === undefined)
    throw new UserError(
      'the conversation cannot continue from before this prompt',
      'fork it there with `clew fork --at`',
    );
  await open.recorder.goOnFrom(going);
  await open.recorder.markRewound(randomUUID());
}

async function rewindFiles(open: OpenSession, { transcript }: Session, promptUuid: string): Promise<FilesReport> {
  const targets = targetsAt(readSnapshots(transcript), promptUuid);
  if (targets === undefined) return { ...nothingDone, problems: ['no file was kept at this prompt'] };
  const report = { restored: [] as string[], removed: [] as string[], problems: [] as string[] };
  for (const [key, backup] of targets) {
    const file = fileOf(key, open.history.cwd);
    try {
      const done = await restoreFile(open, key, file, backup);
      if (done !== 'same') report[done].push(file);
    } catch (error) {
      report.problems.push(`${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return report;
}

/** The state of each file at a prompt: from its snapshot or, if it first changed later, from before that change. */
function targetsAt(snapshots: readonly Snapshot[], promptUuid: string): ReadonlyMap<string, Backup> | undefined {
  const at = snapshots.findIndex(({ messageId }) => messageId === promptUuid);
  if (at < 0) return undefined;
  const targets = new Map<string, Backup>();
  for (const { tracked } of snapshots.slice(at))
    for (const [key, backup] of tracked) if (!targets.has(key)) targets.set(key, backup);
  return targets;
}

async function restoreFile(
  open: OpenSession,
  key: string,
  file: string,
  backup: Backup,
): Promise<'restored' | 'removed' | 'same'> {
  refuseOutside(file, open.cwd);
  const kept = backup.name === undefined ? undefined : backupPath(open.history.folder, backup.name);
  if (await isAsKept(file, kept)) return 'same';
  const now = statSync(file, { throwIfNoEntry: false });
  if (now !== undefined) await open.history.keepVersion(key);
  if (kept === undefined) {
    await rm(file);
    await syncPath(path.dirname(file));
    return 'removed';
  }
  await copyWhole(kept, file);
  if (now !== undefined) await chmod(file, now.mode & 0o777);
  return 'restored';
}

/** The name comes from the session file, which may come from anywhere. */
function backupPath(folder: string, name: string): string {
  if (!/^[0-9a-f]{16}@v\d+$/.test(name)) throw new Error(`"${name}" is not the name of a backup`);
  const file = path.join(folder, name);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new Error('its backup is gone');
  return file;
}

function refuseOutside(file: string, project: string): void {
  const inside = path.relative(realpathSync(project), realPlace(file));
  if (inside === '' || inside.startsWith('..') || path.isAbsolute(inside)) throw new Error('it is outside the project');
  if (inside.split(path.sep).includes('.git')) throw new Error('it belongs to git');
  const now = lstatSync(file, { throwIfNoEntry: false });
  if (now !== undefined && !now.isFile()) throw new Error('it is not a regular file now');
}

/** The real path of a file that may not exist: links are resolved as far as the path exists. */
function realPlace(file: string): string {
  const folder = path.dirname(file);
  try {
    return path.join(realpathSync(folder), path.basename(file));
  } catch {
    return folder === file ? file : path.join(realPlace(folder), path.basename(file));
  }
}

/** Files that differ from their newest backup. */
async function changedNow(open: OpenSession, snapshots: readonly Snapshot[]): Promise<ReadonlySet<string>> {
  const newest = new Map(snapshots.flatMap(({ tracked }) => [...tracked]));
  const changed = new Set<string>();
  for (const [key, { name }] of newest) {
    const kept = name === undefined ? undefined : path.join(open.history.folder, path.basename(name));
    if (!(await isAsKept(fileOf(key, open.history.cwd), kept).catch(() => false))) changed.add(key);
  }
  return changed;
}

/** The files that a rewind to this prompt would restore. */
function changedSince(
  open: OpenSession,
  snapshots: readonly Snapshot[],
  promptUuid: string,
  changed: ReadonlySet<string>,
): readonly string[] {
  const newest = new Map(snapshots.flatMap(({ tracked }) => [...tracked]));
  return [...(targetsAt(snapshots, promptUuid) ?? [])]
    .filter(([key, backup]) => changed.has(key) || newest.get(key)?.name !== backup.name)
    .map(([key]) => fileOf(key, open.history.cwd));
}

function promptOf({ transcript }: Session, node: Node): string {
  return promptText(contentOf(asEntry(transcript.read(node)) ?? {}));
}
