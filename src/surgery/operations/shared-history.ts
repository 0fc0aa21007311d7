// Counts the turns that two forks share from the start. Copies are recognized by uuid, by `forkedFrom`, or by content,
// because old clients copy a history with new ids.
import { isDeepStrictEqual } from 'node:util';
import { asObject, asString, type JsonValue } from '../../base/json/json.ts';
import type { Session } from '../../session/load/session.ts';
import { isMessage, type Node } from '../../session/transcript/node.ts';
import type { Turn } from '../../session/turns/turns.ts';

export interface Side {
  readonly session: Session;
  readonly turns: readonly Turn[];
}

export function countSharedTurns(a: Side, b: Side): number {
  let shared = 0;
  while (shared < a.turns.length && shared < b.turns.length) {
    const [ofA, ofB] = [linesOf(a.turns[shared]), linesOf(b.turns[shared])];
    const isFork = ofB.length < ofA.length && shared + 1 < b.turns.length;
    // A fork in the middle of a turn continued with another prompt: it has nothing of its own in that turn.
    const isShared = ofB.length === ofA.length || isFork;
    if (!isShared || !ofB.every((node, i) => isCopy(a.session, ofA[i] as Node, b.session, node))) break;
    shared++;
  }
  return shared;
}

function linesOf(turn: Turn | undefined): readonly Node[] {
  return (turn?.nodes ?? []).filter((node) => isMessage(node) && !node.isApiError);
}

function isCopy(ofA: Session, a: Node, ofB: Session, b: Node): boolean {
  if (a.type !== b.type) return false;
  if (a.uuid !== undefined && a.uuid === b.uuid) return true;
  const [left, right] = [ofA.transcript.read(a), ofB.transcript.read(b)];
  const origins = [left, right].map((entry) => asString(asObject(entry.forkedFrom)?.messageUuid));
  if (origins[0] !== undefined && (origins[0] === b.uuid || origins[0] === origins[1])) return true;
  if (origins[1] !== undefined && origins[1] === a.uuid) return true;
  const [one, other] = [asObject(left.message), asObject(right.message)];
  if (a.type === 'assistant' && one?.id !== other?.id) return false;
  return isDeepStrictEqual(blocks(one?.content), blocks(other?.content));
}

/** A single text may be a string or a block. */
function blocks(content: JsonValue | undefined): JsonValue | undefined {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
