// Sessions → copies of them in Clew's own folder, from which `restore.ts` restores every byte. Files that have not
// changed since their last copy are not read; lines that the archive already holds are not written again.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { ownerOf } from '../../session/load/index.ts';
import {
  agentIdOf,
  type DiskProblem,
  diskError,
  type FoundSession,
  type LeftOut,
  listFolder,
  projectNames,
  projectsFolders,
  whySessionLeaves,
  withLock,
} from '../../store/index.ts';
import { type SessionPath, type SessionPlace, sessionPaths, sessionPlace } from '../session-files/index.ts';
import { archiveFolder } from './archive-folder.ts';
import { shortTitle, TitleFinder } from './archived-title.ts';
import {
  type ArchiveContents,
  type ArchivedFile,
  GroupBuilder,
  type Manifest,
  PackWriter,
  placeKey,
  readContents,
  readPieces,
  splitLine,
} from './pack/index.ts';
import { isSettled, settleArchive } from './settle.ts';

/** Options of `archiveSessions`. */
export interface ArchiveOptions {
  /** The archive; by default the one in Clew's state folder. */
  readonly folder?: string;
  /** Says what would be archived and writes nothing. */
  readonly isDryRun?: boolean;
  /** Called as transcripts are read, with the bytes read since the last call. */
  readonly onRead?: (bytes: number) => void;
  /** Called when it is known how much there is to read. */
  readonly onStart?: (totalBytes: number) => void;
  /** How long to wait for another process that writes to the archive; 0 fails at once. */
  readonly waitMs?: number;
  /** Called once if another process has to be waited for. */
  readonly onWait?: (holder: string) => void;
  /** @internal */
  readonly blockBytes?: number;
  /** @internal */
  readonly packBytes?: number;
}

/** What was done with one session. */
export interface SessionOutcome {
  readonly path: string;
  readonly sessionId: string;
  readonly outcome: 'archived' | 'unchanged' | 'failed';
  readonly files: number;
  readonly sizeBytes: number;
  /** What is in its folder but is not its own, such as a link that leads out of the root. */
  readonly leftOut: readonly LeftOut[];
  /** Why it failed. */
  readonly problem?: string;
}

/** What `archiveSessions` did. */
export interface ArchiveReport {
  /** In the order of the given sessions. */
  readonly sessions: readonly SessionOutcome[];
  /** Bytes by which the archive has grown. */
  readonly storedBytes: number;
  /** What a killed run or damage had left, and what was done about it. */
  readonly notices: readonly string[];
}

/**
 * Copies sessions into the archive, compressed, with every distinct line stored once. `sessions` are main
 * transcripts, also one that is gone where its sub-agents are still there (see `findOrphans`). A session that cannot be
 * read does not stop the others.
 */
export async function archiveSessions(
  sessions: readonly { readonly path: string }[],
  options: ArchiveOptions = {},
): Promise<ArchiveReport> {
  const folder = options.folder ?? archiveFolder();
  const known = readContents(folder);
  const first = await planAll(sessions, known);
  const isSame = first.every((plan) => !isChanged(plan)) && (known.packs.length === 0 || isSettled(known));
  if (options.isDryRun === true || isSame) return reportOf(first, 0, noticesOf(known));
  return withLock(folder, options, async () => {
    // Read again: whoever held the lock before may have archived the same sessions.
    const { contents, steps } = await settleArchive(folder);
    const plans = await planAll(sessions, contents);
    const toRead = plans.filter(isChanged).flatMap((plan) => plan.files);
    options.onStart?.(toRead.reduce((sum, file) => sum + file.stats.size, 0));
    const writer = openWriter(contents, options);
    try {
      for (const plan of plans) if (isChanged(plan)) await archiveOne(plan, writer, options);
      await writer.flush();
    } finally {
      await writer.close();
    }
    return reportOf(plans, writer.storedBytes, [...steps.map(({ message }) => message), ...noticesOf(contents)]);
  });
}

function openWriter(contents: ArchiveContents, options: ArchiveOptions): PackWriter {
  try {
    return new PackWriter(contents, options);
  } catch (error) {
    throw diskError(error, 'read', contents.folder);
  }
}

