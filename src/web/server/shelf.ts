// Paths of transcripts → their sessions, loaded once, read on when they grow, and dropped when others need the room. Only
// the heads of lines are scanned: what a page shows of a line is read when it is shown. A large one is read in steps, so
// that its beginning can be shown, and others be answered, before its end is reached.
import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type FileProof, proveFile } from '../../library/file-proof.ts';
import { type GrowingTranscript, loadGrowingInSteps } from '../../session/growing-transcript.ts';
import { loadAgent, makeSession, type Session } from '../../session/session.ts';
import { sessionFiles } from '../../store/session-files.ts';
import { Refusal } from './refusal.ts';

export interface CachedSession {
  readonly session: Session;
  /** Changes whenever the file does. */
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

/** The version of a beginning begins with it. */
export const startMark = 'start-';

/** About what a line takes in memory, its place in graph and branch included (measured: docs/decisions.md). */
const bytesPerNode = 1_000;
const defaultMaxBytes = 128 * 1024 * 1024;
/** Where the beginning of a session ends: some twenty milliseconds of reading, and more than anybody sees at once. */
const defaultStartBytes = 4 * 1024 * 1024;

export interface SessionCacheOptions {
  readonly maxBytes?: number;
  readonly startBytes?: number;
}

export class SessionCache {
  readonly #maxBytes: number;
  readonly #startBytes: number;
  /** The one that was used last stands last. */
  readonly #entries = new Map<string, Promise<Entry>>();
  readonly #weights = new Map<string, number>();
  /** The beginnings of what is being read, by the path. */
  readonly #starts = new Map<string, Start>();
  /** For tests: how often a file was read from its beginning, and how often only what was new. */
  readonly counts: { whole: number; grown: number } = { whole: 0, grown: 0 };

  constructor({ maxBytes = defaultMaxBytes, startBytes = defaultStartBytes }: SessionCacheOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#startBytes = startBytes;
  }

  open(path: string): Promise<CachedSession> {
    return this.#take(path, (before) => this.#load(path, before));
  }

  /** The session, or where it is large and not read yet, its beginning. The rest is being read then. */
  openStart(path: string): Promise<CachedSession> {
    const start = this.#startOf(path);
    const whole = this.open(path);
    const forget = (): void => void this.#starts.delete(path);
    whole.then(forget, forget);
    return Promise.race([whole, start.promise]);
  }

  /** A sub-agent's own transcript, also of one that another sub-agent started. */
  async openAgent(path: string, agentId: string): Promise<CachedSession> {
    const main = await this.open(path);
    const agent = main.session.agents.find((each) => each.agentId === agentId);
    if (agent === undefined) throw new Refusal(404, 'the session has no such sub-agent');
    const key = `${path}\n${agentId}`;
    return this.#take(key, async (before) => {
      const version = agent.path === undefined ? main.version : stateOf(agent.path).version;
      if (before?.version === version) return before;
      const session = await loadAgent(main.session, agent, { strict: false });
      return makeEntry({ session, version, identity: key, growing: undefined, proof: undefined });
    });
  }

  /** Questions about one session wait for one another, so that none loads it twice. */
  #take(key: string, load: (before: Entry | undefined) => Promise<Entry>): Promise<Entry> {
    const before = this.#entries.get(key)?.catch(() => undefined) ?? Promise.resolve(undefined);
    const entry = before.then(load);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.then(
      ({ weight }) => this.#weigh(key, weight),
      () => this.#forget(key, entry),
    );
    return entry;
  }

  async #load(path: string, before: Entry | undefined): Promise<Entry> {
    const { version, identity, size } = stateOf(path);
    if (before?.version === version) return before;
    const growing = before === undefined ? undefined : growOn(before, path, identity, size);
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
        // Others may write while this waits between two steps; what was put together from two files does not grow.
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

  #weigh(key: string, weight: number): void {
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

/** `undefined`: the file is another one now, or has changed before its end. */
function growOn(before: Entry, path: string, identity: string, size: number): GrowingTranscript | undefined {
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

/** New sub-agents stand beside the transcript, which does not tell of them. */
function stateOf(path: string): { version: string; identity: string; size: number } {
  const { dev, ino, size, mtimeMs } = statSync(path);
  const agents = statSync(`${path.slice(0, -'.jsonl'.length)}/subagents`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return { version: `${ino}-${size}-${mtimeMs}-${agents}`, identity: `${dev} ${ino}`, size };
}
