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
  type ShownPlace,
  type TurnView,
  valueId,
} from '../../../../export/wire/index.ts';
import { type Printable, readAddress, type SessionSource, writeQuery } from '../source/index.ts';
import { type EmbeddedTexts, findInTexts, sliceOfTexts } from './embedded-find.ts';

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
    find: async (query) => findInTexts(query, textsOf(session)),
    slice: async (place, from, to) => sliceOfTexts(place, from, to, textsOf(session)),
    markdown: async ({ branch, turn }) => {
      if (branch !== 1) throw new Error('only the active branch is here as Markdown');
      return turn === undefined ? allMarkdown() : (markdownOf(turn) ?? '');
    },
    place: async (line) => shownPlace(session, agentId, line),
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

function textsOf(session: EmbeddedSession): EmbeddedTexts {
  return {
    parts: (agentId) => partsOfAll(transcriptOf(session, agentId)),
    text: ({ pointer }) => readJson(valueId(pointer)),
    place: (agentId, line) => shownPlace(session, agentId, line),
  };
}

function transcriptOf({ agents }: EmbeddedSession, agentId: string | null): number {
  return agentId === null ? 0 : agents.findIndex((agent) => agent.agentId === agentId) + 1;
}

function* branchesOf(transcript: number): Generator<EmbeddedBranch> {
  for (let branch = 1; document.getElementById(branchId(transcript, branch)) !== null; branch++)
    yield readJson<EmbeddedBranch>(branchId(transcript, branch));
}

/** Branches share parts. */
function* partsOfAll(transcript: number): Generator<TurnView> {
  const seen = new Set<number>();
  for (const { parts } of branchesOf(transcript)) {
    for (const { id } of parts) {
      if (!seen.has(id)) yield readJson<TurnView>(partId(id));
      seen.add(id);
    }
  }
}

function shownPlace(session: EmbeddedSession, agentId: string | null, line: number): ShownPlace | null {
  const own = placeIn(transcriptOf(session, agentId), line);
  if (own === undefined) return null;
  if (agentId === null) return { ...own, trail: [], agentPart: 0, line };
  const trail = trailTo(session, agentId);
  const first = trail[0];
  const under = session.agents.find((agent) => agent.agentId === first)?.under;
  const call = under == null ? undefined : placeIn(0, under.line);
  // Below a call the active branch of the sub-agent is drawn.
  if (call === undefined || own.branch !== 1) return null;
  return { ...call, trail, agentPart: own.part, line };
}

/** An agent that the session did not start itself was started by another one. */
function trailTo(session: EmbeddedSession, agentId: string): readonly string[] {
  const trail = [agentId];
  for (let at: string | undefined = agentId; at !== undefined && trail.length <= session.agents.length; ) {
    if (session.agents.find((agent) => agent.agentId === at)?.under != null) return trail;
    const started: string = at;
    at = session.agents.find(({ agentId: other }) => other !== started && starts(session, other, started))?.agentId;
    if (at !== undefined) trail.unshift(at);
  }
  return trail;
}

function starts(session: EmbeddedSession, agentId: string, started: string): boolean {
  const [active] = branchesOf(transcriptOf(session, agentId));
  return active?.head.agents.some((agent) => agent.agentId === started) === true;
}

function placeIn(transcript: number, line: number): Pick<ShownPlace, 'branch' | 'part' | 'turn'> | undefined {
  let branch = 0;
  for (const { head, parts } of branchesOf(transcript)) {
    branch++;
    const part = parts.findIndex(({ lines }) => lines.includes(line));
    if (part < 0) continue;
    const turn = head.turns.findLast((row) => row.firstPart <= part)?.index ?? 1;
    return { branch, part, turn };
  }
  return undefined;
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
