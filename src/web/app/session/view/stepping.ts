// The next and the previous error, call or compaction of a session, from a place: parts that cannot have one are skipped
// without loading them.
import { type Item, partBits, type SessionHead, type TurnView } from '../../../../export/wire/index.ts';
import { isError } from './shown.ts';

export type StepKind = 'error' | 'call' | 'compaction';

/** A place in the session; without a line, the beginning of the part. */
export interface StepPlace {
  readonly part: number;
  readonly line: number | null;
}

interface Kind {
  readonly bits: number;
  is(item: Item): boolean;
}

const kinds: Readonly<Record<StepKind, Kind>> = {
  error: { bits: partBits.error | partBits.maybeError, is: isError },
  call: { bits: partBits.call, is: ({ kind }) => kind === 'call' },
  compaction: { bits: partBits.compaction, is: ({ kind }) => kind === 'compaction' },
};

export async function findStep(
  head: Pick<SessionHead, 'turns'>,
  load: (part: number) => Promise<TurnView | undefined>,
  { kind, by, from }: { readonly kind: StepKind; readonly by: 1 | -1; readonly from: StepPlace },
): Promise<{ readonly part: number; readonly line: number } | undefined> {
  const { bits, is } = kinds[kind];
  const parts = head.turns.flatMap((row) =>
    row.partBits.flatMap((held, i) => ((held & bits) === 0 ? [] : [row.firstPart + i])),
  );
  const ahead =
    by === 1 ? parts.filter((part) => part >= from.part) : parts.filter((part) => part <= from.part).reverse();
  for (const part of ahead) {
    const lines = ((await load(part))?.items ?? []).filter(is).map(({ place }) => place.line);
    const line = (by === 1 ? lines : lines.toReversed()).find((each) => isPast(each, part, by, from));
    if (line !== undefined) return { part, line };
  }
  return undefined;
}

function isPast(line: number, part: number, by: 1 | -1, from: StepPlace): boolean {
  if (part !== from.part) return true;
  if (from.line === null) return by === 1;
  return by === 1 ? line > from.line : line < from.line;
}
