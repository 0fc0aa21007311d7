// Estimates what each kind of stripping would free, and what rewriting the prompt cache after the first change would cost.
// Tokens are estimated as in `clew context`.
import { asObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { lineTokens, tokenizerFactor } from '../../context/ledger/index.ts';
import { editJson } from '../../format/bytes/index.ts';
import { noUsage } from '../../format/entry/index.ts';
import type { PriceList } from '../../models/index.ts';
import type { Session } from '../../session/load/index.ts';
import type { Node } from '../../session/transcript/index.ts';
import { leanRequest, resumedLines } from '../request/index.ts';
import { findScope, type Limits, stripMain } from './strip.ts';
import type { Stripped } from './strip-lines.ts';
import type { StripKind, StripOptions } from './strip-options.ts';

export interface StripEstimate {
  readonly model: string | undefined;
  /** What resuming sends now. */
  readonly contextTokens: number;
  readonly rows: readonly StripRow[];
}

export interface StripRow {
  readonly kind: StripKind;
  readonly options: StripOptions;
  /** Lines that would change or be dropped. */
  readonly lines: number;
  readonly freedBytes: number;
  readonly freedTokens: number;
  /** Tokens after the first change, which must be written to the cache again. */
  readonly rewriteTokens: number;
  /** `undefined` if the price is unknown. */
  readonly rewriteCostMicroUsd: number | undefined;
}

const triedChars = 2000;

const tried: readonly { readonly kind: StripKind; readonly options: StripOptions }[] = [
  { kind: 'tools', options: { tools: [] } },
  { kind: 'truncateResults', options: { truncateResults: triedChars } },
  { kind: 'truncateInputs', options: { truncateInputs: triedChars } },
  { kind: 'thinking', options: { thinking: true } },
  { kind: 'images', options: { images: true } },
  { kind: 'progress', options: { progress: true } },
  { kind: 'bookkeeping', options: { bookkeeping: true } },
];

export function estimateStrip(session: Session, limits: Limits, prices: PriceList): StripEstimate {
  const scope = findScope(session, limits);
  const chain = resumedLines(session);
  const model = resumedModel(session);
  const sentTokens = sentTokensFor(model);
  const tokens = new Map(chain.map((node) => [node, sentTokens(node, session.transcript.read(node))]));
  const rows = tried.map(({ kind, options }): StripRow => {
    const { stripped } = stripMain(session, scope, options);
    const { freedBytes, left } = measure(session, stripped, tokens, sentTokens);
    const first = chain.findIndex((node) => left.get(node) !== tokens.get(node));
    const rewriteTokens = first < 0 ? 0 : sum(chain.slice(first).map((node) => left.get(node) ?? 0));
    const usage = { ...noUsage, cacheWrite5mTokens: rewriteTokens };
    return {
      kind,
      options,
      lines: stripped.drops.size + stripped.edits.size,
      freedBytes,
      freedTokens: sum(tokens.values()) - sum(left.values()),
      rewriteTokens,
      rewriteCostMicroUsd: prices.costOf(model, usage, Date.now()),
    };
  });
  return { model, contextTokens: sum(tokens.values()), rows };
}

/** What resuming sends, estimated. */
export function estimateContext(session: Session): number {
  const sentTokens = sentTokensFor(resumedModel(session));
  return sum(resumedLines(session).map((node) => sentTokens(node, session.transcript.read(node))));
}

/** What a line adds to a request, including the thinking of earlier turns. */
type SentTokens = (node: Node, entry: JsonObject) => number;

function sentTokensFor(model: string | undefined): SentTokens {
  const factor = tokenizerFactor(model);
  return (node, entry) => Math.round(lineTokens(node, entry) * factor);
}

function resumedModel(session: Session): string | undefined {
  const request = leanRequest(session);
  return 'refused' in request ? undefined : request.model;
}

function measure(
  session: Session,
  { drops, edits }: Stripped,
  tokens: ReadonlyMap<Node, number>,
  sentTokens: SentTokens,
): { readonly freedBytes: number; readonly left: ReadonlyMap<Node, number> } {
  const left = new Map(tokens);
  let freedBytes = 0;
  for (const node of session.transcript.nodes) {
    const own = edits.get(node.index);
    if (drops.has(node.index)) {
      freedBytes += node.length + 1;
      if (left.has(node)) left.set(node, 0);
    } else if (own !== undefined) {
      const before = Buffer.from(JSON.stringify(session.transcript.read(node)));
      const after = editJson(before, own);
      freedBytes += before.length - after.length;
      if (left.has(node)) left.set(node, sentTokens(node, asObject(parseJson(after.toString('utf8'))) ?? {}));
    }
  }
  return { freedBytes, left };
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
