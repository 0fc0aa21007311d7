// A session → what the context of a request was made of, and how it grew from turn to turn.
import { isoDate } from '../../base/json/index.ts';
import { modelFactsOf } from '../../models/index.ts';
import { type Branch, compactionsOf, type Session } from '../../session/load/index.ts';
import { callsOf, isBoundary, isMessage, type Node } from '../../session/transcript/index.ts';
import {
  type Basis,
  type ContextDrop,
  type ContextLedger,
  type ContextRequest,
  type ContextTurn,
  type SliceKind,
  sliceKinds,
} from '../wire/index.ts';
import { Account, mostTokens } from './account.ts';
import { type Answer, answerOf, type Conversation, conversationOf } from './conversation.ts';
import type { Output, Settled } from './item.ts';
import { dropsEarlierThinking, tokenizerFactor } from './model-habits.ts';
import { type Piece, piecesOf } from './pieces.ts';
import { type Prompt, promptPartsOf, snapshotOf } from './prompt-parts.ts';
import { roundedShares, type SlicedItem, slicesOf } from './slices.ts';

/** Options of `contextLedger`. */
export interface ContextOptions {
  /** From 1, the active branch. */
  readonly branch?: number;
  /** The last request of this turn, or the last one before it; by default the last one of the branch. */
  readonly turn?: number;
  /** The id of the sub-agent that the session is of. */
  readonly agentId?: string;
  /** @internal Uses only the first count, to compare what is estimated with the later ones. */
  readonly onlyFirstCount?: boolean;
}

/** Returns what the context of a request was made of, anchored to the counts of the API. */
export function contextLedger(session: Session, options: ContextOptions = {}): ContextLedger {
  const { branch: number = 1, agentId } = options;
  const branch: Branch | undefined = session.branches[number - 1];
  const conversation = conversationOf(session, branch);
  const { found, items, model, turns } = walk(session, conversation, options);
  const isCounted = found?.basis === 'anchored' && options.onlyFirstCount !== true;
  const tokens = isCounted ? found.answer.inputTokens : Math.round(sumOf(items));
  // `clew strip` changes what a resume sends: the active branch of the session itself.
  const isResumed = number === 1 && !session.isAgent && agentId === undefined;
  return {
    sessionId: session.id,
    agentId: agentId ?? null,
    branch: number,
    turn: found?.turn ?? conversation.turns.at(-1)?.index ?? null,
    model: model ?? null,
    limitTokens: (model === undefined ? undefined : modelFactsOf(model)?.contextTokens) ?? null,
    request: found === undefined ? null : requestOf(found),
    apiTokens: found?.answer.inputTokens ?? null,
    tokens,
    estimatedTokens: found?.settled.estimatedTokens ?? tokens,
    basis: isCounted ? 'anchored' : 'estimated',
    problem: found?.settled.problem ?? null,
    slices: slicesOf(items, { tokens, isCounted, sessionId: isResumed ? session.id : undefined }),
    turns,
  };
}

/** The request that was asked for. */
interface Found {
  readonly answer: Answer;
  readonly node: Node;
  readonly turn: number;
  readonly basis: Basis;
  readonly settled: Settled;
  readonly items: readonly SlicedItem[];
}

interface Walked {
  readonly found: Found | undefined;
  readonly items: readonly SlicedItem[];
  readonly model: string | undefined;
  readonly turns: readonly ContextTurn[];
}

/** Adds line after line to an account, and settles it at each request. */
function walk(session: Session, conversation: Conversation, { turn: wanted, onlyFirstCount }: ContextOptions): Walked {
  const target = lastRequest(session, conversation, wanted);
  const contents = readContents(session, conversation);
  const account = new Account(promptPartsOf(session, contents.snapshots));
  const rows = new TurnRows(conversation);
  const answered = new Set<string>();
  const keptBy = keptLines(session, conversation);
  let found: Found | undefined;
  let model: string | undefined;
  let boundary: Node | undefined;
  for (const { node, turn } of conversation.lines) {
    if (isBoundary(node) || (node.isCompactSummary && boundary === undefined)) {
      const kept = keptBy.get(node);
      account.compact((item) => item.isRecorded && kept?.has(item.line) === true);
    }
    boundary = isBoundary(node) ? node : isMessage(node) ? undefined : boundary;
    const answer = answerOf(session, node);
    if (answer !== undefined && !answered.has(answer.id)) {
      answered.add(answer.id);
      model = answer.model ?? model;
      if (answer.inputTokens > 0) {
        const { inputTokens: tokens } = answer;
        const settled = account.settle({
          line: node.line,
          turn,
          tokens,
          factor: tokenizerFactor(model),
          dropsThinking: dropsEarlierThinking(model, node.version),
          isOnlyFirst: onlyFirstCount === true,
        });
        const basis: Basis = settled.problem === undefined ? 'anchored' : 'estimated';
        rows.note(turn, account, tokens, basis, settled.drops);
        if (node === target) found = { answer, node, turn, basis, settled, items: itemsOf(account) };
      }
    }
    const output = answer === undefined ? undefined : outputOf(answer);
    for (const piece of contents.piecesOf(node)) account.add(piece, node.line, turn, output);
  }
  if (found === undefined) account.estimate(tokenizerFactor(model));
  return { found, items: found?.items ?? itemsOf(account), model: found?.answer.model ?? model, turns: rows.rows() };
}

