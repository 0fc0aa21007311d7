// A branch → what each of its parts holds, from the heads of the lines alone, and the tools of the branch with their
// counts. The page filters its rows with it before any part is loaded.
import type { Session } from '../../session/load/index.ts';
import { callsOf, isBoundary, type Node, resultsOf } from '../../session/transcript/index.ts';
import {
  attachedMessage,
  deliveredAt,
  hasFailed,
  promptsWithoutLine,
  type Turn,
  typedDuring,
} from '../../session/turns/index.ts';
import { chosenAttachments, partBits, type ToolCount, type TurnRow } from '../wire/index.ts';
import { linesPerPart, type Parts } from './parts.ts';
import { firstChars } from './text.ts';

/** More tools than this exist only in hostile files; their calls have no chip. */
const maxTools = 200;
const nameChars = 100;

export interface BranchTools {
  readonly tools: readonly ToolCount[];
  /** The position of a tool in `tools`; it stays as the session grows. */
  readonly positions: ReadonlyMap<string, number>;
}

/** In the order of their first call. Copies of a call count once. */
export function toolsOf(session: Session, { turns }: Parts): BranchTools {
  const positions = new Map<string, number>();
  const tools: { name: string; calls: number; errors: number }[] = [];
  const ids = new Set<string>();
  for (const { nodes } of turns) {
    for (const node of nodes) {
      for (const { id, name } of callsOf(node)) {
        if (ids.has(id)) continue;
        ids.add(id);
        const at = positions.get(name) ?? tools.length;
        if (at >= maxTools) continue;
        if (at === tools.length) tools.push({ name: firstChars(name, nameChars), calls: 0, errors: 0 });
        positions.set(name, at);
        const tool = tools[at];
        if (tool === undefined) continue;
        tool.calls++;
        if (isFailed(session, node, id, name)) tool.errors++;
      }
    }
  }
  return { tools, positions };
}

/** The bits and the tools of each part of a turn. */
export function partFacts(
  session: Session,
  turn: Turn,
  { positions }: BranchTools,
): Pick<TurnRow, 'partBits' | 'partTools' | 'shownLines'> {
  const count = Math.max(1, Math.ceil(turn.nodes.length / linesPerPart));
  const bits = Array.from({ length: count }, () => 0);
  const tools = Array.from({ length: count }, () => new Set<number>());
  const forks = forkLines(session);
  let shownLines = 0;
  const mark = (at: number, bit: number): void => {
    const part = Math.min(count - 1, Math.floor(at / linesPerPart));
    bits[part] = (bits[part] ?? 0) | bit;
  };
  for (const [i, node] of turn.nodes.entries()) {
    const own = turn.promptLines.includes(node) ? partBits.prompt : bitsOf(session, node);
    mark(i, own);
    // A result changes the call that it answers.
    if ((own & ~partBits.context) !== 0 || node.userKind === 'results') shownLines++;
    if (forks.has(node)) mark(i, partBits.talk);
    for (const { id, name } of callsOf(node)) {
      if (isFailed(session, node, id, name)) mark(i, partBits.error);
      const tool = positions.get(name);
      if (tool !== undefined) tools[Math.floor(i / linesPerPart)]?.add(tool);
    }
  }
  for (const prompt of session.isAgent ? [] : typedDuring(promptsWithoutLine(session.transcript), turn.nodes)) {
    const before = turn.nodes.findIndex((node) => node.index > deliveredAt(prompt));
    mark(before < 0 ? turn.nodes.length - 1 : before, partBits.queued);
  }
  return { shownLines, partBits: bits, partTools: tools.map((each) => [...each].sort((a, b) => a - b)) };
}

function isFailed(session: Session, node: Node, id: string, name: string): boolean {
  const [result] = session.relatives.resultsFor(id);
  const isError = result !== undefined && resultsOf(result).some((head) => head.toolUseId === id && head.isError);
  return isError && hasFailed(session, { id, name, node, result, isError, agentId: undefined });
}

const forksBySession = new WeakMap<Session, ReadonlySet<Node>>();

function forkLines(session: Session): ReadonlySet<Node> {
  const known = forksBySession.get(session) ?? new Set(session.branches.flatMap(({ fork }) => fork ?? []));
  forksBySession.set(session, known);
  return known;
}

function bitsOf({ transcript }: Session, node: Node): number {
  switch (node.type) {
    case 'assistant':
      return answerBits(node);
    case 'user':
      return userBits(node);
    case 'system':
      return systemBits(node);
    case 'attachment':
      if (node.subtype === 'queued_command' && attachedMessage(transcript.read(node)) !== undefined)
        return partBits.talk;
      return attachmentBits(node.subtype ?? '');
    default:
      return 0;
  }
}

function answerBits(node: Node): number {
  if (node.isApiError) return partBits.error;
  let bits = 0;
  for (const type of node.message?.blockTypes ?? []) {
    if (type === 'thinking' || type === 'redacted_thinking') bits |= partBits.thinking;
    else if (type === 'tool_use') bits |= partBits.call;
    // The client's filler, such as "No response requested."
    else bits |= type === 'text' && node.message?.model === '<synthetic>' ? partBits.context : partBits.talk;
  }
  return bits;
}

function userBits({ userKind }: Node): number {
  switch (userKind) {
    case 'results':
    case undefined:
      return 0;
    case 'summary':
      return partBits.compaction;
    case 'local-output':
      return partBits.talk | partBits.maybeError;
    case 'interrupt':
    case 'bash':
    case 'notification':
    case 'message':
      return partBits.talk;
    default:
      return partBits.context;
  }
}

/** System lines of these kinds are never errors. */
const calmSubtypes: ReadonlySet<string> = new Set([
  'turn_duration',
  'stop_hook_summary',
  'local_command',
  'away_summary',
  'memory_saved',
]);
/** The client shows these to the user; a hook may have failed. */
const shownSubtypes: ReadonlySet<string> = new Set([
  'local_command',
  'informational',
  'away_summary',
  'stop_hook_summary',
]);

function systemBits(node: Node): number {
  if (isBoundary(node)) return partBits.compaction;
  const subtype = node.subtype ?? '';
  if (subtype === 'api_error') return partBits.error;
  const shown = shownSubtypes.has(subtype) ? partBits.talk : partBits.context;
  return calmSubtypes.has(subtype) || subtype === '' ? shown : shown | partBits.maybeError;
}

function attachmentBits(type: string): number {
  if (type.endsWith('_error')) return partBits.error;
  return chosenAttachments.includes(type) ? partBits.talk : partBits.context;
}
