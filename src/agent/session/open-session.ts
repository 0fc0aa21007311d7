// Opens a session for writing: finds it, forks it if asked, locks it against other writers, reads it as the current
// client does, and makes a recorder that continues at its end.
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, realpathSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repairRequest } from '../../api/repair/index.ts';
import { UserError } from '../../base/errors/index.ts';
import { asString } from '../../base/json/index.ts';
import { holdSession, type ReleaseSession } from '../../library/session-files/index.ts';
import { titleOf } from '../../session/facts/index.ts';
import { cwdOf, loadSession, type Session } from '../../session/load/index.ts';
import type { ClientHost, WireMessage } from '../../session/resume/messages/index.ts';
import { isMessage } from '../../session/transcript/index.ts';
import {
  diskError,
  encodeSlug,
  identify,
  isBelow as isBelowFolder,
  isInLibrary,
  listOwned,
  makeFolder,
  projectsFolder,
  realPlace,
  refuseLeaving,
  staysIn,
} from '../../store/index.ts';
import { loadSource, operate } from '../../surgery/engine/index.ts';
import { planFork } from '../../surgery/operations/index.ts';
import type { SessionChoice } from '../contract/index.ts';
import { findNamed, findNewest, refuseKnownId, type SessionPlace, transcriptFor } from './choose-session.ts';
import { type Continuation, continueAt, continueSession } from './continuation.ts';
import { FileHistory, fileOf, historyFolder, readSnapshots, type Snapshot } from './file-history.ts';
import type { FrozenPrompt } from './frozen-prompt.ts';
import { Recorder } from './recorder.ts';
import { emptyStart, type WriterStart } from './transcript-writer.ts';
import { readTurnCounts } from './turn-facts.ts';

export interface OpenOptions extends SessionPlace {
  readonly withProgressEntries?: boolean;
  readonly currentCwd?: () => string;
  /** Nothing is written to the session folder. */
  readonly isEphemeral?: boolean | undefined;
  readonly entrypoint?: string | undefined;
}

export interface OpenSession {
  readonly sessionId: string;
  readonly file: string;
  /** `<project folder>/<sessionId>`, for tool results and sub-agents; created when needed. */
  readonly sessionDir: string;
  readonly cwd: string;
  readonly isNew: boolean;
  readonly isEphemeral: boolean;
  readonly title: string | undefined;
  /** The model that a resume uses; `undefined` for a new session. */
  readonly model: string | undefined;
  /** Repairs of the request, for the user. */
  readonly notes: readonly string[];
  readonly recorder: Recorder;
  readonly history: FileHistory;
  /** The stored system prompt and tools; after a rewind those of the line where it continues. */
  prompt(): FrozenPrompt | undefined;
  /** The messages of the next request to `model`, repaired if the session is damaged. */
  messages(model: string, host?: ClientHost): readonly WireMessage[];
  /** Writes everything and releases the lock. */
  close(): Promise<void>;
}

export async function openSession(choice: SessionChoice, options: OpenOptions): Promise<OpenSession> {
  if (choice.kind === 'new') return openNew(options, choice.sessionId);
  const found = choice.kind === 'continue' ? await findNewest(options) : await findNamed(options, choice.session);
  if (found === undefined) {
    if (choice.kind === 'continue' && choice.orNew === true) return openNew(options, choice.fork?.sessionId);
    throw new UserError(`no session to continue in ${options.cwd}`, 'start a new one');
  }
  const at = choice.kind === 'resume' ? choice.at : undefined;
  const { fork } = choice;
  if (options.isEphemeral === true) {
    const sessionId = fork === undefined ? undefined : (fork.sessionId ?? randomUUID());
    return openExisting(found, options, { at, sessionId });
  }
  if (fork !== undefined) return openExisting(await forkSession(found, options, fork.sessionId, at), options);
  if (isBelow(found, options.root)) return openExisting(found, options, { at });
  const note = `${found} is not below ${options.root}; continuing in a copy`;
  return openExisting(await forkSession(found, options, undefined, at), options, { notes: [note] });
}

const forkInstead = 'end it there, or work in a copy with --fork-session';

async function openNew(options: OpenOptions, wanted: string | undefined): Promise<OpenSession> {
  if (wanted !== undefined) await refuseKnownId(options, wanted);
  const sessionId = wanted?.toLowerCase() ?? randomUUID();
  const file = transcriptFor(options, sessionId);
  refuseLeaving(file, path.dirname(file));
  const release = await hold(file, options);
  const history = new FileHistory({ root: options.root, sessionId, cwd: options.cwd });
  return makeOpen(file, options, { history, start: emptyStart, slug: slugFor(sessionId) }, release);
}

