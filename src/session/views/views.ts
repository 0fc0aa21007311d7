// Seed 002's view of a transcript: lines in file order grouped into turns of a user line, merged assistant messages
// and tool results. A turn counts only with an answer, and `consumed` says how many lines the complete turns used, so
// that a reader who comes back later can continue from there.

import type { Session } from '../load/index.ts';
import type { Node } from '../transcript/index.ts';

/** A turn in the sense of the original cc-langfuse description. */
export interface StrictTurn {
  readonly user: Node;
  /** Each with all its lines; neighbouring lines of one message.id are one message. */
  readonly assistants: readonly (readonly Node[])[];
  readonly toolResults: readonly Node[];
}

/** The result of `strictTurns`. */
export interface StrictTurns {
  readonly turns: readonly StrictTurn[];
  /** How many of the given lines belong to complete turns. */
  readonly consumed: number;
}

/**
 * Splits lines into turns in the way that cc-langfuse first described. `lines` are user and assistant lines in file
 * order.
 */
export function strictTurns(lines: readonly Node[]): StrictTurns {
  const turns: StrictTurn[] = [];
  let current: { user: Node; assistants: Node[][]; toolResults: Node[] } | undefined;
  let consumed = 0;
  const close = (end: number): void => {
    if (current === undefined || current.assistants.length === 0) return;
    turns.push(current);
    consumed = end;
  };
  for (const [i, node] of lines.entries()) {
    if (node.isMeta) continue;
    if (node.type === 'user') {
      if (node.userKind === 'results') current?.toolResults.push(node);
      else {
        close(i);
        current = { user: node, assistants: [], toolResults: [] };
      }
    } else if (node.type === 'assistant' && current !== undefined) addPart(current.assistants, node);
  }
  close(lines.length);
  return { turns, consumed };
}

function addPart(assistants: Node[][], node: Node): void {
  const last = assistants.at(-1);
  const id = node.message?.id;
  if (last !== undefined && (id === undefined || last[0]?.message?.id === id)) last.push(node);
  else assistants.push([node]);
}

/** How a round of a session starts. */
export type RoundType = 'new_session' | 'continue' | 'new_round' | 'resume';

/** A point at which a session was started or continued. */
export interface Round {
  readonly type: RoundType;
  readonly node: Node;
}

const resumeGapMs = 5 * 60 * 1000;

/** Returns the points at which a session was started or continued. */
export function roundsOf(session: Session): readonly Round[] {
  const nodes = session.branches[0]?.nodes ?? [];
  let previous: Node | undefined;
  const rounds: Round[] = [];
  for (const node of nodes) {
    if (node.type === 'user') rounds.push({ type: roundType(node, previous), node });
    if (node.type === 'user' || node.type === 'assistant') previous = node;
  }
  return rounds;
}

export function roundType(node: Node, previous: Node | undefined): RoundType {
  if (node.hasPermissionMode || node.parentUuid === null || node.parentUuid === undefined) return 'new_session';
  if (node.userKind === 'results') return 'continue';
  return previous !== undefined && node.time - previous.time > resumeGapMs ? 'resume' : 'new_round';
}
