// A word → its places in an exported page: in prompts, answers, thinking, calls and their output, including the rest of cut
// texts. It stops after enough hits or enough text, as the server does, so that the page stays responsive.
import type { FindHit, FindResult, Item, Place, Ref, Text, TurnView } from '../../../../export/wire/view.ts';
import { matchWord, wordPattern } from '../../../../export/wire/word-match.ts';

export interface EmbeddedTexts {
  part(index: number): TurnView | undefined;
  text(ref: Ref): string;
}

const enoughHits = 100;
const enoughChars = 8_000_000;

export function findInParts(
  { text, from }: { readonly text: string; readonly from: number },
  count: number,
  texts: EmbeddedTexts,
): FindResult {
  const pattern = wordPattern(text);
  const hits: FindHit[] = [];
  let chars = 0;
  for (let index = from; pattern !== undefined && index < count; index++) {
    if (hits.length >= enoughHits || chars >= enoughChars) return { hits, next: index };
    const view = texts.part(index);
    for (const { place, kind, value } of view === undefined ? [] : shownIn(view)) {
      const all = [...wordsOf(value, texts)].join('\n');
      chars += all.length;
      const found = matchWord(pattern, all);
      if (found === undefined || view === undefined) continue;
      hits.push({ part: index, turn: view.turn, line: place.line, record: place.record, in: kind, ...found });
    }
  }
  return { hits, next: null };
}

interface Shown {
  readonly place: Place;
  readonly kind: string;
  readonly value: unknown;
}

function* shownIn({ prompt, items }: TurnView): Generator<Shown> {
  if (prompt !== null) yield { place: prompt.place, kind: 'prompt', value: prompt.text };
  for (const item of items) yield* shownBy(item);
}

function* shownBy(item: Item): Generator<Shown> {
  const { place } = item;
  switch (item.kind) {
    case 'text':
      return yield { place, kind: 'answer', value: item.text };
    case 'thinking':
      return yield { place, kind: 'thinking', value: item.text };
    case 'queued':
      return yield { place, kind: 'prompt', value: item.text };
    case 'note':
      return yield { place, kind: 'note', value: item.text };
    case 'compaction':
      return yield { place, kind: 'note', value: item.summary };
    case 'call':
      return yield { place, kind: 'tool', value: [item.summary, item.detail, item.error] };
    case 'block':
      return yield { place, kind: 'note', value: item.json };
    case 'image':
    case 'fork':
      return;
    default:
      item satisfies never;
  }
}

/** Every text below a value, the whole of those that are cut. */
function* wordsOf(value: unknown, texts: EmbeddedTexts): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  if (isCut(value)) yield texts.text(value.at);
  else for (const [key, inner] of Object.entries(value)) if (!marks.has(key)) yield* wordsOf(inner, texts);
}

/** Says what a detail is, and is not shown on the page. */
const marks: ReadonlySet<string> = new Set(['as', 'at', 'status']);

function isCut(value: object): value is Text & { readonly at: Ref } {
  return 'at' in value && typeof value.at === 'object' && value.at !== null;
}
