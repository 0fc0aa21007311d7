// A session → its turns as items, in the order of a branch: the one interpretation that every sink lays out. Only the
// lines of the turns that a sink asks for, and the results of their calls, are read.
import type { JsonValue } from '../../base/json/index.ts';
import type { Entry } from '../../format/entry/index.ts';
import { linesWithUsage } from '../facts/index.ts';
import type { Graph } from '../graph/index.ts';
import {
  type ErrorItem,
  type ForkItem,
  type Item,
  type PromptItem,
  type QueuedItem,
  type StoryAgent,
  StoryText,
} from '../items/index.ts';
import {
  type AgentSource,
  type Branch,
  type Compaction,
  compactionsOf,
  cwdOf,
  openAgent,
  readEntry,
  type Session,
} from '../load/index.ts';
import type { Node } from '../transcript/index.ts';
import {
  countTurns,
  deliveredAt,
  promptsWithoutLine,
  type QueuedPrompt,
  type ToolCall,
  type Turn,
  toolCallsOf,
  turnsOf,
  typedDuring,
} from '../turns/index.ts';
import { countUsage, totalUsage, type UsageTotals } from '../usage/index.ts';
import { isEmpty, type LineContext, type LineTurn, lineItems, promptItem } from './line.ts';
import { StoryNames } from './names.ts';
import { refTo } from './text.ts';

export interface StoryOptions {
  /** The active branch unless it is given. */
  readonly branch?: Branch | undefined;
  /** Loads a sub-agent; an export replaces its secrets. */
  readonly open?: typeof openAgent;
}

/** A sub-agent's own story, with its tokens; `shown`: a call before this one has started the same agent. */
export type OpenedAgent =
  | { readonly state: 'open'; readonly story: Story; readonly usage: UsageTotals }
  | { readonly state: 'shown' }
  | { readonly state: 'unreadable'; readonly reason: string };

export class Story implements LineContext {
  readonly session: Session;
  readonly cwd: string | undefined;
  readonly graph: Graph;
  readonly compactions: ReadonlyMap<Node, Compaction>;
  readonly names: StoryNames;
  readonly #branch: Branch | undefined;
  readonly #open: typeof openAgent;
  /** The session that all sub-agents belong to, and those that a call may have started: a sub-agent's own too. */
  readonly #root: Session;
  readonly #agents: readonly AgentSource[];
  readonly #agentsByCall: ReadonlyMap<string | undefined, AgentSource>;
  readonly #agentsById: ReadonlyMap<string, AgentSource>;
  /** One that is resumed has several calls, and damage may lead an agent to itself. */
  readonly #shown: Set<string>;
  readonly #queued: readonly QueuedPrompt[];
  readonly #entries = new Map<Node, Entry>();
  #turn: { readonly of: Turn; readonly lines: LineTurn } | undefined;
  #forks: ReadonlyMap<Node, readonly Fork[]> | undefined;

