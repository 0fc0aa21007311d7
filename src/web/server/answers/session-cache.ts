// A cache of sessions: loaded once, extended when the transcript grows, evicted least recently used first. Only the heads
// of lines are scanned. A large session is read in steps, so that its beginning is available before its end.
import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { readInode } from '../../../base/files/index.ts';
import { branchNumbered, partsOf } from '../../../export/page/index.ts';
import { loadAgent, makeSession, type Session } from '../../../session/load/index.ts';
import { type GrowingTranscript, loadGrowingInSteps } from '../../../session/transcript/index.ts';
import { type FileProof, proveFile, sessionFiles } from '../../../store/index.ts';
import { Refusal } from '../protocol/index.ts';

export interface CachedSession {
  readonly session: Session;
  /** Of the file as it was read. */
  readonly proof?: FileProof | undefined;
  /** Changes with the file. */
  readonly version: string;
}

interface Start {
  readonly promise: Promise<CachedSession>;
  resolve(start: CachedSession): void;
}

interface Entry extends CachedSession {
  readonly identity: string;
  readonly growing: GrowingTranscript | undefined;
  readonly proof: FileProof | undefined;
  readonly weight: number;
}

/** The prefix of the version of a beginning. */
export const startMark = 'start-';

/** What a line takes in memory, including its place in graph and branch (measured: docs/decisions.md). */
const bytesPerNode = 1_000;
const defaultMaxBytes = 128 * 1024 * 1024;
/** Size of a beginning: about 20 ms of reading, and more than one screen. */
const defaultStartBytes = 4 * 1024 * 1024;

export interface SessionCacheOptions {
  readonly maxBytes?: number;
  readonly startBytes?: number;
}

export class SessionCache {
  readonly #maxBytes: number;
  readonly #startBytes: number;
  /** In the order of use, the most recent last. */
  readonly #entries = new Map<string, Promise<Entry>>();
  readonly #weights = new Map<string, number>();
  /** Beginnings of the sessions that are being read, by path. */
  readonly #starts = new Map<string, Start>();
  /** For tests: how often a file was read from the start, and how often only its new lines. */
  readonly counts: { whole: number; grown: number } = { whole: 0, grown: 0 };

  constructor({ maxBytes = defaultMaxBytes, startBytes = defaultStartBytes }: SessionCacheOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#startBytes = startBytes;
  }

  open(path: string): Promise<CachedSession> {
    return this.#queue(path, (before) => this.#load(path, before));
  }

  /** The session, or the beginning of a large one while the rest is read. */
  openStart(path: string): Promise<CachedSession> {
    const start = this.#startOf(path);
    const whole = this.open(path);
    const forget = (): void => void this.#starts.delete(path);
    whole.then(forget, forget);
    return Promise.race([whole, start.promise]);
  }

