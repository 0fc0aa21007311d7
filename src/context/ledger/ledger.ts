// A session → what the context of a request was made of, and how it grew from turn to turn.
import { newTokenizerFactor } from '../../api/request/index.ts';
import { isoDate } from '../../base/json/index.ts';
import { modelFactsOf, plainModelName } from '../../models/index.ts';
import { type Branch, compactionsOf, type Session } from '../../session/load/index.ts';
import { callsOf, isBoundary, type Node } from '../../session/transcript/index.ts';
import type { Basis, ContextLedger, ContextRequest, ContextTurn, SliceKind } from '../wire/index.ts';
import { Account, type Item } from './account.ts';
import { type Answer, answerOf, type Conversation, conversationOf } from './conversation.ts';
import { type Piece, piecesOf } from './pieces.ts';
import { roundedShares, type SlicedItem, slicesOf } from './slices.ts';

/** Options of `contextLedger`. */
export interface ContextOptions {
  /** From 1, the active branch. */
  readonly branch?: number;
  /** The last request of this turn, or the last one before it; by default the last one of the branch. */
  readonly turn?: number;
  /** The id of the sub-agent that the session is of. */
  readonly agentId?: string;
}

/** Returns what the context of a request was made of, anchored to the counts of the API. */
export function contextLedger(session: Session, options: ContextOptions = {}): ContextLedger {
  const { branch: number = 1, turn: wanted } = options;
  const branch: Branch | undefined = session.branches[number - 1];
  const conversation = conversationOf(session, branch);
  const target = lastRequest(session, conversation, wanted);
  const account = new Account();
  const tools = new Map<string, string>();
  const answered = new Map<string, Answer>();
  const preserved = new Map(compactionsOf(session).map((each) => [each.boundary ?? each.summary, each.preservedUuids]));
  const turns = new TurnRows(conversation);
  let found: Found | undefined;
  let model: string | undefined;
  let lastBoundary: Node | undefined;
  for (const { node, turn } of conversation.lines) {
    if (isBoundary(node) || (node.isCompactSummary && lastBoundary === undefined)) {
      const kept = linesWith(conversation, preserved.get(node) ?? []);
      account.compact((item) => item.isRecorded && kept.has(item.line));
    }
    lastBoundary = isBoundary(node) ? node : node.isCompactSummary || isSpoken(node) ? undefined : lastBoundary;
    const answer = answerOf(session, node);
    if (answer !== undefined && !answered.has(answer.id)) {
      answered.set(answer.id, answer);
      model = answer.model ?? model;
      if (answer.inputTokens > 0) {
        const settled = account.settle({
          line: node.line,
          turn,
          tokens: answer.inputTokens,
          factor: factorOf(model),
          dropsThinking: dropsEarlierThinking(model),
        });
        const basis: Basis = settled.problem === undefined ? 'anchored' : 'estimated';
        turns.note(turn, account, answer.inputTokens, basis, settled.drops);
        if (node === target)
          found = { answer, node, turn, basis, settled, items: copyOf(account), tokens: Math.round(account.tokens) };
      }
    }
    for (const { id, name } of callsOf(node)) tools.set(id, name);
    const output =
      answer === undefined ? undefined : { id: answer.id, tokens: answer.isPartial ? undefined : answer.outputTokens };
    for (const piece of piecesFor(session, node, tools)) account.add({ ...piece, line: node.line, turn }, output);
  }
  if (found === undefined) account.estimate(factorOf(model));
  const items = found?.items ?? copyOf(account);
  const tokens =
    found === undefined || found.basis === 'estimated' ? Math.round(sumOf(items)) : found.answer.inputTokens;
  const asked = found?.answer.model ?? model ?? null;
  return {
    sessionId: session.id,
    agentId: options.agentId ?? null,
    branch: number,
    turn: found?.turn ?? conversation.turns.at(-1)?.index ?? null,
    model: asked,
    limitTokens: (asked === null ? undefined : modelFactsOf(asked)?.contextTokens) ?? null,
    request: found === undefined ? null : requestOf(found),
    apiTokens: found?.answer.inputTokens ?? null,
    tokens,
    estimatedTokens: found?.settled.estimatedTokens ?? tokens,
    basis: found?.basis ?? 'estimated',
    problem: found?.settled.problem ?? null,
    slices: slicesOf(items, {
      tokens,
      isCounted: found?.basis === 'anchored',
      sessionId: number === 1 && !session.isAgent && options.agentId === undefined ? session.id : undefined,
    }),
    turns: turns.rows(),
  };
}

