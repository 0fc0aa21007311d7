// Lines, one by one → turns, as soon as they are complete. A prompt does not end the previous turn, but its first answer
// does, because lines of the last message may still follow (docs/tracing.md). The next run reads unfinished turns again,
// so that any split of a file into runs gives the same turns.
import { asObject, asString } from '../../base/json/index.ts';
import { type Block, contentOf, isToolResult, isToolUse, textOf } from '../../format/entry/index.ts';
import { classifyUser } from '../../session/transcript/index.ts';
import { shortKey, type TraceCompaction } from '../span/index.ts';
import {
  type AnswerPlace,
  type DraftStart,
  messageIdOf,
  type OpenTurn,
  type ReadBlock,
  TurnDraft,
  type WaitingCall,
} from './draft.ts';
import { type Cause, causeAfter, type TraceLine } from './trace-line.ts';
import { type AgentRun, type BackgroundAgent, compactionOf, type TraceAnswer, type TraceTurn } from './turn.ts';
import { aboutOf, openRootOf, promptOf, type RootRules, rootOf } from './turn-root.ts';

/** What is stored between runs, in addition to the position in the file. */
export interface TurnState {
  turnCount: number;
  openTurn: OpenTurn | undefined;
  /** Short keys of all turns so far: some clients write the whole history again. */
  readonly seen: Set<string>;
  running: readonly BackgroundAgent[];
  /** How often each sub-agent was called, and when it last returned. */
  readonly agentRuns: Map<string, readonly [runs: number, endMs: number | null]>;
  cause: Cause;
}

export interface TurnRules extends RootRules {
  readonly sessionId: string;
  /** Reads the block of a call of an earlier run again. */
  readonly readCall: (call: WaitingCall) => ReadBlock | undefined;
  readonly readAnswer: (place: AnswerPlace) => TraceAnswer | undefined;
  readonly report: (code: string, line: number, message: string) => void;
}

export class TurnReader {
  readonly state: TurnState;
  readonly #rules: TurnRules;
  #current: TurnDraft | undefined;
  #next: TraceLine | undefined;
  /** The uuids of the lines of the current turn, and of the lines after the prompt that has no answer yet. */
  #ofCurrent = new Set<string>();
  #ofNext = new Set<string>();
  /** Compactions since the last message, and where the first one is: a later run reads it again. */
  readonly #compactions: TraceCompaction[] = [];
  #firstCompaction: DraftStart | undefined;
  /** The first compaction that was pending when the current turn started: a run that reads the turn again starts there. */
  #compactionBefore: DraftStart | undefined;

  constructor(state: TurnState, rules: TurnRules) {
    this.state = state;
    this.#rules = rules;
  }

