// A session → the head of its page: what it is, its branches and sub-agents, and a small row for every turn. Apart from the
// nodes only the lines of prompts are read, so that it is there before the page has asked for its first turn.
import { isDamage } from '../../base/errors/index.ts';
import { asksForLongContext, bundledPrices, PriceList } from '../../models/index.ts';
import { countTurn, type LoadAgent, strangePrompt, titleOf, usageLinesOf } from '../../session/facts/index.ts';
import { StoryText } from '../../session/items/index.ts';
import {
  type Compaction,
  compactionsOf,
  cwdOf,
  diagnosticsOf,
  type Session,
  versionsOf,
} from '../../session/load/index.ts';
import { clientWindow, usualWindow } from '../../session/resume/request/index.ts';
import { refTo } from '../../session/story/index.ts';
import { isBoundary, loadReadable, type Node, type Transcript } from '../../session/transcript/index.ts';
import { hasFailed, promptsWithoutLine, type Turn, toolCallsOf, turnPromptText } from '../../session/turns/index.ts';
import { type CountedMessage, countUsage, totalUsage } from '../../session/usage/index.ts';
import { modelsOf } from '../source/index.ts';
import type { CompactionRow, SessionHead, TurnRow } from '../wire/index.ts';
import { contextSizes, type TurnContext } from './context-size.ts';
import { type BranchTools, partFacts, toolsOf } from './part-facts.ts';
import { branchNumbered, branchRows, linesPerPart, type Parts, partsOf } from './parts.ts';
import { firstChars, sentText, startOf, timeOf } from './text.ts';
import { agentRow } from './turn-view.ts';

export interface HeadOptions {
  /** From 1, the active one unless it is given. */
  readonly branch?: number;
  /** Rows only from this turn on: the others have not changed. */
  readonly fromTurn?: number;
  readonly prices?: PriceList;
}

const maxDamage = 100;

export function sessionHead(session: Session, options: HeadOptions = {}): SessionHead {
  const { branch = 1, fromTurn = 1, prices = new PriceList(bundledPrices) } = options;
  const load = loadOnce();
  const { nodes, sizeBytes } = session.transcript;
  const title = titleOf(session);
  const cwd = cwdOf(session);
  const { startedAt, durationMs } = timesOf(nodes);
  const damage = diagnosticsOf(session).filter(isDamage);
  const models = modelsOf(session);
  const parts = partsOf(session, branchNumbered(session, branch));
  const sizes = contextSizes(parts.turns, compactionsOf(session));
  const counted = countUsage(usageLinesOf(session, load)).messages;
  const tools = toolsOf(session, parts);
  return {
    sessionId: session.id,
    isAgent: session.isAgent,
    title: title === undefined ? null : startOf(title, 300),
    cwd: cwd === undefined ? null : firstChars(cwd, 1_000),
    startedAt,
    endedAt: startedAt === null ? null : startedAt + durationMs,
    sizeBytes,
    lines: nodes.length,
    models: models.map((model) => firstChars(model, 100)),
    versions: versionsOf(session).map((version) => firstChars(version, 40)),
    ...windowOf(models, sizes, prices),
    usage: totalUsage(counted),
    ...costOf(counted, prices),
    branches: branchRows(session),
    branch: session.branches.length === 0 ? 0 : branch,
    compactions: compactionsOf(session).flatMap(compactionRow),
    agents: session.agents.map(agentRow),
    tools: tools.tools,
    damage: damage.slice(0, maxDamage).map(({ code, line, message }) => ({ code, line, message })),
    damageCount: damage.length,
    strangePrompt: strangePrompt(session) ?? null,
    waiting: session.isAgent ? [] : waitingPrompts(session),
    parts: parts.all.length,
    turnCount: parts.turns.length,
    turns: parts.turns.slice(fromTurn - 1).map((turn) => turnRow(session, parts, turn, { prices, load, sizes, tools })),
  };
}

/** Each file of a sub-agent is read once, however many turns ask for it. */
function loadOnce(): LoadAgent {
  const loaded = new Map<string, Transcript>();
  return (path) => {
    const transcript = loaded.get(path) ?? loadReadable(path);
    loaded.set(path, transcript);
    return transcript;
  };
}

