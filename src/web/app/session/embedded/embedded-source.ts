// The session page's data from the page itself: an exported file carries everything as JSON in elements of its own.
import {
  branchId,
  type EmbeddedBranch,
  type EmbeddedLine,
  type EmbeddedSession,
  embeddedId,
  type FindHit,
  type FindResult,
  type Item,
  lineId,
  markdownId,
  matchWord,
  type Place,
  partId,
  type Ref,
  type Text,
  type TurnView,
  valueId,
  wordPattern,
} from '../../../../export/wire/index.ts';
import { type LinePlace, type Printable, readAddress, type SessionSource, writeQuery } from '../source/index.ts';

export function embeddedSource(agentId: string | null = null): SessionSource {
  const session = readJson<EmbeddedSession>(embeddedId);
  const agentAt = session.agents.findIndex((agent) => agent.agentId === agentId);
  const transcript = agentId === null ? 0 : agentAt + 1;
  const known = new Map<number, EmbeddedBranch>();
  const branchOf = (branch: number): EmbeddedBranch => {
    const unreadable = session.agents[agentAt]?.unreadable ?? null;
    if (unreadable !== null) throw new Error(unreadable);
    const read = known.get(branch) ?? readJson<EmbeddedBranch>(branchId(transcript, branch));
    known.set(branch, read);
    return read;
  };
  return {
    key: session.sessionId,
    agentId,
    exported: { note: session.note, hasRaw: session.hasRaw },
    // A file has only addresses after a hash.
    startPlace: () => readAddress(location.hash.slice(1)),
    addressOf: (place) => `#${writeQuery(place)}`,
    head: async (branch) => branchOf(branch).head,
    parts: async (branch, from, to) => partsOf(branchOf(branch), from, to),
    text: async ({ pointer }) => readJson(valueId(pointer)),
    imageUrl: ({ pointer }) => readJson(valueId(pointer)),
    line: async (line) => readJson<EmbeddedLine>(lineId(transcript, line)),
    find: async (query) => {
      const branch = branchOf(query.branch);
      return findInParts(query, branch.parts.length, {
        part: (index) => partsOf(branch, index, index + 1)[0],
        text: ({ pointer }) => readJson(valueId(pointer)),
      });
    },
    markdown: async ({ branch, turn }) => {
      if (branch !== 1) throw new Error('only the active branch is here as Markdown');
      return turn === undefined ? allMarkdown() : (markdownOf(turn) ?? '');
    },
    place: async (line) => ({
      ...placeIn(transcript, branchOf, line),
      under: session.agents[agentAt]?.under ?? null,
    }),
    ofAgent: (id) => embeddedSource(id),
    watch: () => () => {},
  };
}

/** All of the active branch, at once. */
export function readPrintable(): Printable {
  const branch = readJson<EmbeddedBranch>(branchId(0, 1));
  return { head: branch.head, views: partsOf(branch, 0, branch.parts.length) };
}

function partsOf({ parts }: EmbeddedBranch, from: number, to: number): readonly TurnView[] {
  return parts.slice(from, to).map(({ id }) => readJson<TurnView>(partId(id)));
}

function placeIn(
  transcript: number,
  branchOf: (branch: number) => EmbeddedBranch,
  line: number,
): Omit<LinePlace, 'under'> {
  for (let branch = 1; document.getElementById(branchId(transcript, branch)) !== null; branch++) {
    const part = branchOf(branch).parts.findIndex(({ lines }) => lines.includes(line));
    if (part >= 0) return { branch, part };
  }
  return { branch: 1, part: null };
}

function allMarkdown(): string {
  return [...document.querySelectorAll('noscript[id]')].map((element) => plainText(element)).join('');
}

function markdownOf(turn: number): string | undefined {
  const element = document.getElementById(markdownId(turn));
  return element === null ? undefined : plainText(element);
}

/** In a browser that runs scripts, the content of a noscript element is text, not HTML. */
function plainText(element: Element): string {
  const html = (element.textContent ?? '').replace(/^<pre>\n?|<\/pre>$/g, '');
  return html.replace(/&(amp|lt|gt);/g, (_, name: string) => (name === 'amp' ? '&' : name === 'lt' ? '<' : '>'));
}

/** The exporter wrote it: nothing else can have an element with this id. */
function readJson<Value>(id: string): Value {
  const text = document.getElementById(id)?.textContent;
  if (text == null) throw new Error('this part is not in the exported file');
  return JSON.parse(text) as Value;
}

export interface EmbeddedTexts {
  part(index: number): TurnView | undefined;
  text(ref: Ref): string;
}

const enoughHits = 100;
const enoughChars = 8_000_000;

function findInParts(
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
