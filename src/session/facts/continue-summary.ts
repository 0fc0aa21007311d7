// A summary and the lines that were appended since → the summary of the whole transcript. Lines of an ordinary kind
// continue the last turn or begin the next one; anything else needs a reading of the whole transcript.
import { isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { readLineBatches, type SessionFiles } from '../../store/index.ts';
import { isLinked } from '../graph/index.ts';
import { countSeparateAgents } from '../load/index.ts';
import { hashId, isBoundary, isMessage, Loader, type Node } from '../transcript/index.ts';
import { type Continuation, isSimple, mostEnds } from './continuation.ts';
import { backgroundOf, type OriginFacts, withMessage } from './origin-facts.ts';
import type { SessionSummary } from './summary.ts';
import { chooseTitle, type LineTitle, lastPromptTitle, promptTitle, said, titleSources } from './titles.ts';
import {
  branchOf,
  modelOfAnswer,
  type PullRequest,
  type WorkFacts,
  type Worktree,
  withPullRequest,
  worktreeOf,
} from './work-facts.ts';

export interface ContinuedSummary {
  readonly summary: SessionSummary;
  readonly continuation: Continuation;
}

/**
 * The summary after the lines that were appended to `before`; `undefined` if they are not ordinary. The caller has
 * checked that the file begins with the same bytes. `onRead` is called with the number of bytes of every read.
 */
export function continueSummary(
  before: SessionSummary,
  continuation: Continuation,
  files: SessionFiles,
  onRead?: (bytes: number) => void,
): ContinuedSummary | undefined {
  const loader = new Loader({});
  const more = new AppendedLines(before, continuation);
  const from = { offset: before.sizeBytes, number: continuation.line + 1 };
  for (const batch of readLineBatches(files.main, { from, ...(onRead === undefined ? {} : { onRead }) })) {
    for (const line of batch) {
      const first = loader.nodes.length;
      loader.add(line);
      const [node, another] = loader.nodes.slice(first);
      if (node !== undefined && (another !== undefined || !more.add(node, line.bytes))) return undefined;
    }
    more.endBatch();
  }
  loader.finish();
  if (!loader.isSettled || loader.diagnostics.length > 0 || loader.mayRepeat || loader.foreign !== undefined)
    return undefined;
  const entries = before.entries + loader.nodes.length;
  const sizeBytes = Math.max(before.sizeBytes, loader.sizeBytes);
  return more.finish(files, { entries, sizeBytes, line: Math.max(continuation.line, loader.lastLine) });
}

class AppendedLines {
  readonly #before: SessionSummary;
  readonly #continuation: Continuation;
  readonly #newIds = new Set<number>();
  #ids: ReadonlySet<number> | undefined;
  #ends: string[];
  #pin: string | undefined;
  #answer: number | undefined;
  #title: LineTitle | undefined;
  #tag: string | undefined;
  #cwd: string | undefined;
  #startedAt: number;
  #endedAt: number;
  #turns: number;
  #gitBranch: string | undefined;
  #origin: OriginFacts;
  #model: string | undefined;
  #worktree: Worktree | undefined;
  #pullRequests: readonly PullRequest[];
  /** The bytes of the last message of a batch, valid until the batch ends. */
  #lastMessage: Buffer | undefined;

  constructor(before: SessionSummary, continuation: Continuation) {
    this.#before = before;
    this.#continuation = continuation;
    this.#ends = [...continuation.ends];
    this.#pin = continuation.pin;
    this.#answer = continuation.answer;
    this.#title = continuation.title;
    this.#tag = before.tag;
    this.#cwd = before.cwd;
    this.#startedAt = before.startedAt;
    this.#endedAt = before.endedAt;
    this.#turns = before.turns;
    this.#gitBranch = before.gitBranch;
    this.#origin = before.origin;
    this.#model = before.model;
    this.#worktree = before.worktree;
    this.#pullRequests = before.pullRequests;
  }

  /** Whether the line is an ordinary one. */
  add(node: Node, bytes: Buffer): boolean {
    const { time } = node;
    if (!(time >= this.#startedAt)) this.#startedAt = Number.isNaN(time) ? this.#startedAt : time;
    if (!(time <= this.#endedAt)) this.#endedAt = Number.isNaN(time) ? this.#endedAt : time;
    this.#cwd ??= node.cwd;
    if (isLinked(node)) return this.#addLinked(node, bytes);
    return this.#addNote(node, bytes);
  }

  /** Only the last message says which branch it is. */
  endBatch(): void {
    if (this.#lastMessage !== undefined) {
      const last = read(this.#lastMessage);
      this.#gitBranch = branchOf(last);
      const { isBackground, ...origin } = this.#origin;
      this.#origin = { ...origin, ...backgroundOf(last) };
    }
    this.#lastMessage = undefined;
  }

  #addLinked(node: Node, bytes: Buffer): boolean {
    const { uuid, parentUuid } = node;
    if (!isSimple(node) || uuid === undefined || isBoundary(node) || node.isCompactSummary) return false;
    if (typeof parentUuid !== 'string' || !this.#ends.includes(parentUuid)) return false;
    if (node.logicalParentUuid !== undefined || node.leafUuid !== undefined) return false;
    if (!this.#take(hashId(uuid)) || !this.#addMessage(node)) return false;
    if (isMessage(node)) {
      // More of a fork is being copied.
      if (this.#origin.forkedAt !== undefined && bytes.includes('"forkedFrom"')) return false;
      this.#lastMessage = bytes;
      this.#origin = withMessage(this.#origin, node, uuid);
      this.#model = modelOfAnswer(node, node.message?.model) ?? this.#model;
    }
    if (node.promptKind === undefined) {
      this.#ends = [...this.#ends, uuid].slice(-mostEnds);
      // The client may continue from the pinned line, which is then no longer known.
      return this.#pin === undefined || this.#ends.includes(this.#pin);
    }
    if (this.#pin !== undefined && this.#pin !== parentUuid) return false;
    // A prompt right after a prompt may be another line of the same one.
    if (this.#ends.length === 1) return false;
    this.#pin = undefined;
    this.#ends = [uuid];
    this.#turns++;
    if (this.#title === undefined && node.promptKind !== 'slash-command')
      this.#offerTitle('prompt', promptTitle(read(bytes)));
    return true;
  }

  #addMessage(node: Node): boolean {
    const { message } = node;
    if (!isMessage(node) || message === undefined) return true;
    if (node.type === 'user') {
      if (message.results.length === 0) this.#answer = undefined;
      return true;
    }
    if (message.id === undefined) return true;
    const id = hashId(message.id);
    if (id !== this.#answer && !this.#take(id)) return false;
    this.#answer = id;
    return message.calls.every((call) => this.#take(hashId(call.id)));
  }

  #addNote(node: Node, bytes: Buffer): boolean {
    if (node.type === 'tag') this.#tag = said(read(bytes).tag);
    else if (node.type === 'pr-link') this.#pullRequests = withPullRequest(this.#pullRequests, read(bytes));
    else if (node.type === 'worktree-state') this.#worktree = worktreeOf(read(bytes)) ?? this.#worktree;
    else if (node.type === 'custom-title') this.#offerTitle('custom-title', said(read(bytes).customTitle));
    else if (node.type === 'ai-title') this.#offerTitle('ai-title', said(read(bytes).aiTitle));
    else if (node.type === 'last-prompt') {
      this.#offerTitle('last-prompt', lastPromptTitle(read(bytes)));
      return this.#movePin(node.leafUuid);
    } else if (node.type === 'summary' && node.leafUuid !== undefined) {
      if (this.#ends.includes(node.leafUuid)) this.#offerTitle('summary', said(read(bytes).summary));
      else return this.#take(hashId(node.leafUuid));
    }
    return true;
  }

  #movePin(leafUuid: string | undefined): boolean {
    if (leafUuid === undefined || leafUuid === '') return true;
    this.#pin = leafUuid;
    return this.#ends.includes(leafUuid);
  }

  /** A later title replaces one of the same kind or of a lower precedence; of prompts the first one stays. */
  #offerTitle(source: (typeof titleSources)[number], text: string | undefined): void {
    const rank = titleSources.indexOf(source);
    if (text !== undefined && (this.#title === undefined || rank <= this.#title.rank)) this.#title = { rank, text };
  }

  /** Whether no line before has this id. */
  #take(id: number): boolean {
    this.#ids ??= new Set(this.#continuation.ids);
    if (this.#ids.has(id) || this.#newIds.has(id)) return false;
    this.#newIds.add(id);
    return true;
  }

  finish(
    files: SessionFiles,
    { entries, sizeBytes, line }: { readonly entries: number; readonly sizeBytes: number; readonly line: number },
  ): ContinuedSummary {
    const { inlineAgents, ids } = this.#continuation;
    const work: WorkFacts = {
      gitBranch: this.#gitBranch,
      model: this.#model,
      worktree: this.#worktree,
      pullRequests: this.#pullRequests,
    };
    const summary = {
      ...this.#before,
      ...work,
      cwd: this.#cwd,
      origin: this.#origin,
      title: chooseTitle(this.#title, files),
      startedAt: this.#startedAt,
      endedAt: this.#endedAt,
      entries,
      turns: this.#turns,
      agents: countSeparateAgents(files) + inlineAgents,
      sizeBytes,
      tag: this.#tag,
    };
    const continuation = {
      line,
      inlineAgents,
      title: this.#title,
      ends: this.#ends,
      pin: this.#pin,
      answer: this.#answer,
      ids: Int32Array.from([...ids, ...this.#newIds]),
    };
    return { summary, continuation };
  }
}

function read(bytes: Buffer): JsonObject {
  const value = parseJson(bytes.toString('utf8'));
  return isObject(value) ? value : {};
}