interface Found {
  readonly answer: Answer;
  readonly node: Node;
  readonly turn: number;
  readonly basis: Basis;
  readonly settled: ReturnType<Account['settle']>;
  readonly items: readonly SlicedItem[];
  readonly tokens: number;
}

function copyOf(account: Account): readonly SlicedItem[] {
  return account.items.map((item) => ({ item, tokens: item.units * account.scale }));
}

function sumOf(items: readonly SlicedItem[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

function requestOf({ answer, node }: Found): ContextRequest {
  return {
    line: node.line,
    time: isoDate(node.time),
    model: answer.model ?? null,
    outputTokens: answer.outputTokens,
    isOutputPartial: answer.isPartial,
  };
}

/** The first line of the answer to the last request with a count, in `turn` or before. */
function lastRequest(session: Session, { lines }: Conversation, turn = Number.POSITIVE_INFINITY): Node | undefined {
  const seen = new Set<string>();
  let last: Node | undefined;
  for (const { node, turn: own } of lines) {
    if (own > turn) break;
    const answer = answerOf(session, node);
    if (answer === undefined || seen.has(answer.id)) continue;
    seen.add(answer.id);
    if (answer.inputTokens > 0) last = node;
  }
  return last;
}

function linesWith({ lines }: Conversation, uuids: readonly string[]): ReadonlySet<number> {
  const wanted = new Set(uuids);
  return new Set(lines.flatMap(({ node }) => (node.uuid !== undefined && wanted.has(node.uuid) ? [node.line] : [])));
}

function isSpoken(node: Node): boolean {
  return node.type === 'user' || node.type === 'assistant';
}

const knownPieces = new WeakMap<Node, readonly Piece[]>();

/** Cached: the page asks again for other turns, and after each line that was appended. */
function piecesFor(session: Session, node: Node, tools: ReadonlyMap<string, string>): readonly Piece[] {
  const known = knownPieces.get(node);
  if (known !== undefined) return known;
  const pieces = piecesOf(node, session.transcript.read(node), tools);
  knownPieces.set(node, pieces);
  return pieces;
}

/** Models before Opus 4.7. */
const oldTokenizer = /claude-(?:[123]|instant|(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:-20\d{6})?$)/;

function factorOf(model: string | undefined): number {
  return model === undefined || oldTokenizer.test(plainModelName(model)) ? 1 : newTokenizerFactor;
}

/** Models before Opus 4.5, and their contemporaries: the API leaves the thinking of earlier turns out. */
const forgetful = /claude-(?:3|(?:opus|sonnet)-4(?:-[01])?(?:-20\d{6})?$|(?:sonnet|haiku)-4-5)/;

function dropsEarlierThinking(model: string | undefined): boolean {
  return model !== undefined && forgetful.test(plainModelName(model));
}

/** One row for each turn, of its last request. */
class TurnRows {
  readonly #rows: { turn: number; line: number; row: Omit<ContextTurn, 'turn' | 'line'> }[];

  constructor({ turns }: Conversation) {
    this.#rows = turns.map(({ index, nodes }) => ({
      turn: index,
      line: nodes[0]?.line ?? 0,
      row: { tokens: null, apiTokens: null, basis: 'estimated', kinds: {}, drops: [] },
    }));
  }

  note(turn: number, account: Account, apiTokens: number, basis: Basis, drops: ContextTurn['drops']): void {
    const row = this.#rows[turn - 1];
    if (row === undefined) return;
    const tokens = basis === 'anchored' ? apiTokens : Math.round(account.tokens);
    const kinds = [...account.kinds].filter(([, units]) => units > 0);
    const shares = roundedShares(
      kinds.map(([, units]) => units),
      tokens,
    );
    const known = new Set([...row.row.drops, ...drops]);
    row.row = {
      tokens,
      apiTokens,
      basis,
      kinds: Object.fromEntries(kinds.map(([kind], i) => [kind, shares[i] ?? 0])) as Partial<Record<SliceKind, number>>,
      drops: [...known],
    };
  }

  rows(): readonly ContextTurn[] {
    return this.#rows.map(({ turn, line, row }) => ({ turn, line, ...row }));
  }
}

export type { Item };
