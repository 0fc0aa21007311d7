// What a search found → the text that `clew find` prints.
import { isoDate, jsonText } from '../../base/json/index.ts';
import type { Database } from '../../library/index/index.ts';
import type { Place, SessionPlaces } from '../../library/places/index.ts';
import type { Hit, SearchQuery, SearchResult, SessionHits } from '../../library/search/index.ts';
import { sessionIds } from '../../library/text/index.ts';
import type { DiskProblem } from '../../store/index.ts';
import type { CommandInput, CommandIo } from '../command/index.ts';
import type { LineageOf } from '../input/index.ts';
import { type OutputStream, proseWidth, type Style, terminalWidth } from '../terminal/index.ts';
import { findText, type PlacedSession, shellWord } from './render.ts';

export function placedSession(
  found: SessionHits,
  places: SessionPlaces | undefined,
  lineageOf: LineageOf,
): PlacedSession {
  const { session, hits } = found;
  return {
    ...found,
    path: places?.path ?? session.path,
    title: places?.title ?? session.title,
    tag: places?.tag,
    lineage: lineageOf({ ...session, forkedFrom: places?.forkedFrom }),
    hits: hits.map((hit) => ({ ...hit, ...placeOfHit(places, hit) })),
  };
}

function placeOfHit(places: SessionPlaces | undefined, hit: Hit): Place {
  return places?.placeOf(hit.path, hit.line) ?? { turn: undefined, branch: undefined };
}

export interface Answer {
  readonly query: SearchQuery;
  readonly result: SearchResult;
  readonly sessions: readonly PlacedSession[];
}

export function answerJson({ result, sessions }: Answer, unread: readonly DiskProblem[]): string {
  const hits = sessions.flatMap(({ session, tag, lineage, hits }) =>
    hits.map((hit) => ({
      sessionId: session.sessionId,
      path: hit.path,
      line: hit.line,
      uuid: hit.uuid ?? null,
      turn: hit.turn ?? null,
      branch: hit.branch ?? null,
      kind: hit.kind,
      tool: hit.tool ?? null,
      timestamp: isoDate(hit.time),
      snippet: hit.snippet.map((piece) => piece.text).join(''),
      tag: tag ?? null,
      lineage: lineage ?? null,
    })),
  );
  return `${jsonText({ hits, total: result.total, unread }, 2)}\n`;
}

export interface Screen {
  readonly style: Style;
  readonly stdout: Pick<OutputStream, 'columns' | 'isTTY'>;
  readonly env: CommandIo['env'];
}

export function answerText(
  database: Database,
  { query, result, sessions }: Answer,
  flags: CommandInput['flags'],
  { style, stdout, env }: Screen,
): Generator<string> {
  return findText(result, sessions, {
    style,
    width: proseWidth(stdout, env),
    cutWidth: terminalWidth(stdout, env),
    nowMs: Date.now(),
    limit: query.limit,
    ids: sessionIds(database, query.roots),
    showFlags: showFlags(flags),
  });
}

/** The flags that `clew show` needs to find the same session. */
function showFlags(flags: CommandInput['flags']): string {
  if (flags.demo === true) return ' --demo';
  const roots = Array.isArray(flags.root) ? (flags.root as readonly string[]) : [];
  return roots.map((root) => ` --root ${shellWord(root)}`).join('');
}