/** A session that is only read needs no lock. */
async function hold(file: string, { env, isEphemeral }: OpenOptions): Promise<ReleaseSession> {
  return isEphemeral === true ? async () => undefined : holdSession(file, env, forkInstead);
}

interface Continued {
  readonly notes?: readonly string[];
  /** The last line to keep. */
  readonly at?: string | undefined;
  /** Another id than that of the file, if nothing is written. */
  readonly sessionId?: string | undefined;
}

async function openExisting(file: string, options: OpenOptions, continued: Continued = {}): Promise<OpenSession> {
  const { notes = [], at, sessionId } = continued;
  const release = await hold(file, options);
  try {
    // Before reading, so that a write in between is noticed.
    const identity = identify(file);
    const session = await readSession(file);
    const going = at === undefined ? continueSession(session.transcript) : goOnAt(session, at);
    if ('refused' in going)
      throw new UserError(`${session.id} cannot be resumed: ${going.refused}`, `run \`clew doctor ${session.id}\``);
    // The paths in its snapshots are relative to the folder where the session began.
    const cwd = cwdOf(session) ?? options.cwd;
    const snapshots = readSnapshots(session.transcript).map((snapshot) => inProject(snapshot, cwd, options.cwd));
    const history = new FileHistory({ root: options.root, sessionId: session.id, cwd }, snapshots);
    const start = { identity, ...going };
    const opened = { history, start, slug: slugOf(session), session, going, notes, sessionId };
    return makeOpen(file, options, opened, release);
  } catch (error) {
    await release();
    throw error;
  }
}

function goOnAt({ transcript, id }: Session, at: string): Continuation {
  const going = transcript.nodes.some(({ uuid }) => uuid === at) ? continueAt(transcript, at) : undefined;
  if (going !== undefined) return going;
  throw new UserError(`the session ${id} cannot continue at ${at}`, 'name the uuid of one of its messages');
}

/**
 * The session file may come from anywhere: a file outside the project is not copied because a line names it. A rewind
 * refuses such files too.
 */
function inProject(snapshot: Snapshot, cwd: string, project: string): Snapshot {
  const tracked = [...snapshot.tracked].filter(([key]) =>
    isBelowFolder(realPlace(fileOf(key, cwd)), realPlace(project)),
  );
  return { ...snapshot, tracked: new Map(tracked) };
}

interface Opened {
  readonly history: FileHistory;
  readonly start: WriterStart;
  readonly slug: string;
  readonly session?: Session;
  readonly going?: Continuation;
  readonly notes?: readonly string[];
  readonly sessionId?: string | undefined;
}

function makeOpen(file: string, options: OpenOptions, opened: Opened, release: ReleaseSession): OpenSession {
  const { session, going, history, start, slug, notes = [] } = opened;
  const sessionId = opened.sessionId ?? path.basename(file, '.jsonl');
  const { cwd, currentCwd, withProgressEntries, entrypoint, isEphemeral = false } = options;
  const sessionDir = isEphemeral ? makeTemporaryFolder() : path.join(path.dirname(file), sessionId);
  const recorder = new Recorder({
    sessionId,
    file,
    cwd,
    slug,
    history,
    start: { ...start, isEphemeral },
    openCalls: going?.openCalls ?? [],
    isUnanswered: going?.isUnanswered ?? false,
    entrypoint,
    ...(session === undefined ? {} : { turns: readTurnCounts(session) }),
    isShared: going?.isShared ?? false,
    ...(going?.prompt === undefined ? {} : { prompt: going.prompt }),
    ...(currentCwd === undefined ? {} : { currentCwd }),
    ...(withProgressEntries === undefined ? {} : { withProgressEntries }),
  });
  const isCounted = session !== undefined && hasUsage(session);
  const damage =
    going === undefined ? [] : repairRequest(asked(recorder, going.model), { model: going.model, isCounted }).notes;
  return {
    sessionId,
    file,
    sessionDir,
    cwd,
    isNew: session === undefined,
    isEphemeral,
    title: session === undefined ? undefined : titleOf(session),
    model: going?.model,
    notes: [...notes, ...damage],
    recorder,
    history,
    prompt: () => recorder.prompt,
    messages: (model, host) => {
      const messages = recorder.messages(model, host);
      // Intact sessions are not checked again for every request.
      return damage.length === 0 ? messages : repairRequest(messages, { model, isCounted }).messages;
    },
    close: async () => {
      await recorder.close();
      await release();
      if (isEphemeral) await rm(sessionDir, { recursive: true, force: true });
    },
  };
}

/** For tool results that the model reads; removed when the session is closed. */
function makeTemporaryFolder(): string {
  return realpathSync(mkdtempSync(path.join(tmpdir(), 'clew-session-')));
}

