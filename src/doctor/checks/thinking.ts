// A examined → findings about preserved thinking: blocks that the API would refuse, what the client has noted about blocks
// that are gone, and a system prompt that nothing pins any more.

import { isBinding } from '../../api/request/index.ts';
import { asObject, asString } from '../../base/json/index.ts';
import { isVersionSince, isWrittenByClew } from '../../session/facts/index.ts';
import { compactionsOf, type Session } from '../../session/load/index.ts';
import { isThinking, type ResumeMessage } from '../../session/resume/messages/index.ts';
import { countingSnapshot, resumeLines, traceMessages } from '../../session/resume/request/index.ts';
import { isMessage, type Node } from '../../session/transcript/index.ts';
import type { JudgedThinking } from '../../surgery/request/index.ts';
import { type ExaminedSession, findingPlace } from './examined-session.ts';
import { type Finding, makeFinding, type Severity } from './finding.ts';
import {
  firstWithSnapshot,
  messageHash,
  otherPrompt,
  type RecordedMessage,
  recordedRequests,
  spokenKey,
} from './requests.ts';

export function checkThinking(examined: ExaminedSession): Finding[] {
  const chain = [...examined.chain];
  if (examined.session.isAgent || !chain.some((node) => holdsThinking(node) || isNote(node))) return [];
  return [...unboundFindings(examined, chain), ...promptFindings(examined, chain), ...noteFindings(examined, chain)];
}

function isNote({ type, subtype }: Node): boolean {
  return type === 'attachment' && (subtype === 'thinking_drop' || subtype === 'thinking_stripped');
}

function unboundFindings(examined: ExaminedSession, chain: readonly Node[]): Finding[] {
  const unbound = findUnbound(examined.session, chain);
  if (unbound === undefined) return [];
  const { kind, why, first, blocks, isOldClient } = unbound;
  const count = blocks === 1 ? '1 thinking block is' : `${blocks} thinking blocks are`;
  const others =
    isOldClient === true ? 'with the client that wrote it nothing' : 'clients up to 2.1.150 fail every time';
  const effect = `the first request fails once (\`bound to a different conversation\`), then ${count} gone; ${others}`;
  const code = kind === 'hole' ? 'A-thinking-hole' : 'A-thinking-bound';
  const severity = isOldClient === true ? 'loss' : severityFor(examined, chain);
  return [makeFinding(code, severity, findingPlace(examined, first), why, effect)];
}

/** A client that is too old to recover never gets past the error. */
function severityFor({ session }: ExaminedSession, chain: readonly Node[]): Severity {
  const last = chain.findLast(({ type }) => type === 'assistant');
  const version = last === undefined ? undefined : asString(session.transcript.read(last).version);
  return version !== undefined && !isVersionSince(version, firstRecovering) ? 'fatal' : 'loss';
}

const firstRecovering = [2, 1, 151] as const;

function promptFindings(examined: ExaminedSession, chain: readonly Node[]): Finding[] {
  const { transcript } = examined.session;
  const last = sentThinking(chain).at(-1);
  if (last === undefined) return [];
  const entry = transcript.read(last);
  if (isWrittenByClew(entry)) {
    const own = "Clew's agent made the last thinking, with a system prompt of its own";
    const effect = 'Clew continues with it; Claude Code is refused once and continues without it';
    return [makeFinding('W-prompt-lost', 'info', findingPlace(examined, last), own, effect)];
  }
  if (!isVersionSince(asString(entry.version), firstWithSnapshot)) return [];
  if (countingSnapshot(chain, (node) => transcript.read(node)) !== undefined) return [];
  const message = 'no snapshot on the chain pins the system prompt that its thinking is bound to';
  const effect =
    'in the same folder and with the same client nothing; after a move or an update the API refuses the thinking';
  return [makeFinding('W-prompt-lost', 'warn', findingPlace(examined, last), message, effect)];
}

