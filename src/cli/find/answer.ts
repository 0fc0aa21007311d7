// What a search found → the text that `clew find` prints.
import { isoDate, jsonText } from '../../base/json/index.ts';
import { shellQuote } from '../../base/text/index.ts';
import type { Place, SessionPlaces } from '../../library/places/index.ts';
import type { Hit, SessionHits } from '../../library/search/index.ts';
import type { DiskProblem } from '../../store/index.ts';
import type { CommandInput, CommandIo } from '../command/index.ts';
import type { LineageOf } from '../input/index.ts';
import { type OutputStream, proseWidth, type Style, terminalWidth } from '../terminal/index.ts';
import { snippetText } from './deleted.ts';
import { type Answer, findText, type PlacedSession } from './render.ts';

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

export function answerJson({ total, sessions, gone }: Answer, unread: readonly DiskProblem[]): string {
  const living = sessions.flatMap(({ session, tag, lineage, person, hits }) =>
    hits.map((hit) => ({
      ...(person === undefined ? {} : { person }),
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
      words: hit.words ?? null,
      tag: tag ?? null,
      lineage: lineage ?? null,
      isDeleted: false,
    })),
  );
  const deleted = gone.flatMap(({ session, hits }) =>
    hits.map((hit) => ({
      sessionId: session.id,
      path: hit.path,
      line: hit.line,
      uuid: null,
      turn: null,
      branch: null,
      kind: 'prompt',
      tool: null,
      timestamp: isoDate(hit.time),
      snippet: snippetText(hit),
      words: null,
      tag: null,
      lineage: null,
      isDeleted: true,
    })),
  );
  return `${jsonText({ hits: [...living, ...deleted], total, unread }, 2)}\n`;
}

export interface Screen {
  readonly style: Style;
  readonly stdout: Pick<OutputStream, 'columns' | 'isTTY'>;
  readonly env: CommandIo['env'];
}

export function answerText(
  ids: readonly string[],
  answer: Answer,
  flags: CommandInput['flags'],
  { style, stdout, env }: Screen,
  namedBy: string = showFlags(flags),
): Generator<string> {
  return findText(answer, {
    style,
    width: proseWidth(stdout, env),
    cutWidth: terminalWidth(stdout, env),
    nowMs: Date.now(),
    limit: answer.query.limit,
    ids,
    showFlags: namedBy,
  });
}

/** The flags that `clew show` needs to find the same session. */
function showFlags(flags: CommandInput['flags']): string {
  if (flags.demo === true) return ' --demo';
  const roots = Array.isArray(flags.root) ? (flags.root as readonly string[]) : [];
  return roots.map((root) => ` --root ${shellQuote(root)}`).join('');
}
