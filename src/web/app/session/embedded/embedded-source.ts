// The session page's data from the page itself: an exported file carries everything as JSON in elements of its own.
import {
  branchId,
  type EmbeddedBranch,
  type EmbeddedLine,
  type EmbeddedSession,
  embeddedId,
  lineId,
  markdownId,
  partId,
  valueId,
} from '../../../../export/wire/embedded.ts';
import type { TurnView } from '../../../../export/wire/view.ts';
import { readAddress, writeQuery } from '../source/address.ts';
import type { LinePlace, Printable, SessionSource } from '../source/source.ts';
import { findInParts } from './embedded-find.ts';

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
