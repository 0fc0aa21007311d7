// clew find QUERY…: searches all sessions and prints the best hits first, each with the command that opens it.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { isoDate, jsonText } from '../../base/json/index.ts';
import type { Database } from '../../library/index/index.ts';
import {
  type Hit,
  openPlaces,
  type Place,
  type SearchQuery,
  type SearchResult,
  type SessionHits,
  type SessionPlaces,
  search,
  sessionIds,
} from '../../library/search/index.ts';
import { findSession } from '../../store/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import {
  bringTextUpToDate,
  type LineageOf,
  parseTime,
  projectFilter,
  readLineage,
  rootsOf,
  withIndex,
} from '../input/index.ts';
import { proseWidth, terminalWidth, writeNotice, writeOut } from '../terminal/index.ts';
import { findText, type PlacedSession, shellWord } from './render.ts';

const defaultLimit = 20;
const shownOfOneSession = 3;

/** Exits with 1 where nothing was found, as grep does. */
export async function run(input: CommandInput): Promise<number> {
  const { flags, io } = input;
  const query = await queryOf(input);
  const isJson = flags.json === true;
  return withIndex(
    input,
    async (database) => {
      bringTextUpToDate(input, database);
      const result = search(database, query);
      const sessions: PlacedSession[] = [];
      const lineageOf = await readLineage(io);
      for (const found of result.sessions) sessions.push(await placeSession(database, found, lineageOf));
      const exitCode = result.total === 0 ? exitCodes.failed : exitCodes.ok;
      if (isJson) {
        await writeOut([`${jsonText({ ...resultJson(result, sessions), unread: input.unread.problems }, 2)}\n`], io);
        return exitCode;
      }
      if (result.total === 0) {
        sayNothing(input, query);
        return exitCode;
      }
      const options = {
        style: io.style,
        width: proseWidth(io.stdout, io.env),
        cutWidth: terminalWidth(io.stdout, io.env),
        nowMs: Date.now(),
        limit: query.limit,
        ids: sessionIds(database, query.roots),
        showFlags: showFlags(input),
      };
      await writeOut(findText(result, sessions, options), { ...io, pager: true });
      return exitCode;
    },
    { mustBeOnDisk: true },
  );
}

async function queryOf(input: CommandInput): Promise<SearchQuery> {
  const { flags, io } = input;
  if (flags.exact === true && flags.regex === true) {
    throw new UserError('--exact and --regex exclude each other', 'give one of them');
  }
  const mode = flags.exact === true ? 'exact' : flags.regex === true ? 'regex' : 'words';
  const roots = rootsOf(input);
  const [session, since, until, role, tool, file] = ['session', 'since', 'until', 'role', 'tool', 'file'].map((name) =>
    textFlag(flags, name),
  );
  if (role !== undefined && role !== 'user' && role !== 'assistant') {
    throw new UserError(`there is no role "${role}"`, 'use user or assistant');
  }
  const sessionPath = session === undefined ? undefined : await findSession(session, roots, io.cwd);
  return {
    text: input.words.join(' '),
    mode,
    ignoreCase: flags.i === true,
    roots,
    limit: limitOf(textFlag(flags, 'limit')),
    ...(flags.json === true || session !== undefined ? {} : { perSession: shownOfOneSession }),
    ...(flags.project === undefined ? {} : { isOfProject: projectFilter(input) }),
    ...(sessionPath === undefined ? {} : { session: sessionPath }),
    ...(since === undefined ? {} : { since: parseTime(since, '--since', false) }),
    ...(until === undefined ? {} : { until: parseTime(until, '--until', true) }),
    ...(role === undefined ? {} : { role }),
    ...(tool === undefined ? {} : { tool }),
    ...(file === undefined ? {} : { file }),
  };
}

function limitOf(value: string | undefined): number {
  if (value === undefined) return defaultLimit;
  const limit = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (limit > 0) return limit;
  throw new UserError(`--limit does not understand "${value}"`, 'give a number from 1 on');
}

async function placeSession(database: Database, found: SessionHits, lineageOf: LineageOf): Promise<PlacedSession> {
  const { session, hits } = found;
  const places = await openPlaces(database, session.path, hits[0]?.path ?? session.path);
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

function resultJson({ total }: SearchResult, sessions: readonly PlacedSession[]): object {
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
  return { hits, total };
}

/** The flags that `clew show` needs to find the same session. */
function showFlags({ flags }: CommandInput): string {
  if (flags.demo === true) return ' --demo';
  const roots = Array.isArray(flags.root) ? (flags.root as readonly string[]) : [];
  return roots.map((root) => ` --root ${shellWord(root)}`).join('');
}

function sayNothing(input: CommandInput, { text, mode }: SearchQuery): void {
  const isNarrowed = ['project', 'since', 'until', 'role', 'tool', 'file', 'session'].some(
    (name) => input.flags[name] !== undefined,
  );
  const wider = isNarrowed
    ? 'search without the filters'
    : mode === 'words'
      ? 'try beginnings*, or --exact for parts of words'
      : 'try without --exact or --regex';
  writeNotice(input.io.stderr, `nothing found for ${text}; ${wider}`);
}