/** Whoever archives must hear of damage, although it does not stop the run. */
function noticesOf({ folder, damage }: ArchiveContents): readonly string[] {
  return damage.length === 0 ? [] : [`the archive ${folder} is damaged; run \`clew archive --verify\``];
}

interface Plan {
  readonly path: string;
  readonly place: SessionPlace;
  readonly files: readonly SessionPath[];
  readonly leftOut: readonly LeftOut[];
  readonly last: Manifest | undefined;
  problem: string | undefined;
}

async function planAll(sessions: readonly { readonly path: string }[], contents: ArchiveContents): Promise<Plan[]> {
  const agents = knownAgents(contents);
  const plans: Plan[] = [];
  for (const session of sessions) {
    const place = sessionPlace(session.path);
    const problems: DiskProblem[] = [];
    const { files, leftOut } = await sessionPaths(session.path, problems, (name) => {
      const owner = agents.get(path.join(place.projects, place.slug, name));
      return owner === undefined ? undefined : owner === place.sessionId;
    });
    const last = contents.sessions.get(placeKey(place))?.versions.at(-1);
    const problem = problemOf(session.path, files, problems);
    plans.push({ path: session.path, place, files, leftOut, last, problem });
  }
  return plans;
}

/** Which session the flat agents of 2.0.x belong to, so that their files need not be opened to find out. */
function knownAgents(contents: ArchiveContents): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { versions } of contents.sessions.values()) {
    const manifest = versions.at(-1);
    for (const file of manifest?.files.slice(1) ?? []) {
      if (manifest === undefined || file.path.includes('/')) continue;
      owners.set(path.join(manifest.projects, manifest.slug, file.path), manifest.sessionId);
    }
  }
  return owners;
}

function problemOf(main: string, files: readonly SessionPath[], problems: readonly DiskProblem[]): string | undefined {
  const [problem] = problems;
  if (problem !== undefined) return `cannot read ${problem.path} (${problem.code})`;
  const leaving = whySessionLeaves(main);
  if (leaving !== undefined) return `left out: ${main} ${leaving}`;
  return files.length > 0 ? undefined : `cannot read ${main} (ENOENT)`;
}

function isOrphan({ files, place }: Plan): boolean {
  return files[0]?.name !== `${place.sessionId}.jsonl`;
}

function isChanged(plan: Plan): boolean {
  const { files, last, problem } = plan;
  if (problem !== undefined) return false;
  if (isOrphan(plan))
    return files.some(
      (file) =>
        !isKept(
          file,
          last?.files.find(({ path: name }) => name === file.name),
        ),
    );
  if (last?.files.length !== files.length) return true;
  return files.some((file, index) => !isKept(file, last.files[index]));
}

function isKept({ name, stats }: SessionPath, known: ArchivedFile | undefined): boolean {
  return known?.path === name && known.sizeBytes === stats.size && known.mtimeMs === stats.mtimeMs;
}

async function archiveOne(plan: Plan, writer: PackWriter, options: ArchiveOptions): Promise<void> {
  const files: ArchivedFile[] = [];
  const titles = new TitleFinder();
  for (const file of plan.files) {
    const isMain = file.name === `${plan.place.sessionId}.jsonl`;
    const onLine = isMain ? (line: Buffer): void => titles.add(line) : undefined;
    try {
      files.push(await archiveFile(file, plan.place.sessionId, writer, { ...options, onLine }));
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === undefined || error instanceof UserError) throw error;
      plan.problem = `cannot read ${file.path} (${code})`;
      return;
    }
  }
  const manifest = { ...plan.place, archivedAtMs: Date.now(), files: [...filesOfBefore(plan), ...files] };
  writer.addManifest(manifest, shortTitle(titles.title));
}

/** If the main transcript is gone, the latest copy must not lose what an earlier one has. */
function filesOfBefore(plan: Plan): readonly ArchivedFile[] {
  if (!isOrphan(plan)) return [];
  const present = new Set(plan.files.map(({ name }) => name));
  return plan.last?.files.filter((file) => !present.has(file.path)) ?? [];
}

const linesPerGroup = 1024;