  /** The transcript of a sub-agent, nested ones included. */
  async openAgent(path: string, agentId: string): Promise<CachedSession> {
    const main = await this.open(path);
    const agent = main.session.agents.find((each) => each.agentId === agentId);
    if (agent === undefined) throw new Refusal(404, 'unknown sub-agent');
    const key = `${path}\n${agentId}`;
    return this.#queue(key, async (before) => {
      const version = agent.path === undefined ? main.version : fileState(agent.path).version;
      if (before?.version === version) return before;
      const session = await loadAgent(main.session, agent, { strict: false });
      return makeEntry({ session, version, identity: key, growing: undefined, proof: undefined });
    });
  }

  /** Requests for one session run one after another, so that it is loaded only once. */
  #queue(key: string, load: (before: Entry | undefined) => Promise<Entry>): Promise<Entry> {
    const before = this.#entries.get(key)?.catch(() => undefined) ?? Promise.resolve(undefined);
    const entry = before.then(load);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.then(
      ({ weight }) => this.#evict(key, weight),
      () => this.#forget(key, entry),
    );
    return entry;
  }

  async #load(path: string, before: Entry | undefined): Promise<Entry> {
    const { version, identity, size } = fileState(path);
    if (before?.version === version) return before;
    const growing = before === undefined ? undefined : growFrom(before, path, identity, size);
    if (growing === undefined) this.counts.whole++;
    else this.counts.grown++;
    const read = growing ?? (await this.#readWhole(path, version, size));
    const session = makeSession(await sessionFiles(path), read.transcript);
    return makeEntry({ session, version, identity, growing: read, proof: proveFile(path, read.transcript.sizeBytes) });
  }

  async #readWhole(path: string, version: string, size: number): Promise<GrowingTranscript> {
    const before = proveFile(path, size);
    let hasStart = size < this.#startBytes * 4;
    try {
      const steps = loadGrowingInSteps(path);
      for (let step = steps.next(); ; step = steps.next()) {
        // The file may be replaced between two steps; a transcript read from two files must not grow.
        if (step.done === true) return { ...step.value, canGrow: step.value.canGrow && isSame(before, path, size) };
        if (!hasStart && step.value.bytesRead >= this.#startBytes) {
          hasStart = true;
          const session = makeSession(await sessionFiles(path), step.value.soFar());
          this.#startOf(path).resolve({ session, version: `${startMark}${version}` });
        }
        await setImmediate();
      }
    } finally {
      this.#starts.delete(path);
    }
  }

  #startOf(path: string): Start {
    const known = this.#starts.get(path);
    if (known !== undefined) return known;
    let resolve: Start['resolve'] = () => {};
    const promise = new Promise<CachedSession>((settle) => {
      resolve = settle;
    });
    this.#starts.set(path, { promise, resolve });
    return { promise, resolve };
  }

  #evict(key: string, weight: number): void {
    if (!this.#entries.has(key)) return;
    this.#weights.set(key, weight);
    let total = [...this.#weights.values()].reduce((sum, each) => sum + each, 0);
    for (const oldest of [...this.#entries.keys()]) {
      if (total <= this.#maxBytes || oldest === key) return;
      total -= this.#weights.get(oldest) ?? 0;
      this.#entries.delete(oldest);
      this.#weights.delete(oldest);
    }
  }

  #forget(key: string, entry: Promise<Entry>): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#weights.delete(key);
  }
}

/** `undefined`: the file was replaced, or changed before its end. */
function growFrom(before: Entry, path: string, identity: string, size: number): GrowingTranscript | undefined {
  const { growing, proof } = before;
  if (growing?.canGrow !== true || before.identity !== identity) return undefined;
  const { sizeBytes } = growing.transcript;
  if (size < sizeBytes) return undefined;
  return proof !== undefined && isSame(proof, path, sizeBytes) ? growing.grow() : undefined;
}

function isSame(before: FileProof, path: string, sizeBytes: number): boolean {
  const now = proveFile(path, sizeBytes);
  return now.headHash === before.headHash && now.tailHash === before.tailHash;
}

function makeEntry(entry: Omit<Entry, 'weight'>): Entry {
  return { ...entry, weight: 100_000 + entry.session.transcript.nodes.length * bytesPerNode };
}

/** Includes the folder of sub-agents: a new one does not change the transcript. */
function fileState(path: string): { version: string; identity: string; size: number } {
  const stats = statSync(path);
  const { dev, size, mtimeMs } = stats;
  const ino = readInode(path, stats);
  const agents = statSync(`${path.slice(0, -'.jsonl'.length)}/subagents`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return { version: `${ino}-${size}-${mtimeMs}-${agents}`, identity: `${dev} ${ino}`, size };
}

/** The state of a transcript that a page has seen. */
export interface Extent {
  /** Of the file as far as it was read; `undefined` for a beginning and for sub-agents. */
  readonly proof: FileProof | undefined;
  readonly sizeBytes: number;
  readonly version: string;
  readonly nodes: number;
  readonly parts: number;
  readonly branchLines: number;
  readonly leafOffset: number;
}

export function extentOf({ session, version, proof }: CachedSession): Extent {
  const branch = branchNumbered(session, 1);
  return {
    version,
    proof,
    sizeBytes: session.transcript.sizeBytes,
    nodes: session.transcript.nodes.length,
    parts: partsOf(session, branch).all.length,
    branchLines: branch?.nodes.length ?? 0,
    leafOffset: branch?.leaf.offset ?? 0,
  };
}

/** `false`: the bytes that were read before are no longer there. */
export function isContinued({ proof, sizeBytes }: Extent, { transcript }: Session): boolean {
  if (proof === undefined) return true;
  return transcript.sizeBytes >= sizeBytes && isSame(proof, transcript.path, sizeBytes);
}

/** The last known part, or an earlier one whose call has been answered since; 0 on another branch. */
export function firstChangedPart(session: Session, before: Extent): number {
  const branch = branchNumbered(session, 1);
  const isSameBranch = branch?.nodes[before.branchLines - 1]?.offset === before.leafOffset;
  if (branch === undefined || (before.branchLines > 0 && !isSameBranch)) return 0;
  const { partOf } = partsOf(session, branch);
  const last = before.parts - 1;
  const { nodes } = session.transcript;
  let first = last;
  for (let i = before.nodes; i < nodes.length; i++) first = Math.min(first, partOf(i) ?? last);
  return Math.max(0, first);
}
