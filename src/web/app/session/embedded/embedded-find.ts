// Find in an exported page: the texts are those of the items that the page draws, of the session and of its sub-agents, each
// sub-agent after the call that started it.
import {
  aroundMark,
  contextOf,
  type FindHit,
  type FindMode,
  type FindResult,
  type Item,
  makeMatcher,
  type Place,
  type Ref,
  type ShownPlace,
  type Text,
  type TextPlace,
  type TextSlice,
  type TurnView,
} from '../../../../export/wire/index.ts';

/** The transcripts of the exported file. */
export interface EmbeddedTexts {
  /** The parts of a transcript, of all its branches, each once. */
  parts(agentId: string | null): Iterable<TurnView>;
  text(ref: Ref): string;
  place(agentId: string | null, line: number): ShownPlace | null;
}

export interface EmbeddedQuery {
  readonly text: string;
  readonly mode: FindMode;
  readonly from?: string;
  readonly limit?: number;
}

export function findInTexts(query: EmbeddedQuery, texts: EmbeddedTexts): FindResult {
  const matcher = makeMatcher(query);
  if (matcher === undefined) return { hits: [], next: null };
  const { limit = 100 } = query;
  const skip = Number(query.from ?? 0);
  const hits: FindHit[] = [];
  let count = 0;
  for (const { place, text, callId } of documentsOf(texts, null, new Set())) {
    if (!matcher.isIn(text)) continue;
    const counts = new Map<string, number>();
    for (const mark of matcher.marksIn(text)) {
      const around = aroundMark(text, mark);
      const context = contextOf(around).join('\n');
      const same = counts.get(context) ?? 0;
      counts.set(context, same + 1);
      if (count++ < skip) continue;
      if (hits.length >= limit) return { hits, next: String(skip + hits.length) };
      const shown = texts.place(place.agentId, place.line);
      hits.push({ ...place, offset: mark[0], ...around, same, callId, shown });
    }
  }
  return { hits, next: null };
}

export function sliceOfTexts(place: TextPlace, from: number, to: number, texts: EmbeddedTexts): TextSlice {
  for (const { place: own, text, callId } of documentsOf(texts, place.agentId, new Set(), true)) {
    if (own.line !== place.line || own.kind !== place.kind || own.nth !== place.nth) continue;
    return { text: text.slice(Math.max(0, from), to), start: Math.max(0, from), total: text.length, callId };
  }
  throw new Error('this text is not in the exported file');
}

interface EmbeddedDocument {
  readonly place: TextPlace;
  readonly text: string;
  readonly callId: string | null;
}

function* documentsOf(
  texts: EmbeddedTexts,
  agentId: string | null,
  seen: Set<string>,
  isAlone = false,
): Generator<EmbeddedDocument> {
  const counts = new Map<string, number>();
  for (const view of texts.parts(agentId)) {
    for (const { place, kind, value, callId = null, agent } of shownIn(view)) {
      const name = `${place.line} ${kind}`;
      const nth = counts.get(name) ?? 0;
      counts.set(name, nth + 1);
      yield {
        place: { agentId, line: place.line, kind, nth },
        text: [...wordsOf(value, texts)].join('\n'),
        callId,
      };
      if (agent === undefined || isAlone || seen.has(agent)) continue;
      seen.add(agent);
      yield* documentsOf(texts, agent, seen);
    }
  }
}

interface Shown {
  readonly place: Place;
  readonly kind: string;
  readonly value: unknown;
  readonly callId?: string;
  /** The sub-agent that it started. */
  readonly agent?: string;
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
      return yield {
        place,
        kind: 'tool-input',
        value: [item.summary, item.detail, item.error],
        callId: item.id,
        ...(item.agent === null ? {} : { agent: item.agent.agentId }),
      };
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
