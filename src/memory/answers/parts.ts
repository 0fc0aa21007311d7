// The parts of an answer of `read`, from a place on, as many as its budget allows.
import { UserError } from '../../base/errors/index.ts';
import type { Answer, SecretFilter } from '../text/index.ts';

/** A part of a turn, and a place in its text. */
interface Cursor {
  readonly part: number;
  readonly offset: number;
}

/** Returns the note how to read on, or `undefined` if all of it fits. */
export function quoteParts(
  answer: Answer,
  parts: Iterable<() => string>,
  from: string | undefined,
  secrets: SecretFilter,
): string | undefined {
  const cursor = cursorOf(from);
  let part = -1;
  for (const text of parts) {
    part++;
    if (part < cursor.part) continue;
    const offset = part === cursor.part ? cursor.offset : 0;
    const { text: clean, isCut } = secrets.clean(text());
    const shown = answer.quote(clean.slice(offset));
    if (offset + shown < clean.length) return `cut: read on with from "${part}:${offset + shown}"`;
    if (isCut) answer.say('(the rest of this text is too long for read; `clew show` prints it)');
  }
  return undefined;
}

/** Throws if it is not a place. */
export function cursorOf(from: string | undefined): Cursor {
  if (from === undefined) return { part: 0, offset: 0 };
  const [, part, offset] = /^(\d{1,7}):(\d{1,7})$/.exec(from) ?? [];
  if (part === undefined) throw new UserError('from is not a place', 'copy it from the note of the answer before');
  return { part: Number(part), offset: Number(offset) };
}
