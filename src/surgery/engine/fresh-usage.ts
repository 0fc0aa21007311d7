// Resets the usage of the last answer after an operation removed context: 2.1.45 takes it as the size of the context, and
// compacts at once if it is too large (measured: docs/surgery.md). Only one line is changed, so that the tokens still
// count in the other lines of the message or in the original.
import { asObject, isArray, isObject, type JsonValue } from '../../base/json/json.ts';
import type { Edit, JsonPath } from '../../format/bytes/edit.ts';
import type { Session } from '../../session/load/session.ts';
import { callsOf, type Node } from '../../session/transcript/node.ts';

/** `lines`: the lines that resuming the result loads. */
export function freshUsageEdits(session: Session, lines: readonly Node[]): ReadonlyMap<number, readonly Edit[]> {
  const last = lines.findLast(({ type, message }) => type === 'assistant' && message?.usage !== undefined);
  if (last === undefined) return new Map();
  const message =
    last.message?.id === undefined ? [last] : lines.filter((node) => node.message?.id === last.message?.id);
  // A portable copy puts calls last, so their line may follow this one.
  const others = callsOf(last).length > 0 ? [] : message.filter((node) => node !== last && callsOf(node).length > 0);
  return new Map(
    [...others, last].flatMap((node) => {
      const usage = asObject(session.transcript.read(node).message)?.usage;
      const edits = zeroEdits(usage, ['message', 'usage']);
      return edits.length === 0 ? [] : [[node.index, edits] as const];
    }),
  );
}

export function zeroEdits(value: JsonValue | undefined, path: JsonPath): Edit[] {
  if (typeof value === 'number') return value === 0 ? [] : [{ path, set: 0 }];
  if (path.length > deepest) return [];
  if (isArray(value)) return value.flatMap((item, i) => zeroEdits(item, [...path, i]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => zeroEdits(inner, [...path, key]));
}

const deepest = 6;
