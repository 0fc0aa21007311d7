// Two forks of one session → how many turns they share from the beginning. Copies are known by their uuids, by
// `forkedFrom`, or by what they say: old clients copy a history under new ids.
import { isDeepStrictEqual } from 'node:util';
import { asObject, asString, type JsonValue } from '../base/json.ts';
import { isMessage, type Node } from '../session/node.ts';
import type { Session } from '../session/session.ts';
import type { Turn } from '../session/turns.ts';

interface Side {
  readonly session: Session;
  readonly turns: readonly Turn[];
}

export function countSharedTurns(a: Side, b: Side): number {
  let shared = 0;
  while (shared < a.turns.length && shared < b.turns.length) {
    const [ofA, ofB] = [linesOf(a.turns[shared]), linesOf(b.turns[shared])];
    const isFork = ofB.length < ofA.length && shared + 1 < b.turns.length;
    // A fork in the middle of a turn went on with another prompt: it has nothing of its own in that turn.
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
  const [said, again] = [asObject(left.message), asObject(right.message)];
  if (a.type === 'assistant' && said?.id !== again?.id) return false;
  return isDeepStrictEqual(blocks(said?.content), blocks(again?.content));
}

/** A text alone may be written as a string or as a block. */
function blocks(content: JsonValue | undefined): JsonValue | undefined {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
