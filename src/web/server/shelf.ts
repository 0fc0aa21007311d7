// Paths of transcripts → their sessions, loaded once, read on when they grow, and dropped when others need the room. Only
// the heads of lines are scanned: what a page shows of a line is read when it is shown.
import { statSync } from 'node:fs';
import { type FileProof, proveFile } from '../../library/file-proof.ts';
import { type GrowingTranscript, loadGrowing } from '../../session/growing-transcript.ts';
import { loadAgent, makeSession, type Session } from '../../session/session.ts';
import { sessionFiles } from '../../store/session-files.ts';
import { Refusal } from './refusal.ts';

export interface Shelved {
  readonly session: Session;
  /** Changes whenever the file does. */
  readonly version: string;
}

interface Entry extends Shelved {
  readonly identity: string;
  readonly growing: GrowingTranscript | undefined;
  readonly proof: FileProof | undefined;
  readonly weight: number;
}

/** About what a line takes in memory, its place in graph and branch included (measured: docs/decisions.md). */
const bytesPerNode = 1_000;
const defaultMaxBytes = 128 * 1024 * 1024;

export class Shelf {
  readonly #maxBytes: number;
  /** The one that was used last stands last. */
  readonly #entries = new Map<string, Promise<Entry>>();
  readonly #weights = new Map<string, number>();
  /** For tests: how often a file was read from its beginning, and how often only what was new. */
  readonly counts: { whole: number; grown: number } = { whole: 0, grown: 0 };

  constructor(maxBytes: number = defaultMaxBytes) {
    this.#maxBytes = maxBytes;
  }

  open(path: string): Promise<Shelved> {
    return this.#take(path, (before) => this.#load(path, before));
  }

  /** A sub-agent's own transcript, also of one that another sub-agent started. */
  async openAgent(path: string, agentId: string): Promise<Shelved> {
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
    const read = growing ?? loadGrowing(path);
    const session = makeSession(await sessionFiles(path), read.transcript);
    return makeEntry({ session, version, identity, growing: read, proof: proveFile(path, read.transcript.sizeBytes) });
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
  const now = proveFile(path, sizeBytes);
  return now.headHash === proof?.headHash && now.tailHash === proof.tailHash ? growing.grow() : undefined;
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