function noteFindings(examined: ExaminedSession, chain: readonly Node[]): Finding[] {
  const { transcript } = examined.session;
  const mark = chain.findLast(({ type, subtype }) => type === 'attachment' && subtype === 'thinking_stripped');
  return chain.filter(isNote).flatMap((node) => {
    if (node.subtype === 'thinking_drop') {
      const dropped = asObject(asObject(transcript.read(node).attachment)?.newlyDropped);
      const count = typeof dropped?.blockCount === 'number' ? dropped.blockCount : 0;
      const message = `the API dropped ${count} thinking blocks here (${asString(dropped?.reason) ?? 'no reason given'})`;
      return [
        makeFinding(
          'I-thinking-dropped',
          'info',
          findingPlace(examined, node),
          message,
          'the model continued without them',
        ),
      ];
    }
    if (node !== mark) return [];
    const hidden = chain.slice(0, chain.indexOf(node)).filter(holdsThinking);
    const blocks = hidden.flatMap((line) => line.message?.blockTypes.filter((type) => type.endsWith('thinking')) ?? []);
    const message = `a mark keeps the ${blocks.length} thinking blocks before it from being sent`;
    const effect = 'they stay readable in the file; clients before 2.1.260 do not know the mark and send them';
    return [makeFinding('I-thinking-stripped', 'info', findingPlace(examined, node), message, effect)];
  });
}

// A session → the thinking blocks of models that check that a resume would send after other text than they were made after,
// or after a gap: the API refuses them (docs/doctor.md, Preserved thinking). The client's copies of requests show this exactly;
// without them, the lines themselves are evidence.

/** The first block that no longer fits, and all that go with it. */
export interface UnboundThinking {
  readonly kind: 'bound' | 'hole';
  /** What is wrong, in words. */
  readonly why: string;
  readonly first: Node;
  /** Only a newer client than the one that wrote it is refused. */
  readonly isOldClient?: boolean;
  /** The lines whose thinking must go, in order: that one and all later ones. */
  readonly lines: readonly Node[];
  /** How many blocks these are. */
  readonly blocks: number;
}

/** `chain`: the lines that a resume loads. */
function findUnbound(session: Session, chain: readonly Node[]): UnboundThinking | undefined {
  return unboundIn(session, chain).found;
}

/** What is known of a repaired session: its chain is another one, so only now its thinking can be judged. */
export function judgeThinking(session: Session): JudgedThinking {
  const resumed = resumeLines(session.transcript);
  const { judged, found } = unboundIn(session, 'refused' in resumed ? [] : resumed.lines);
  const unfit = new Set(found?.lines);
  return { unfit, fitting: new Set(judged.filter((node) => !unfit.has(node))) };
}

function unboundIn(
  session: Session,
  chain: readonly Node[],
): { readonly judged: readonly Node[]; readonly found: UnboundThinking | undefined } {
  const bound = sentThinking(chain);
  if (bound.length === 0 || session.isAgent) return { judged: [], found: undefined };
  const recorded = byRecords(session, bound);
  const judged = recorded?.judged ?? [];
  const known = new Set(judged);
  const shown = byLines(
    session,
    chain,
    bound.filter((node) => !known.has(node)),
  );
  const other = otherPrompt(session, chain, bound);
  const prompted = other === undefined ? undefined : { kind: 'bound' as const, ...other };
  const found = [recorded?.found, shown, prompted].filter((each) => each !== undefined);
  const [first] = found.sort((a, b) => bound.indexOf(a.first) - bound.indexOf(b.first));
  if (first === undefined) return { judged, found: undefined };
  const lines = bound.slice(bound.indexOf(first.first));
  const blocks = lines.flatMap((node) => node.message?.blockTypes.filter((type) => type.endsWith('thinking')) ?? []);
  return { judged, found: { ...first, lines, blocks: blocks.length } };
}

/** The lines with thinking of models that check that is sent: all after the last mark. */
function sentThinking(chain: readonly Node[]): readonly Node[] {
  const mark = chain.findLastIndex(({ type, subtype }) => type === 'attachment' && subtype === 'thinking_stripped');
  return chain.slice(mark + 1).filter((node) => holdsThinking(node) && isBinding(node.message?.model));
}

function holdsThinking({ type, message }: Node): boolean {
  return type === 'assistant' && message?.blockTypes.some((each) => each.endsWith('thinking')) === true;
}