async function archiveFile(
  file: SessionPath,
  sessionId: string,
  writer: PackWriter,
  { onRead, onLine }: ArchiveOptions & { readonly onLine: ((line: Buffer) => void) | undefined },
): Promise<ArchivedFile> {
  const { size, mtimeMs, mode } = file.stats;
  const hash = createHash('sha256');
  const group = new GroupBuilder(sessionId);
  const groups: number[] = [];
  let sizeBytes = 0;
  let unawaited = 0;
  for (const piece of readPieces(file.path, { sizeBytes: size, ...(onRead === undefined ? {} : { onRead }) })) {
    hash.update(piece);
    sizeBytes += piece.length;
    onLine?.(piece);
    const parts = splitLine(piece);
    group.add(writer.add(parts.body), parts);
    // The content decides where a group ends: if a line is removed or inserted, the groups after it stay the same.
    if (endsGroup(parts.body) || group.lines === linesPerGroup) groups.push(writer.add(group.finish()));
    unawaited += piece.length;
    if (unawaited < breathBytes) continue;
    unawaited = 0;
    await setImmediate();
    await writer.drain();
  }
  if (group.lines > 0) groups.push(writer.add(group.finish()));
  return { path: file.name, sizeBytes, mtimeMs, mode: mode & 0o777, sha256: hash.digest('hex'), groups };
}

const breathBytes = 1024 * 1024;

/** One line in about 256, chosen by a few of its bytes. */
function endsGroup(body: Buffer): boolean {
  let sum = body.length;
  for (let at = Math.max(0, body.length - 64); at < body.length; at++) sum = (sum * 31 + (body[at] ?? 0)) | 0;
  return ((sum >>> 8) & 0xff) === 0;
}

function reportOf(plans: readonly Plan[], storedBytes: number, notices: readonly string[]): ArchiveReport {
  const sessions = plans.map((plan): SessionOutcome => {
    const { path: main, place, files, leftOut, problem } = plan;
    const sizeBytes = files.reduce((sum, file) => sum + file.stats.size, 0);
    const outcome = problem !== undefined ? 'failed' : isChanged(plan) ? 'archived' : 'unchanged';
    const facts = { path: main, sessionId: place.sessionId, outcome, files: files.length, sizeBytes, leftOut } as const;
    return problem === undefined ? facts : { ...facts, problem };
  });
  return { sessions, storedBytes, notices };
}

/** `path` is where the main transcript was. */
export interface OrphanSession extends FoundSession {
  /** The transcript of its first sub-agent. */
  readonly agentPath: string;
}

/** Finds the sessions that only have sub-agents left; `discoverSessions` finds the others. */
export async function findOrphans(roots: readonly string[]): Promise<readonly OrphanSession[]> {
  const orphans: OrphanSession[] = [];
  for (const { root, projects } of projectsFolders(roots)) {
    for (const slug of projectNames(projects).names) {
      const folder = path.join(projects, slug);
      for (const sessionId of await orphansIn(folder)) {
        const main = path.join(folder, `${sessionId}.jsonl`);
        const { files } = await sessionPaths(main, []);
        const agentPath = files.find(({ name }) => agentIdOf(name) !== undefined)?.path;
        if (agentPath === undefined) continue;
        const sizeBytes = files.reduce((sum, { stats }) => sum + stats.size, 0);
        const mtimeMs = files.reduce((newest, { stats }) => Math.max(newest, stats.mtimeMs), 0);
        orphans.push({ path: main, sessionId, slug, root, sizeBytes, mtimeMs, agentPath });
      }
    }
  }
  return orphans;
}

async function orphansIn(folder: string): Promise<readonly string[]> {
  const entries = await listFolder(folder, []);
  const names = new Set(entries.map(({ name }) => name));
  const ids = new Set<string>();
  for (const entry of entries) {
    const id = entry.isDirectory() ? entry.name : ownerOfFlat(path.join(folder, entry.name));
    // The id of a flat agent comes from its lines: it must not name another folder.
    if (id !== undefined && /^[\w-]+$/.test(id) && !names.has(`${id}.jsonl`)) ids.add(id);
  }
  return [...ids].sort();
}

function ownerOfFlat(file: string): string | undefined {
  if (!file.endsWith('.jsonl') || agentIdOf(file) === undefined) return undefined;
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? ownerOf(file) : undefined;
}