/** The history with a prompt after it, as it will be sent. */
function asked(recorder: Recorder, model: string): readonly WireMessage[] {
  return [...recorder.messages(model), { role: 'user', content: [{ type: 'text', text: 'continue' }] }];
}

function hasUsage({ transcript }: Session): boolean {
  return transcript.nodes.some((node) => (node.message?.usage?.inputTokens ?? 0) > 0);
}

async function readSession(file: string): Promise<Session> {
  let session: Session;
  try {
    session = await loadSession(file);
  } catch (error) {
    throw diskError(error, 'read', file);
  }
  const { transcript, isAgent } = session;
  if (transcript.foreign !== undefined)
    throw new UserError(`${file} was written by ${transcript.foreign}`, 'name a session of Claude Code');
  if (isAgent && session.id.startsWith('agent-'))
    throw new UserError(`${session.id} is the transcript of a sub-agent, not a session`, 'name its session');
  return session;
}

/** The client keeps one readable name for a session; newer ones write none. */
function slugOf({ transcript, id }: Session): string {
  for (const node of transcript.nodes.filter(isMessage).slice(-linesWithSlug)) {
    const slug = asString(transcript.read(node).slug);
    if (slug !== undefined && /^[\w-]{1,100}$/.test(slug)) return slug;
  }
  return slugFor(id);
}

/** If none of these lines has a name, the others have none either. */
const linesWithSlug = 20;

async function forkSession(
  file: string,
  options: OpenOptions,
  wanted: string | undefined,
  at?: string,
): Promise<string> {
  if (wanted !== undefined) await refuseKnownId(options, wanted);
  const sessionId = wanted?.toLowerCase() ?? randomUUID();
  const source = await loadSource(file);
  const folder = path.join(projectsFolder(options.root), encodeSlug(options.cwd));
  const isForeign = !isInLibrary(file, [options.root]);
  const { to } = await operate(
    planFork(source, { sessionId, folder, isForeign, ...(at === undefined ? {} : { at }) }),
    [source],
    { env: options.env },
  );
  await copyHistory(options.root, source.session.id, sessionId);
  return to.path;
}

/** The snapshots of the copy name backups of the original. */
async function copyHistory(root: string, from: string, to: string): Promise<void> {
  const [source, target] = [historyFolder(root, from), historyFolder(root, to)];
  if (!staysIn(source, root) || !staysIn(target, root)) return;
  const { files } = await listOwned(source, realPlace(root), []);
  const own = files.filter((file) => path.dirname(file) === source);
  if (own.length === 0) return;
  await makeFolder(target);
  for (const file of own) await copyFile(file, path.join(target, path.basename(file)));
}

function isBelow(file: string, root: string): boolean {
  return path.dirname(path.dirname(path.resolve(file))) === path.resolve(projectsFolder(root));
}

function slugFor(sessionId: string): string {
  const hash = createHash('sha256').update(sessionId).digest();
  const pick = (words: readonly string[], at: number): string => words[hash.readUInt16BE(at) % words.length] ?? '';
  return `${pick(moods, 0)}-${pick(doings, 2)}-${pick(surnames, 4)}`;
}

const moods = words(
  'amber ample apt brave bright brisk calm candid careful cheerful clear clever cosy curious dapper deft eager early even fair fearless fond frank fresh gentle glad golden graceful hardy honest humble jolly keen kind lively lucid mellow merry mild modest neat nimble noble patient placid plucky polite prompt proud quiet ready robust serene silver sincere snug sober spry steady stout sunny supple swift tidy tranquil trusty upbeat vivid warm willing wise witty zesty',
);
const doings = words(
  'baking bouncing building carving chasing climbing coasting counting cycling dancing drafting drawing drifting exploring farming fishing floating folding gardening gathering gliding humming hiking juggling jumping knitting leaping learning listening mapping marching mending musing orbiting paddling painting planting pondering puzzling racing reading resting riding roaming rowing running sailing singing sketching skating skipping soaring spinning strolling surfing swaying swimming tending tinkering travelling tuning wading walking wandering weaving whistling winding wondering writing',
);
const surnames = words(
  'ampere babbage banach bell bernoulli bohr boole borel bose cantor carson cauchy clarke codd curie dalton darwin davy dijkstra dirac edison einstein erdos euclid euler fano faraday fermat fermi feynman fourier franklin galileo galois gauss germain goedel hamilton hamming heaviside hertz hilbert hopper huffman huygens hypatia jacobi joule kepler khayyam knuth lagrange lamarr laplace leibniz lovelace mach markov maxwell meitner mendel minsky napier nash newton noether ohm pascal pasteur pauli perlman planck poincare raman ramanujan ritchie riemann rontgen sagan shannon tesla thales thompson turing volta watt wiener wiles wirth zuse',
);

function words(list: string): readonly string[] {
  return list.split(' ');
}