  /** Where the next run must start; `undefined` if nothing is unfinished. */
  get unfinished(): DraftStart | undefined {
    const next = this.#next === undefined ? undefined : this.#startAt(this.#next);
    const compaction = this.#current === undefined ? this.#pendingCompaction() : this.#compactionBefore;
    const places = [this.#current?.start ?? next, compaction].filter((place) => place !== undefined);
    return places.sort((a, b) => a.offset - b.offset)[0];
  }

  get hasBegun(): boolean {
    return (this.#current ?? this.#next ?? this.state.openTurn) !== undefined;
  }

  /** Takes a line; returns a turn if the line ends one. */
  read(line: TraceLine): TraceTurn | undefined {
    if (line.role === 'compaction') return this.#readCompaction(line);
    const ended = this.#read(line);
    const { uuid, isSidechain } = line.head;
    if (!isSidechain) this.state.cause = causeAfter(line, this.state.cause);
    // A compaction starts a new chain: a line without a parent belongs to the prompt before it.
    const isBelowNext = line.parent === undefined ? this.#next !== undefined : this.#ofNext.has(line.parent);
    const isOfNext = line === this.#next || isBelowNext;
    if (uuid !== undefined) (isOfNext ? this.#ofNext : this.#ofCurrent).add(uuid);
    return ended;
  }

  #read(line: TraceLine): TraceTurn | undefined {
    const { strictSeed } = this.#rules;
    if (line.head.isMeta && (strictSeed || !hasResults(line))) return undefined;
    if (line.head.isSidechain && !strictSeed) {
      // The call that started the agent comes before its lines.
      if (this.#current !== undefined || this.state.openTurn !== undefined) this.#draftFor(line)?.sideLines.push(line);
      return undefined;
    }
    if (line.role === 'assistant') return this.#readAssistant(line);
    this.#interrupt();
    const input = classifyUser(line.head);
    if (input.kind === 'results') this.#draftFor(line)?.addResults(line);
    const opens = strictSeed ? input.kind !== 'results' : input.prompt !== undefined;
    if (opens) {
      this.#next = line;
      this.#ofNext = new Set();
    } else if (input.kind === 'interrupt' && this.#current !== undefined) this.#current.isInterrupted = true;
    else if (input.kind === 'notification') this.#readNotification(line);
    return undefined;
  }

  /** The client reports the end of the turn; `isOver`: nothing will follow at all. */
  finish(isOver: boolean): TraceTurn | undefined {
    const { state } = this;
    if (isOver && this.#current === undefined && state.openTurn !== undefined) {
      if (state.openTurn.waiting.length + state.running.length === 0) return undefined;
      this.#current = new TurnDraft(nowhere, undefined, state.openTurn, this.#rules.strictSeed);
    }
    return this.#emit(isOver);
  }

  #readCompaction(line: TraceLine): undefined {
    if (this.#rules.strictSeed || line.head.isSidechain) return;
    if (this.#compactions.length === 0) this.#firstCompaction = this.#startAt(line);
    this.#compactions.push(compactionOf(line));
  }

  #pendingCompaction(): DraftStart | undefined {
    return this.#compactions.length === 0 ? undefined : this.#firstCompaction;
  }

  #interrupt(): void {
    const { openTurn } = this.state;
    this.#current?.interrupt();
    if (this.#current === undefined && openTurn?.endsWithoutId) {
      this.state.openTurn = { ...openTurn, endsWithoutId: false };
    }
  }

  #readAssistant(line: TraceLine): TraceTurn | undefined {
    const id = messageIdOf(line);
    const isOfCurrent = this.#next === undefined || this.#continuesMessage(id) || this.#isBelowCurrent(line);
    const draft = isOfCurrent ? this.#draftFor(line) : undefined;
    if (draft !== undefined) {
      draft.addAssistant(line, this.state.cause, this.#compactions);
      this.#noticeReplay(draft);
      return undefined;
    }
    if (this.#next === undefined) return undefined;
    const ended = this.#endOpenTurn();
    // An answer that was written before its prompt is read again with it.
    const start = line.offset < this.#next.offset ? this.#startAt(line) : this.#startAt(this.#next);
    this.#current = new TurnDraft(
      start,
      promptOf(this.#next, this.#rules.strictSeed),
      undefined,
      this.#rules.strictSeed,
    );
    this.#next = undefined;
    [this.#ofCurrent, this.#ofNext] = [this.#ofNext, new Set()];
    this.#compactionBefore = this.#pendingCompaction();
    this.#current.addAssistant(line, this.state.cause, this.#compactions);
    this.#noticeReplay(this.#current);
    return ended;
  }

  /** A message that started before the prompt continues after it. */
  #continuesMessage(id: string | undefined): boolean {
    if (this.#rules.strictSeed || id === undefined) return false;
    if (this.#current !== undefined) return this.#current.hasMessage(id);
    return this.state.openTurn?.messages.some(([each]) => each === id) ?? false;
  }

  /** A prompt was written during the turn, and this line does not answer it. */
  #isBelowCurrent({ parent = '' }: TraceLine): boolean {
    return !this.#rules.strictSeed && this.#ofCurrent.has(parent) && !this.#ofNext.has(parent);
  }

  #readNotification(line: TraceLine): void {
    const id = /<task-id>([^<]{1,200})<\/task-id>/.exec(textOf(contentOf(line.entry)))?.[1];
    const draft = id === undefined ? undefined : this.#draftFor(line);
    if (id !== undefined && draft !== undefined && !draft.finished.has(id)) draft.finished.set(id, line.timeMs);
  }

  /** The draft for a line that does not start a turn; a run may start in the middle of one. */
  #draftFor(line: TraceLine): TurnDraft | undefined {
    const { openTurn } = this.state;
    const { strictSeed } = this.#rules;
    if (this.#current !== undefined) return this.#current;
    if (openTurn === undefined && (strictSeed || line.role !== 'assistant')) return undefined;
    this.#current = new TurnDraft(this.#startAt(line), undefined, openTurn, strictSeed);
    this.#compactionBefore = this.#pendingCompaction();
    return this.#current;
  }

  #noticeReplay(draft: TurnDraft): void {
    const id = draft.firstMessageId;
    if (draft.open === undefined && id !== undefined && !draft.isReplay && !this.#rules.strictSeed) {
      draft.isReplay = this.state.seen.has(shortKey(id));
    }
  }

  /** The next turn has started: the previous one is complete. */
  #endOpenTurn(): TraceTurn | undefined {
    const { openTurn } = this.state;
    if (this.#current === undefined && openTurn !== undefined && openTurn.waiting.length > 0) {
      this.#current = new TurnDraft(nowhere, undefined, openTurn, this.#rules.strictSeed);
    }
    return this.#emit(true, true);
  }

  /** `isEnd`: calls without a result will not get one. */
  #emit(isEnd: boolean, isOnlyTurn = false): TraceTurn | undefined {
    const draft = this.#current;
    if (draft === undefined) return undefined;
    this.#current = undefined;
    const { state } = this;
    const { open } = draft;
    const isNew = open === undefined && !draft.isReplay;
    const number = open?.number ?? (isNew ? ++state.turnCount : state.turnCount);
    const key = open?.key ?? this.#keyOf(draft);
    const held = new Set(isEnd ? [] : draft.unanswered().map((call) => call.id));
    const agentRuns = this.#countRuns(draft);
    const messages = draft.isReplay ? [] : draft.messages(held, this.#rules.readCall, this.#rules.readAnswer);
    const root = rootOf(draft, messages, this.#rules);
    const { about, startMs } = root ?? { about: aboutOf(draft.firstLine), startMs: undefined };
    const blocks = messages.flatMap((message) => message.blocks);
    const finished = this.#finishAgents(
      draft,
      agentRuns,
      { key, number, about, startMs, blocks },
      isEnd && !isOnlyTurn,
    );
    for (const line of draft.lateLines) {
      this.#rules.report('T-late-line', line, 'a line of a message that was sent: only its tool calls are sent');
    }
    if (isNew) state.seen.add(shortKey(key));
    const openRoot = root === undefined ? {} : { root: openRootOf(root, draft) };
    state.openTurn = { ...draft.close(key, number, held), ...openRoot };
    const turn = {
      key,
      sessionId: this.#rules.sessionId,
      number,
      isContinuation: open !== undefined,
      prompt: draft.prompt,
      about,
      startMs,
      model: undefined,
      endMs: draft.endMs,
      isInterrupted: draft.isInterrupted,
      ...root,
      messages,
      results: draft.results,
      agentRuns,
      waitingCalls: held,
      finishedAgents: finished,
      sideLines: draft.sideLines,
    };
    const hasNews = turn.messages.length + finished.length + turn.sideLines.length > 0;
    return hasNews && !draft.isReplay ? turn : undefined;
  }

  #startAt(line: TraceLine): DraftStart {
    return { offset: line.offset, line: line.number - 1, cause: this.state.cause };
  }

  #countRuns(draft: TurnDraft): ReadonlyMap<string, AgentRun> {
    const runs = new Map<string, AgentRun>();
    if (draft.isReplay) return runs;
    for (const [toolUseId, { agentId, timeMs, isBackground }] of draft.results) {
      if (agentId === undefined) continue;
      const [run, endMs] = this.state.agentRuns.get(agentId) ?? [0, null];
      runs.set(toolUseId, { run, sinceMs: endMs ?? undefined, untilMs: isBackground ? undefined : timeMs });
      this.state.agentRuns.set(agentId, [run + 1, timeMs ?? endMs]);
    }
    return runs;
  }

