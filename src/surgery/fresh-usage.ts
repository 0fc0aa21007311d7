// A session that lost context → the edit that keeps an old client from believing it full. Client 2.1.45 judges how full
// the context is by the usage on the last assistant line that has one, and summarises at once if that is too much; it
// believes zeros (tried: docs/surgery.md). Only that line is touched, so that the other lines of its message, or the
// session it was copied from, still count its tokens.
import { asObject, isArray, isObject, type JsonValue } from '../base/json.ts';
import type { Edit, JsonPath } from '../format/edit.ts';
import { callsOf, type Node } from '../session/node.ts';
import type { Session } from '../session/session.ts';

/** `lines`: what a resume of the result takes up, in order. */
export function freshUsageEdits(session: Session, lines: readonly Node[]): ReadonlyMap<number, readonly Edit[]> {
  const last = lines.findLast(({ type, message }) => type === 'assistant' && message?.usage !== undefined);
  if (last === undefined) return new Map();
  const message =
    last.message?.id === undefined ? [last] : lines.filter((node) => node.message?.id === last.message?.id);
  // A portable copy puts calls last, so their line may come to stand behind this one.
  const others = callsOf(last).length > 0 ? [] : message.filter((node) => node !== last && callsOf(node).length > 0);
  return new Map(
    [...others, last].flatMap((node) => {
      const usage = asObject(session.transcript.read(node).message)?.usage;
      const edits = zeroEdits(usage, ['message', 'usage']);
      return edits.length === 0 ? [] : [[node.index, edits] as const];
    }),
  );
}

/** Zeros for all numbers in a usage, whatever its form. */
export function zeroEdits(value: JsonValue | undefined, path: JsonPath): Edit[] {
  if (typeof value === 'number') return value === 0 ? [] : [{ path, set: 0 }];
  if (path.length > deepest) return [];
  if (isArray(value)) return value.flatMap((item, i) => zeroEdits(item, [...path, i]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => zeroEdits(inner, [...path, key]));
}

const deepest = 6;