function outputOf({ id, outputTokens, isPartial }: Answer): Output {
  return { id, tokens: isPartial || outputTokens > mostTokens ? undefined : outputTokens };
}

/** The lines that each compaction kept. */
function keptLines(session: Session, { lines }: Conversation): ReadonlyMap<Node | undefined, ReadonlySet<number>> {
  const byUuid = new Map(lines.map(({ node }) => [node.uuid, node.line]));
  return new Map(
    compactionsOf(session).map(({ boundary, summary, preservedUuids }) => [
      boundary ?? summary,
      new Set(preservedUuids.flatMap((uuid) => byUuid.get(uuid) ?? [])),
    ]),
  );
}

function itemsOf(account: Account): readonly SlicedItem[] {
  return account.items.map((item) => ({ item, tokens: item.units * account.scale, isExact: item.isExact }));
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

/** What is computed from the content of a line. */
interface LineContent {
  readonly pieces: readonly Piece[];
  readonly snapshot: Prompt | undefined;
}

const knownContents = new WeakMap<Node, LineContent>();

/** Cached by line: the page asks again for other turns, and after each line that was appended. */
function readContents(
  session: Session,
  { lines }: Conversation,
): { readonly snapshots: readonly Prompt[]; piecesOf(node: Node): readonly Piece[] } {
  // Complete before the first line is read: a result may come before its call.
  const tools = new Map(lines.flatMap(({ node }) => callsOf(node).map(({ id, name }) => [id, name] as const)));
  const snapshots: Prompt[] = [];
  const contents = new Map<Node, LineContent>();
  for (const { node } of lines) {
    const content = knownContents.get(node) ?? readContent(session, node, tools);
    knownContents.set(node, content);
    contents.set(node, content);
    if (content.snapshot !== undefined) snapshots.push(content.snapshot);
  }
  return { snapshots, piecesOf: (node) => contents.get(node)?.pieces ?? [] };
}

function readContent(session: Session, node: Node, tools: ReadonlyMap<string, string>): LineContent {
  const entry = session.transcript.read(node);
  return { pieces: piecesOf(node, entry, tools), snapshot: snapshotOf(node, entry) };
}

interface TurnRow {
  readonly turn: number;
  readonly line: number;
  tokens: number | null;
  apiTokens: number | null;
  basis: Basis;
  /** In units, in the order of `sliceKinds`; rounded when the turn is over. */
  kinds: readonly number[];
  readonly drops: Set<ContextDrop>;
}

/** One row for each turn, of its last request. */
class TurnRows {
  readonly #rows: readonly TurnRow[];

  constructor({ turns }: Conversation) {
    this.#rows = turns.map(({ index, nodes }) => ({
      turn: index,
      line: nodes[0]?.line ?? 0,
      tokens: null,
      apiTokens: null,
      basis: 'estimated',
      kinds: [],
      drops: new Set(),
    }));
  }

  note(turn: number, account: Account, apiTokens: number, basis: Basis, drops: ContextTurn['drops']): void {
    const row = this.#rows[turn - 1];
    if (row === undefined) return;
    row.tokens = basis === 'anchored' ? apiTokens : Math.round(account.tokens);
    row.apiTokens = apiTokens;
    row.basis = basis;
    row.kinds = sliceKinds.map((kind) => account.kinds.get(kind) ?? 0);
    for (const drop of drops) row.drops.add(drop);
  }

  rows(): readonly ContextTurn[] {
    return this.#rows.map(({ kinds, drops, ...row }) => {
      const shares = roundedShares(kinds, row.tokens ?? 0);
      const byKind = sliceKinds.map((kind, i) => [kind, shares[i] ?? 0] as const);
      return { ...row, kinds: Object.fromEntries(byKind) as Record<SliceKind, number>, drops: [...drops] }; // all kinds
    });
  }
}