  constructor(session: Session, options: StoryOptions = {}, parent?: Story) {
    this.session = session;
    this.cwd = cwdOf(session) ?? parent?.cwd;
    this.graph = session.graph;
    this.compactions = new Map(
      compactionsOf(session).flatMap((each) => {
        const line = each.boundary ?? each.summary;
        return line === undefined ? [] : [[line, each] as const];
      }),
    );
    this.#branch = options.branch ?? session.branches[0];
    this.#open = options.open ?? openAgent;
    this.#root = parent === undefined ? session : parent.#root;
    this.#agents = [...(parent === undefined ? [] : parent.#agents), ...session.agents];
    this.#agentsByCall = new Map(this.#agents.map((agent) => [agent.toolUseId, agent]));
    this.#agentsById = new Map(this.#agents.map((agent) => [agent.agentId, agent]));
    this.names = new StoryNames(session, this.#agentsById, parent?.names);
    this.#shown = parent === undefined ? new Set() : parent.#shown;
    // The user cannot type to a sub-agent.
    this.#queued = parent !== undefined || session.isAgent ? [] : promptsWithoutLine(session.transcript);
    if (parent !== undefined) this.#forks = new Map();
  }

  get turns(): readonly Turn[] {
    return turnsOf(this.session, this.#branch);
  }

  /** Prompts that were typed but never sent. */
  get waiting(): readonly QueuedPrompt[] {
    return this.#queued.filter(({ outcome }) => outcome === 'waiting');
  }

  /** Sub-agents that no call of the shown turns started. */
  get unstarted(): readonly AgentSource[] {
    const { isAgent, agents } = this.session;
    return isAgent ? [] : agents.filter((each) => !each.toolUseId && !this.#shown.has(each.agentId));
  }

  prompt(turn: Turn): PromptItem | undefined {
    const { prompt, promptLines, promptKind = 'plain' } = turn;
    return prompt === undefined ? undefined : promptItem(promptLines, prompt, promptKind, this.read);
  }

  /** The items of a turn, or of a range of its lines; an error that retries repeat is one item. */
  *items(turn: Turn, from = 0, to: number = turn.nodes.length): Generator<Item> {
    let error: ErrorItem | undefined;
    for (const item of this.#lineItems(turn, from, to)) {
      if (item.kind === 'error' && error !== undefined && isSameError(error, item)) {
        error = { ...item, node: error.node, repeats: [...error.repeats, item.node] };
        continue;
      }
      if (error !== undefined) yield error;
      error = item.kind === 'error' ? item : undefined;
      if (item.kind !== 'error') yield item;
    }
    if (error !== undefined) yield error;
  }

  *#lineItems(turn: Turn, from: number, to: number): Generator<Item> {
    this.#forks ??= forksOf(this.session, this.#branch);
    const lines = this.#linesOf(turn);
    const queued = this.#queuedIn(turn);
    for (const [i, node] of turn.nodes.slice(from, to).entries()) {
      yield* queued.get(from + i) ?? [];
      for (const item of lineItems(this, node, lines)) {
        if (item.kind !== 'result' && !isEmpty(item)) yield item;
      }
      for (const fork of this.#forks.get(node) ?? []) yield { kind: 'fork', node, ...fork };
    }
    if (to === turn.nodes.length) yield* queued.get(to) ?? [];
  }

  /** A sub-agent is opened once. */
  async openAgent(started: StoryAgent): Promise<OpenedAgent> {
    const agent = this.#agents.find((each) => each === started);
    if (agent === undefined || this.#shown.has(agent.agentId)) return { state: 'shown' };
    this.#shown.add(agent.agentId);
    const own = await this.#open(this.#root, agent);
    if ('unreadable' in own) return { state: 'unreadable', reason: own.unreadable };
    const usage = totalUsage(countUsage(linesWithUsage(own.transcript, own.id)).messages);
    return { state: 'open', story: new Story(own, { open: this.#open }, this), usage };
  }

  /** Remembers two lines, a call's and its result's: parallel calls may have their results in one line. */
  readonly read = (node: Node): Entry => {
    const known = this.#entries.get(node);
    if (known !== undefined) return known;
    const entry = readEntry(this.session, node, 'sent');
    const [oldest] = this.#entries.size >= 2 ? this.#entries.keys() : [];
    if (oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(node, entry);
    return entry;
  };

  readonly readStored = (node: Node): JsonValue | undefined =>
    this.session.transcript.read(node, 'toolUseResult').toolUseResult;

  #linesOf(turn: Turn): LineTurn {
    if (this.#turn?.of !== turn) {
      const calls = new Map(toolCallsOf(this.session, turn).map((call) => [call.id, call]));
      const agentOf = ({ id, agentId }: ToolCall): AgentSource | undefined =>
        this.#agentsByCall.get(id) ?? this.#agentsById.get(agentId ?? '');
      this.#turn = { of: turn, lines: { ...turn, calls, agentOf } };
    }
    return this.#turn.lines;
  }

  /** The prompts given to the model during the turn, by the line before which each was delivered. */
  #queuedIn({ nodes }: Turn): ReadonlyMap<number, readonly QueuedItem[]> {
    const before = new Map<number, QueuedItem[]>();
    for (const prompt of typedDuring(this.#queued, nodes)) {
      const at = nodes.findIndex((node) => node.index > deliveredAt(prompt));
      const place = at < 0 ? nodes.length : at;
      const text = new StoryText(prompt.text, 'prompt', refTo(prompt.node, 'content'));
      const item: QueuedItem = { kind: 'queued', node: prompt.shownBy ?? prompt.node, text };
      before.set(place, [...(before.get(place) ?? []), item]);
    }
    return before;
  }
}

/** Retries differ in their number only. */
function isSameError(a: ErrorItem, b: ErrorItem): boolean {
  const words = (item: ErrorItem): string => item.text.text.replace(/, retry \d+ of \d+$/, '');
  return a.node.type === b.node.type && words(a) === words(b);
}

type Fork = Pick<ForkItem, 'branch' | 'turns' | 'isReplay'>;

/** The branches that leave the shown one, by the line they leave at. */
function forksOf(session: Session, shown: Branch | undefined): ReadonlyMap<Node, readonly Fork[]> {
  const forks = new Map<Node, Fork[]>();
  for (const [i, branch] of session.branches.entries()) {
    if (branch === shown || branch.fork === undefined) continue;
    const fork = { branch: i + 1, turns: turnsIn(session, branch), isReplay: branch.isReplay };
    forks.set(branch.fork, [...(forks.get(branch.fork) ?? []), fork]);
  }
  return forks;
}

/** How many turns a branch has. The result is cached: every range of the page needs it. */
export function turnsIn(session: Session, branch: Branch): number {
  const known = counts.get(branch) ?? countTurns(session.transcript, branch.nodes);
  counts.set(branch, known);
  return known;
}

const counts = new WeakMap<Branch, number>();