interface RowTools {
  readonly prices: PriceList;
  readonly load: LoadAgent;
  readonly sizes: readonly TurnContext[];
  readonly tools: BranchTools;
}

/** What the client counts with; for a model that it is not known for, what the API takes. */
function windowOf(
  models: readonly string[],
  sizes: readonly TurnContext[],
  prices: PriceList,
): Pick<SessionHead, 'contextLimit' | 'compactsAt'> {
  const model = models.at(-1) ?? '';
  const peak = sizes.reduce((largest, { peakTokens }) => Math.max(largest, peakTokens ?? 0), 0);
  const window = clientWindow(model, models.some(asksForLongContext) || peak > usualWindow);
  return {
    contextLimit: window?.limit ?? prices.contextTokensOf(model) ?? null,
    compactsAt: window?.compactsAt ?? null,
  };
}

const rowChars = 160;

function turnRow(session: Session, parts: Parts, turn: Turn, { prices, load, sizes, tools }: RowTools): TurnRow {
  const counted = countTurn(session, turn, load);
  const calls = toolCallsOf(session, turn);
  const size = sizes[turn.index - 1];
  const model = size?.answer?.message?.model;
  return {
    index: turn.index,
    firstPart: parts.firstOf[turn.index - 1] ?? 0,
    partLines: turn.nodes.flatMap((node, i) => (i % linesPerPart === 0 ? [node.line] : [])),
    ...partFacts(session, turn, tools),
    prompt: startOf(turnPromptText(session, turn) ?? '', rowChars),
    promptKind: turn.promptKind ?? null,
    ...timesOf(turn.nodes),
    lines: turn.nodes.length,
    calls: calls.length,
    errors:
      calls.filter((call) => hasFailed(session, call)).length + turn.nodes.filter((node) => node.isApiError).length,
    agents: new Set(calls.flatMap((call) => call.agentId ?? [])).size,
    compactions: turn.nodes.filter((node) => isBoundary(node)).length,
    usage: totalUsage(counted),
    ...costOf(counted, prices),
    contextTokens: size?.tokens ?? null,
    peakTokens: size?.peakTokens ?? null,
    drops: size?.drops ?? [],
    model: model === undefined ? null : firstChars(model, 100),
  };
}

function timesOf(nodes: readonly Node[]): Pick<TurnRow, 'startedAt' | 'durationMs'> {
  let first = Number.NaN;
  let last = Number.NaN;
  for (const { time } of nodes) {
    if (Number.isNaN(time)) continue;
    if (!(time >= first)) first = time;
    if (!(time <= last)) last = time;
  }
  return { startedAt: timeOf(first), durationMs: Number.isNaN(first) ? 0 : last - first };
}

function costOf(messages: readonly CountedMessage[], prices: PriceList): Pick<TurnRow, 'costMicros' | 'unpriced'> {
  let micros = 0;
  let unpriced = 0;
  for (const { line, usage } of messages) {
    const cost = prices.costOf(line.model, usage, line.time);
    if (cost === undefined) unpriced++;
    else micros += cost;
  }
  return { costMicros: unpriced === messages.length ? null : micros, unpriced };
}

function compactionRow(compaction: Compaction): readonly CompactionRow[] {
  const line = compaction.boundary ?? compaction.summary;
  if (line === undefined) return [];
  return [
    {
      line: line.line,
      uuid: line.uuid ?? null,
      at: timeOf(compaction.time),
      trigger: compaction.trigger === undefined ? null : firstChars(compaction.trigger, 40),
      preTokens: compaction.preTokens ?? null,
      postTokens: compaction.postTokens ?? null,
      kept: compaction.preservedUuids.length,
    },
  ];
}

function waitingPrompts({ transcript }: Session): SessionHead['waiting'] {
  return promptsWithoutLine(transcript)
    .filter(({ outcome }) => outcome === 'waiting')
    .map(({ text, node }) => sentText(new StoryText(text, 'note', refTo(node, 'content'))));
}
