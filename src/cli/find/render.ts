// Hits → lines for the terminal: a heading for each session, below it each hit with its kind, the text around the match
// and the command that opens it.
import { homedir } from 'node:os';
import path from 'node:path';
import {
  counted,
  displayWidth,
  formatAge,
  formatCount,
  neutralise,
  oneLine,
  shellQuote,
} from '../../base/text/index.ts';
import type { DeletedHits, DeletedSession } from '../../library/deleted/index.ts';
import type { Place } from '../../library/places/index.ts';
import type { Hit, SearchQuery, SearchResult, SessionHits } from '../../library/search/index.ts';
import type { TextKind } from '../../library/text/index.ts';
import { type Lineage, marksText } from '../input/index.ts';
import { localTime, type Span, shortIds, wrapSpans } from '../render/index.ts';
import type { Style } from '../terminal/index.ts';

/** A hit with the branch and turn under which `clew show` shows it. */
export interface PlacedHit extends Hit, Place {}

export interface PlacedSession extends Omit<SessionHits, 'hits'> {
  /** What `clew show` opens. */
  readonly path: string;
  readonly title: string | undefined;
  readonly tag: string | undefined;
  readonly lineage: Lineage | undefined;
  /** Who pushed it, if the search covers others. */
  readonly person?: string;
  readonly hits: readonly PlacedHit[];
}

/** What was found, of living and of deleted sessions. */
export interface Answer {
  readonly query: SearchQuery;
  readonly result: SearchResult;
  readonly sessions: readonly PlacedSession[];
  readonly gone: readonly GoneSession[];
  /** Documents that match, including those that are not shown. */
  readonly total: number;
}

/** Of a deleted session, the hits that are shown. */
export interface GoneSession extends DeletedHits {
  readonly hasMore: boolean;
}

export interface FindTextOptions {
  readonly style: Style;
  readonly width: number;
  /** Where a heading is cut. */
  readonly cutWidth: number;
  readonly nowMs: number;
  readonly limit: number;
  /** Of all sessions of the roots, so that a shortened id is unique. */
  readonly ids: readonly string[];
  /** The flags that `clew show` needs to find the same session. */
  readonly showFlags: string;
}

export function* findText(answer: Answer, options: FindTextOptions): Generator<string> {
  const { sessions, gone } = answer;
  const ids = shortIds(options.ids);
  const seen = new Set<string>();
  const copied = new Set(options.ids.filter((id) => seen.size === seen.add(id).size));
  for (const found of sessions) {
    const { sessionId } = found.session;
    // By path: a session without its main transcript, one of several copies, or an id that is not plain text.
    const isNamed = /^[\w.-]+$/.test(sessionId) && found.path === found.session.path && !copied.has(sessionId);
    const name = isNamed ? (ids.get(sessionId) ?? sessionId) : shellQuote(found.path);
    const personFlag = found.person === undefined ? '' : ` --person ${shellQuote(found.person)}`;
    yield `${heading(found, options)}\n`;
    for (const hit of found.hits) {
      const command = `${showCommand(hit, name)}${isNamed ? options.showFlags + personFlag : ''}`;
      yield hitLines(hit, command, options);
    }
    if (found.hasMore) yield `  ${options.style.muted(neutralise(`more in this session: --session ${name}`))}\n`;
    yield '\n';
  }
  const goneIds = shortIds(gone.map(({ session }) => session.id));
  for (const { session, hits, hasMore } of gone) {
    const name = goneIds.get(session.id) ?? session.id;
    yield `${goneHeading(session, options)}\n`;
    for (const hit of hits)
      yield hitLines({ ...hit, kind: 'prompt', tool: undefined }, `clew recover ${name}${options.showFlags}`, options);
    if (hasMore) yield `  ${options.style.muted(`more in this session: --deleted --session ${name}`)}\n`;
    yield '\n';
  }
  yield `${options.style.muted(footer(answer, options.limit))}\n`;
}

function heading({ session, title, tag, lineage, person }: PlacedSession, options: FindTextOptions): string {
  const marks = [...(person === undefined ? [] : [person]), ...[marksText(tag, lineage)].filter((text) => text !== '')];
  return headingText({ ...session, title }, marks.join(' · '), options);
}

function goneHeading(session: DeletedSession, options: FindTextOptions): string {
  return headingText(session, session.isArchived ? 'deleted, in the archive' : 'deleted', options);
}

function headingText(
  session: Pick<DeletedSession, 'cwd' | 'project' | 'title' | 'endedAt'>,
  notes: string,
  { style, cutWidth, nowMs }: FindTextOptions,
): string {
  const home = homedir();
  const folder = session.cwd ?? session.project;
  const short = folder === home || folder.startsWith(home + path.sep) ? `~${folder.slice(home.length)}` : folder;
  const noted = oneLine(notes, Number.isFinite(cutWidth) ? 30 : cutWidth);
  const marks = noted === '' ? '' : ` · ${noted}`;
  const about = `${oneLine(short, Number.isFinite(cutWidth) ? 40 : cutWidth)} · ${formatAge(session.endedAt, nowMs)}${marks}`;
  const room = cutWidth - displayWidth(about) - 2;
  const name = oneLine(session.title ?? '(untitled)', Math.max(20, room));
  return `${style.bold(name)}  ${style.muted(about)}`;
}

type ShownHit = Pick<Hit, 'tool' | 'time' | 'kind' | 'snippet' | 'words'>;

const words: Readonly<Record<TextKind, string>> = {
  prompt: 'prompt',
  answer: 'answer',
  thinking: 'thought',
  title: 'title',
  note: 'note',
  'tool-input': 'call',
  'tool-output': 'output',
  attachment: 'attachment',
};

function hitLines(hit: ShownHit, command: string, { style, width }: FindTextOptions): string {
  const tool = hit.tool === undefined ? '' : ` ${oneLine(hit.tool, 40)}`;
  const when = localTime(hit.time);
  const some = hit.words === undefined ? '' : ` · ${hit.words.matched} of ${hit.words.of} words`;
  const label = `  ${style.accent(words[hit.kind])}${style.muted(`${tool}${when === '' ? '' : ` · ${when}`}${some}`)}`;
  const spans: Span[] = hit.snippet.map(({ text, isMatch }) => ({
    text: neutralise(text).replace(/\s+/g, ' '),
    paint: isMatch ? (matched) => style.bold(style.yellow(matched)) : (plain) => plain,
  }));
  const lines = wrapSpans(spans, width - 4, true).map((line) => `    ${line.text}`.trimEnd());
  return `${[label, ...lines, `    ${style.muted(neutralise(command))}`].join('\n')}\n`;
}

/** Kinds of text that `clew show` leaves out by default need --full. */
function showCommand({ turn, branch, kind }: PlacedHit, name: string): string {
  const parts = [`clew show ${name}`];
  if (branch !== undefined) parts.push(`--branch ${branch}`);
  if (turn !== undefined) parts.push(`--turn ${turn}`);
  if (kind !== 'prompt' && kind !== 'answer' && kind !== 'title') parts.push('--full');
  return parts.join(' ');
}

function footer({ total, sessions, gone }: Answer, limit: number): string {
  const shown = [...sessions, ...gone].reduce((sum, { hits }) => sum + hits.length, 0);
  const all = counted(total, 'match', 'matches');
  const matches = total === shown ? all : `${formatCount(shown)} of ${all}`;
  return `${matches} in ${counted(sessions.length + gone.length, 'session')}${shown >= limit ? '; --limit N shows more' : ''}`;
}