  /** Returns the background agents that have finished; the others stay in `running`. */
  #finishAgents(
    draft: TurnDraft,
    runs: ReadonlyMap<string, AgentRun>,
    turn: Pick<TraceTurn, 'key' | 'number' | 'about' | 'startMs'> & { readonly blocks: readonly Block[] },
    isOver: boolean,
  ): readonly BackgroundAgent[] {
    if (draft.isReplay) return [];
    const started = [...draft.results].flatMap(([toolUseId, { agentId, isBackground }]) => {
      const run = runs.get(toolUseId);
      if (!isBackground || agentId === undefined || run === undefined) return [];
      const { promptId, cwd } = turn.about;
      const own = { turnKey: turn.key, turnNumber: turn.number, promptId, cwd, startMs: turn.startMs };
      return [{ ...run, agentId, toolUseId, agentType: typeOfAgent(turn.blocks, toolUseId), ...own }];
    });
    const all = [...this.state.running, ...started];
    const isDone = (agent: BackgroundAgent): boolean => isOver || draft.finished.has(agent.agentId);
    this.state.running = all.filter((agent) => !isDone(agent));
    return all.filter(isDone).map((agent) => {
      const untilMs = draft.finished.get(agent.agentId);
      if (untilMs !== undefined) this.state.agentRuns.set(agent.agentId, [agent.run + 1, untilMs]);
      return { ...agent, untilMs };
    });
  }

  #keyOf(draft: TurnDraft): string {
    return draft.firstMessageId ?? draft.prompt?.uuid ?? `${this.#rules.sessionId}#${draft.start.line + 1}`;
  }
}

const nowhere: DraftStart = { offset: 0, line: 0, cause: {} };

function typeOfAgent(blocks: readonly Block[], toolUseId: string): string | undefined {
  const call = blocks.filter(isToolUse).find((block) => block.id === toolUseId);
  return asString(asObject(call?.input)?.subagent_type);
}

function hasResults(line: TraceLine): boolean {
  return line.role === 'user' && contentOf(line.entry).some(isToolResult);
}