type Found = Pick<UnboundThinking, 'kind' | 'why' | 'first' | 'isOldClient'>;

function byRecords(
  session: Session,
  bound: readonly Node[],
): { readonly judged: readonly Node[]; readonly found: Found | undefined } | undefined {
  if (!session.transcript.nodes.some(({ type }) => type === 'api-request')) return undefined;
  const traced = traceMessages(session, undefined, { host: 'anthropic' });
  if ('refused' in traced) return undefined;
  const records = recordedRequests(session);
  const messages = traced.messages.map(sentMessage);
  const judged: Node[] = [];
  for (const node of bound) {
    const recorded = records.before(node);
    const at = messages.findIndex(({ lines }) => lines.includes(node));
    if (recorded === undefined || at < 0) continue;
    judged.push(node);
    const kind = compare(messages.slice(0, at), recorded);
    if (kind !== undefined) return { judged, found: { kind, first: node, why: reasons[kind] } };
  }
  return { judged, found: undefined };
}

const reasons = {
  bound: 'what a resume sends before it is not what the client sent when it was made',
  hole: 'the thinking before it is gone, though earlier thinking is there',
} as const;

interface SentMessage {
  readonly lines: readonly Node[];
  readonly hash: string;
  readonly spoken: string;
  readonly isAnswer: boolean;
  readonly hasThinking: boolean;
}

function sentMessage({ role, content, lines }: ResumeMessage): SentMessage {
  return {
    lines,
    hash: messageHash({ role, content }),
    spoken: spokenKey({ role, content }),
    isAnswer: role === 'assistant',
    hasThinking: content.some(isThinking),
  };
}

/** `hole`: nothing but thinking is missing, and some of it after thinking that is there. */
function compare(sent: readonly SentMessage[], recorded: readonly RecordedMessage[]): 'bound' | 'hole' | undefined {
  // The lines contain neither the client's settings nor reminders that it words differently each time.
  const spoken = recorded.filter(({ stored }) => stored !== '');
  let hasEarlier = false;
  let isHole = false;
  for (const [i, message] of sent.entries()) {
    const other = spoken[i];
    if (other === undefined) return 'bound';
    // It was sent without its thinking then, and with it now.
    if (message.hasThinking && other.hasThinking === false) return 'bound';
    const isSame = other.hash === message.hash || (other.stored !== undefined && other.stored === message.spoken);
    const isUnknown = other.stored !== undefined && other.isIntact === false;
    const isStripped = message.isAnswer && !message.hasThinking && other.stored === undefined;
    if (!isSame && !isUnknown && !isStripped) return 'bound';
    if (!isSame && isStripped && hasEarlier) isHole = true;
    hasEarlier ||= message.hasThinking;
  }
  if (spoken.length > sent.length) return 'bound';
  return isHole ? 'hole' : undefined;
}

/** A line before it is younger, or missing, or a summary in the place of what was said. */
function byLines(session: Session, chain: readonly Node[], bound: readonly Node[]): Found | undefined {
  const judged = new Set(bound);
  const preserved = new Set(compactionsOf(session).flatMap(({ preservedUuids }) => preservedUuids));
  const uuids = new Set(session.transcript.nodes.map(({ uuid }) => uuid));
  let newest: Node | undefined;
  let isBroken = false;
  for (const node of chain) {
    isBroken ||= typeof node.parentUuid === 'string' && !uuids.has(node.parentUuid);
    if (judged.has(node)) {
      if (isBroken) return { kind: 'bound', first: node, why: 'a line before it is missing' };
      if (preserved.has(node.uuid ?? ''))
        return { kind: 'bound', first: node, why: 'a summary before it replaces earlier messages' };
      if (newest !== undefined && newest.time > node.time && newest.message?.id !== node.message?.id)
        return { kind: 'bound', first: node, why: `line ${newest.line} before it was written later` };
    }
    if (isMessage(node) && !Number.isNaN(node.time) && (newest === undefined || node.time > newest.time)) newest = node;
  }
  return undefined;
}
