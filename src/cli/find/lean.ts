// `clew find` for a program that reads its output, without the command-line parser, progress and the reading of whole
// sessions. Everything unusual is left to the full command, which starts again and says what is wrong: other flags, a
// terminal, no index of this version, files that cannot be read, hits whose places are not known yet, no hits.
import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { isatty } from 'node:tty';
import { type Database, openCurrentIndex, updateRows } from '../../library/index/index.ts';
import { knownPlaces } from '../../library/places/index.ts';
import { search, updateText } from '../../library/search/index.ts';
import { sessionIds } from '../../library/text/index.ts';
import { type DiskProblem, stateFolder } from '../../store/index.ts';
import type { CommandInput } from '../command/index.ts';
import { lineageReader, rootsOf } from '../input/index.ts';
import { createStyle, safeText, wantsColor } from '../terminal/index.ts';
import { answerJson, answerText, placedSession } from './answer.ts';
import { findGone, limitBeside, withGone } from './deleted.ts';
import { queryOf, refuseWrongFlags } from './query.ts';
import type { PlacedSession } from './render.ts';

type Call = Pick<CommandInput, 'flags' | 'words' | 'io'>;

/** `undefined` leaves the call to the full command; nothing was printed then. */
export function runLean(args: readonly string[]): string | undefined {
  const call = callOf(args);
  if (call === undefined || isTerminal() || wantsColor({}, call.io.env)) return undefined;
  try {
    return hitsText(call);
  } catch {
    return undefined;
  }
}

const switches: ReadonlySet<string> = new Set(['--exact', '--regex', '-i', '--json', '--demo']);
const valued: ReadonlySet<string> = new Set([
  '--project',
  '--since',
  '--until',
  '--role',
  '--tool',
  '--file',
  '--limit',
  '--root',
]);

function callOf(args: readonly string[]): Call | undefined {
  const flags: Record<string, string | boolean | readonly string[]> = {};
  const words: string[] = [];
  const roots: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as string; // i is in range
    const name = word.replace(/^-+/, '');
    if (!word.startsWith('-')) words.push(word);
    else if (switches.has(word)) flags[name] = true;
    else if (valued.has(word)) {
      const value = args[++i];
      if (value === undefined || value.startsWith('-')) return undefined;
      if (word === '--root') roots.push(value);
      else flags[name] = value;
    } else return undefined;
  }
  if (words.length === 0) return undefined;
  if (roots.length > 0) flags.root = roots;
  const { env } = process;
  return { flags, words, io: { env, cwd: process.cwd() } as CommandInput['io'] };
}

/** Asking for `process.stdout` would load Node's streams and sockets, and `isatty` does too. */
function isTerminal(): boolean {
  const stdout = fstatSync(1);
  return stdout.isCharacterDevice() && stdout.rdev !== statSync(devNull, { throwIfNoEntry: false })?.rdev && isatty(1);
}

function hitsText(call: Call): string | undefined {
  const { flags, io } = call;
  refuseWrongFlags(call);
  const roots = rootsOf(call);
  const query = queryOf(call, { roots, session: undefined });
  const database = openCurrentIndex(stateFolder(io.env));
  try {
    if (database === undefined || !isCurrent(database, roots)) return undefined;
    const gone = findGone(query, io.env);
    const result = search(database, { ...query, limit: limitBeside(gone, query) });
    if (result.total + gone.total === 0) return undefined;
    const lineageOf = lineageReader(io);
    const sessions: PlacedSession[] = [];
    for (const found of result.sessions) {
      const places = knownPlaces(database, found);
      if (places === undefined) return undefined;
      sessions.push(placedSession(found, places, lineageOf));
    }
    const answer = withGone({ query, result, sessions }, gone);
    if (flags.json === true) return safeText(answerJson(answer, []));
    const screen = { style: createStyle(false), stdout: {}, env: io.env };
    return Array.from(answerText(sessionIds(database, roots), answer, flags, screen), (chunk) => safeText(chunk)).join(
      '',
    );
  } finally {
    database?.close();
  }
}

/** Brings rows and text up to date; false if something could not be read. */
function isCurrent(database: Database, roots: readonly string[]): boolean {
  const isRead = ({ problems }: { readonly problems: readonly DiskProblem[] }): boolean =>
    problems.every(({ code }) => code === 'ENOENT');
  return isRead(updateRows(database, { roots })) && isRead(updateText(database, { roots }));
}
