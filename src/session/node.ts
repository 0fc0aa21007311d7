// One record of a transcript as the session layers see it: its place in the file and what its head says, without its
// content. A two-gigabyte transcript is half a million of these; the content is read again from the file when it is
// wanted (`Transcript.read`).
import type { CallHead, Head, MessageHead, ResultHead } from '../format/scan.ts';
import type { Usage } from '../format/usage.ts';
import { classifyUser, type PromptKind, type UserKind } from './input.ts';

export interface Node {
  /** Its place among the records of the transcript, from 0. */
  readonly index: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  /** Not the first record of its line, or behind junk: a person sees it, the client does not read it. */
  readonly hidden: boolean;
  readonly type: string;
  readonly subtype: string | undefined;
  readonly uuid: string | undefined;
  readonly parentUuid: string | null | undefined;
  readonly logicalParentUuid: string | undefined;
  /** Milliseconds since 1970, or `NaN`. */
  readonly time: number;
  readonly sessionId: string | undefined;
  readonly agentId: string | undefined;
  readonly cwd: string | undefined;
  readonly version: string | undefined;
  readonly leafUuid: string | undefined;
  readonly explicit: boolean;
  readonly isSidechain: boolean;
  readonly isMeta: boolean;
  readonly isCompactSummary: boolean;
  readonly isApiError: boolean;
  readonly hasPermissionMode: boolean;
  /** What a user line is; `undefined` for all other lines. */
  readonly userKind: UserKind | undefined;
  /** Set where the line is a prompt that a person gave: such a line begins a turn. */
  readonly promptKind: PromptKind | undefined;
  /** The sub-agent whose result this line brings. */
  readonly resultAgentId: string | undefined;
  readonly message: NodeMessage | undefined;
}

export interface NodeMessage {
  readonly id: string | undefined;
  readonly requestId: string | undefined;
  readonly model: string | undefined;
  readonly stopReason: string | undefined;
  readonly usage: Usage | undefined;
  /** A line without content that the client can read stays in the graph, but is never sent. */
  readonly hasContent: boolean;
  readonly blockTypes: readonly string[];
  readonly calls: readonly CallHead[];
  readonly results: readonly ResultHead[];
}

export interface Place {
  readonly index: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly hidden: boolean;
}

/** `intern` gives one copy of a string that many lines repeat. */
export function makeNode(head: Head, place: Place, intern: (text: string) => string): Node {
  const share = (text: string | undefined): string | undefined => (text === undefined ? undefined : intern(text));
  const type = intern(head.type === '' ? roleOf(head) : head.type);
  const user = type === 'user' ? classifyUser(head) : undefined;
  return {
    index: place.index,
    line: place.line,
    offset: place.offset,
    length: place.length,
    // Without a type of its own (seed 002's form) a line is read by people only.
    hidden: place.hidden || head.type === '',
    type,
    subtype: share(head.subtype),
    uuid: head.uuid,
    parentUuid: head.parentUuid,
    logicalParentUuid: head.logicalParentUuid,
    time: head.time,
    sessionId: share(head.sessionId),
    agentId: share(head.agentId),
    cwd: share(head.cwd),
    version: share(head.version),
    leafUuid: head.leafUuid,
    explicit: head.explicit,
    isSidechain: head.isSidechain,
    isMeta: head.isMeta,
    isCompactSummary: head.isCompactSummary,
    isApiError: head.isApiErrorMessage,
    hasPermissionMode: head.hasPermissionMode,
    userKind: user?.kind,
    promptKind: user?.prompt,
    resultAgentId: head.resultAgentId,
    message: head.message === undefined ? undefined : makeMessage(head.message, head.requestId, share),
  };
}

function makeMessage(
  head: MessageHead,
  requestId: string | undefined,
  share: (text: string | undefined) => string | undefined,
): NodeMessage {
  return {
    id: share(head.id),
    requestId: share(requestId),
    model: share(head.model),
    stopReason: share(head.stopReason),
    usage: head.usage,
    hasContent: head.content === 'string' || head.content === 'blocks',
    blockTypes: head.blockTypes,
    calls: head.calls,
    results: head.results,
  };
}

function roleOf(head: Head): string {
  const role = head.message?.role;
  return role === 'user' || role === 'assistant' ? role : '';
}

export function isMessage(node: Node): boolean {
  return node.type === 'user' || node.type === 'assistant';
}

/** `system` and `attachment`: links of the chain that are not messages. */
export function isNote(node: Node): boolean {
  return node.type === 'system' || node.type === 'attachment';
}

export function isBoundary(node: Node): boolean {
  return node.type === 'system' && node.subtype === 'compact_boundary';
}

export function callsOf(node: Node): readonly CallHead[] {
  return node.type === 'assistant' ? (node.message?.calls ?? []) : [];
}

export function resultsOf(node: Node): readonly ResultHead[] {
  return node.type === 'user' ? (node.message?.results ?? []) : [];
}
