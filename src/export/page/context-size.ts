// The turns of a branch → how large the context was in each of them, and where compactions made it smaller. A compaction
// belongs to the turn whose requests are smaller because of it, which is not always the turn that has its line: the
// client writes the boundary before the line of the `/compact` that asked for it.
import type { Compaction } from '../../session/load/index.ts';
import type { Node } from '../../session/transcript/index.ts';
import type { Turn } from '../../session/turns/index.ts';
import type { CompactionDrop } from '../wire/index.ts';

export interface TurnContext {
  /** Input and output of the last request of the turn. */
  readonly tokens: number | null;
  /** The largest size during the turn. */
  readonly peakTokens: number | null;
  /** The last line that a model wrote. */
  readonly answer: Node | undefined;
  readonly drops: readonly CompactionDrop[];
}

type MutableContext = { -readonly [Key in keyof TurnContext]: TurnContext[Key] } & { drops: CompactionDrop[] };

/** One for each turn, in their order. */
export function contextSizes(turns: readonly Turn[], compactions: readonly Compaction[]): readonly TurnContext[] {
  const byLine = new Map(compactions.flatMap((each) => lineOf(each).map((line) => [line, each] as const)));
  const sizes = turns.map((): MutableContext => ({ tokens: null, peakTokens: null, answer: undefined, drops: [] }));
  let size: number | null = null;
  /** Compactions after which no request was sent yet. */
  let open: { readonly compaction: Compaction; readonly turn: number; readonly before: number | null }[] = [];
  const close = (last: number, end: 'middle' | 'end', after: (compaction: Compaction) => number | null): void => {
    for (const { compaction, turn: written, before } of open) {
      // A turn that sent nothing, such as `/compact`, comes between: the compaction is its work.
      const own = sizes[Math.min(last, written + 1)] as MutableContext; // a turn of the list
      const isInside = last === written && own.answer !== undefined;
      const place = isInside ? end : 'start';
      own.drops.push({ line: lineOf(compaction)[0]?.line ?? 0, before, after: after(compaction), place });
      if (isInside) own.peakTokens = larger(own.peakTokens, before);
    }
    open = [];
  };
  for (const [i, turn] of turns.entries()) {
    const own = sizes[i] as MutableContext; // a turn of the list
    for (const node of turn.nodes) {
      const compaction = byLine.get(node);
      if (compaction !== undefined) open.push({ compaction, turn: i, before: compaction.preTokens ?? size });
      const request = requestTokens(node);
      if (request === undefined) continue;
      close(i, 'middle', () => request.input);
      size = request.input + request.output;
      own.tokens = size;
      own.peakTokens = larger(own.peakTokens, size);
      own.answer = node;
    }
  }
  close(turns.length - 1, 'end', ({ postTokens }) => postTokens ?? null);
  return sizes;
}

/** The boundary; the summary in the files of clients that wrote no boundary. */
function lineOf({ boundary, summary }: Compaction): readonly Node[] {
  const line = boundary ?? summary;
  return line === undefined ? [] : [line];
}

function larger(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** Of a line that a model wrote; a clone may carry zeros, which say nothing. */
function requestTokens({ type, message }: Node): { readonly input: number; readonly output: number } | undefined {
  const usage = message?.usage;
  if (type !== 'assistant' || usage === undefined || message?.model === '<synthetic>') return undefined;
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  return input > 0 ? { input, output: usage.outputTokens } : undefined;
}
