// The lines of a session → what they say about the session that it came from, as far as that takes only a few lines:
// which ids its first lines carry, which transcript its first texts name, how it begins and ends.
import { asObject, type JsonObject } from '../../base/json/index.ts';
import { isUuid } from '../../base/text/index.ts';
import { asEntry, contentOf, textOf } from '../../format/entry/index.ts';
import { isBoundary, isMessage, type Node, type Transcript } from '../transcript/index.ts';
import { said } from './titles.ts';

/** Marks that sessions of one conversation have in common. A session alone does not know whether the others exist. */
export interface OriginFacts {
  /** The id of the first answer: copies have the same, even if their lines have other uuids. */
  readonly firstAnswer?: string;
  /** The uuid of the last message. */
  readonly lastUuid?: string;
  /** The last line that was copied from the session of `forkedFrom`. */
  readonly forkedAt?: string;
  /** The session whose id the first lines carry, the last of them, and whether all lines carry it. */
  readonly copied?: { readonly sessionId: string; readonly at?: string; readonly isWhole: boolean };
  /** The session whose transcript a first text names; `isSummary`: the summary of a compaction does. */
  readonly named?: { readonly sessionId: string; readonly isSummary: boolean };
  /** The line before a compaction, if it is not in the file. */
  readonly compactedAt?: string;
  /** Leaves of other files that summaries at the beginning name. Clients of 1.0 write one when they resume. */
  readonly summaryLeaves?: readonly string[];
  /** It runs in the background. */
  readonly isBackground?: true;
}

/** `first`: the first message, parsed; `last`: the last one. */
export function originFactsOf(
  transcript: Transcript,
  sessionId: string,
  entries: { readonly first: JsonObject | undefined; readonly last: JsonObject | undefined },
): OriginFacts {
  const messages = transcript.nodes.filter((node) => isMessage(node) && !node.isSidechain);
  const [first, last] = [messages[0], messages.at(-1)];
  if (first === undefined) return {};
  const isFork = entries.first !== undefined && forkOf(entries.first) !== undefined;
  return {
    ...present('firstAnswer', firstAnswer(transcript, messages)),
    ...present('lastUuid', last?.uuid),
    ...(isFork ? present('forkedAt', lastCopied(transcript, messages)) : {}),
    ...(isFork ? {} : present('copied', copiedFrom(messages, sessionId))),
    ...present('named', namedIn(transcript, messages, sessionId)),
    ...present('compactedAt', compactedAt(transcript)),
    ...present('summaryLeaves', summaryLeaves(transcript, first)),
    ...backgroundOf(entries.last),
  };
}

/** Absent members are left out: most sessions have few of them. */
function present<K extends keyof OriginFacts>(key: K, value: OriginFacts[K] | undefined): Partial<OriginFacts> {
  return value === undefined ? {} : { [key]: value };
}

/** The same with one more message of the main conversation. */
export function withMessage(before: OriginFacts, node: Node, uuid: string): OriginFacts {
  const { copied } = before;
  const answer = isAnswer(node) ? node.message?.id : undefined;
  const isCopied = copied?.isWhole === true && node.sessionId === copied.sessionId;
  return {
    ...present('firstAnswer', before.firstAnswer ?? answer),
    ...before,
    lastUuid: uuid,
    ...(copied?.isWhole === true ? { copied: isCopied ? { ...copied, at: uuid } : { ...copied, isWhole: false } } : {}),
  };
}

/** What the last message says: a session that was moved to the background begins with lines that ran before. */
export function backgroundOf(last: JsonObject | undefined): Pick<OriginFacts, 'isBackground'> {
  return last?.sessionKind === 'bg' ? { isBackground: true } : {};
}

export function forkOf(entry: JsonObject): string | undefined {
  return said(asObject(entry.forkedFrom)?.sessionId);
}

/** Whether the line counts as an answer, which a copy of the session has too. */
function isAnswer(node: Node): boolean {
  return node.type === 'assistant' && !node.isSidechain && !node.isApiError;
}

function firstAnswer(transcript: Transcript, messages: readonly Node[]): string | undefined {
  const node = messages.find(isAnswer);
  if (node === undefined) return undefined;
  return node.message?.id ?? said(asObject(transcript.read(node, 'sent').message)?.id);
}

/** A fork begins with the copied lines, so few lines are read. */
function lastCopied(transcript: Transcript, messages: readonly Node[]): string | undefined {
  const isCopy = (at: number): boolean => forkOf(transcript.read(messages[at] as Node)) !== undefined;
  let [copy, own] = [0, messages.length];
  while (own - copy > 1) {
    const middle = (copy + own) >> 1;
    if (isCopy(middle)) copy = middle;
    else own = middle;
  }
  const node = messages[copy] as Node; // the first message is a copy
  return said(asObject(transcript.read(node).forkedFrom)?.messageUuid) ?? node.uuid;
}

/** Clients up to 2.1.45 leave the id of the origin on the lines that they copy. */
function copiedFrom(messages: readonly Node[], sessionId: string): OriginFacts['copied'] {
  const id = messages[0]?.sessionId;
  if (id === undefined || id === sessionId || !isUuid(id)) return undefined;
  const end = messages.findIndex((node) => node.sessionId !== id);
  const at = messages[end < 0 ? messages.length - 1 : end - 1]?.uuid;
  return { sessionId: id, ...(at === undefined ? {} : { at }), isWhole: end < 0 };
}

const transcriptName = /read the full transcript at:?\s+(\S{1,1000})\.jsonl/;

/** The client puts the name of the transcript into the first prompt, or into the summary that replaces it. */
function namedIn(transcript: Transcript, messages: readonly Node[], sessionId: string): OriginFacts['named'] {
  const node = messages.find(({ promptKind, userKind }) => promptKind !== undefined || userKind === 'summary');
  const entry = node === undefined ? undefined : asEntry(transcript.read(node, 'sent'));
  const found = entry === undefined ? null : transcriptName.exec(textOf(contentOf(entry)));
  const id = found?.[1]?.split(/[\\/]/).at(-1);
  if (id === undefined || !isUuid(id) || id === sessionId) return undefined;
  return { sessionId: id, isSummary: node?.userKind === 'summary' };
}

function compactedAt({ nodes }: Transcript): string | undefined {
  const named = nodes.filter(isBoundary).flatMap(({ logicalParentUuid }) => logicalParentUuid ?? []);
  if (named.length === 0) return undefined;
  const known = new Set(nodes.map(({ uuid }) => uuid));
  return named.find((uuid) => !known.has(uuid));
}

const mostLeaves = 20;

function summaryLeaves({ nodes }: Transcript, first: Node): readonly string[] | undefined {
  const before = nodes.slice(0, first.index).filter(({ type }) => type === 'summary');
  const leaves = before.flatMap(({ leafUuid }) => leafUuid ?? []).slice(-mostLeaves);
  return leaves.length === 0 ? undefined : leaves;
}
