// SESSION as people remember it → the transcript: `last`, or words of the title. Ids, their prefixes and paths win
// (`findSession`). Commands that change a session ask first, and take nothing but an id if they cannot ask.
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { oneLine } from '../../base/text/index.ts';
import { referenceWords } from '../../memory/reference/index.ts';
import type { Session } from '../../session/load/index.ts';
import { refuseUnreadable } from '../../session/transcript/index.ts';
import { discoverSessions, encodeSlug, type FoundSession, findSession, NoSessionError } from '../../store/index.ts';
import type { CommandInput } from '../command/index.ts';
import { canAsk, confirm, writeNotice } from '../terminal/index.ts';
import { currentSessions } from './current-index.ts';
import { folderOfTranscript } from './project.ts';
import { isLarge, readSession, rootsOf } from './session.ts';

export interface NameOptions {
  /** The command changes or deletes the session. */
  readonly isChange?: boolean;
}

interface Named {
  readonly path: string;
  readonly sessionId: string;
  /** What the user sees of it after its id. */
  readonly about: string;
}

export async function findSessionArgument(input: CommandInput, options: NameOptions = {}): Promise<string> {
  const argument = input.argument ?? '';
  // `clew:SESSION#TURN`, as `clew mcp` names turns for agents.
  return findNamedSession(referenceWords(argument)?.session ?? argument, input, options);
}

/** Loads any file with at least one record; refuses other files and says what they are. */
export async function loadSessionArgument(input: CommandInput): Promise<Session> {
  const found = await findSessionArgument(input);
  // Strict reading parses every line, which takes too long for a large file that is only shown.
  const session = await readSession(input, found, { strict: !isLarge(found) });
  refuseUnreadable(session.transcript);
  return session;
}

export async function findNamedSession(
  word: string,
  input: CommandInput,
  { isChange = false }: NameOptions = {},
): Promise<string> {
  try {
    return await findSession(word, rootsOf(input), input.io.cwd);
  } catch (error) {
    // A mistyped id is not the beginning of a title: no reading of all sessions for it.
    if (!(error instanceof NoSessionError) || looksLikeId(word)) throw error;
    const isLast = word.trim().toLowerCase() === 'last';
    const named = isLast ? await lastSession(input) : await byTitle(word, input, isChange);
    if (named === undefined) throw error;
    await (isChange ? confirmNamed(word, named, input) : showNamed(word, named, input));
    return named.path;
  }
}

function looksLikeId(word: string): boolean {
  return /^[0-9a-f-]{4,}$/i.test(word.trim()) && /\d/.test(word);
}

async function showNamed(word: string, { sessionId, about }: Named, { io }: CommandInput): Promise<void> {
  writeNotice(io.stderr, `"${oneLine(word, 60)}" is session ${sessionId}: ${about}`);
}

/** Words may fit another session tomorrow, and a script cannot look. */
async function confirmNamed(word: string, named: Named, { io, flags }: CommandInput): Promise<void> {
  const which = `"${oneLine(word, 60)}" is session ${named.sessionId}: ${named.about}`;
  if (flags['dry-run'] === true) return writeNotice(io.stderr, which);
  if (flags.yes === true || !canAsk(io.stderr))
    throw new UserError(which, 'to change a session without a question, name it by its id', exitCodes.refused);
  if (!(await confirm(`${which}; use this session?`, io.stderr)))
    throw new UserError('nothing was changed', 'name the session by its id', exitCodes.refused);
}

/** The newest session of the working directory, or of a folder below it; of all sessions if there is none. */
async function lastSession(input: CommandInput): Promise<Named | undefined> {
  const { sessions } = await discoverSessions(rootsOf(input));
  const newest = [...sessions].sort((a, b) => b.mtimeMs - a.mtimeMs);
  const { cwd } = input.io;
  // The name of the project folder is ambiguous and may be cut; the lines of the transcript decide.
  const start = encodeSlug(cwd).slice(0, 40).toLowerCase();
  const mayFit = ({ slug }: FoundSession): boolean => slug.toLowerCase().startsWith(start);
  const here = newest.find((session) => mayFit(session) && isBelow(folderOfTranscript(session.path), cwd));
  const found = here ?? newest[0];
  if (found === undefined) return undefined;
  const about = here === undefined ? 'the newest of all, because this folder has none' : 'the newest of this folder';
  return { path: found.path, sessionId: found.sessionId, about };
}

function isBelow(folder: string | undefined, cwd: string): boolean {
  return folder !== undefined && (folder === cwd || folder.startsWith(cwd + path.sep));
}

/** The whole title, else every word somewhere in the title. To change a session it must be the whole title. */
async function byTitle(text: string, input: CommandInput, isChange: boolean): Promise<Named | undefined> {
  const wanted = comparable(text);
  if (wanted === '') return undefined;
  const { sessions } = await currentSessions(input, { makesNone: true });
  const titled = sessions.map(({ path: file, sessionId, title = '' }) => ({ path: file, sessionId, title }));
  const whole = titled.filter(({ title }) => comparable(title) === wanted);
  const words = wanted.split(' ');
  const fits = whole.length > 0 || isChange ? whole : titled.filter(({ title }) => hasWords(comparable(title), words));
  if (fits.length > 1) throw ambiguous(text, fits);
  const [only] = fits;
  if (only !== undefined) return { ...only, about: oneLine(only.title, 80) };
  if (isChange && titled.some(({ title }) => hasWords(comparable(title), words)))
    throw new UserError(
      `no session has exactly the title "${oneLine(text, 60)}"`,
      'to change a session, give its id or its whole title',
    );
  return undefined;
}

function hasWords(title: string, words: readonly string[]): boolean {
  return words.every((word) => title.includes(word));
}

/** Without differences of case, of spaces, and of how accented letters are stored. */
function comparable(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

function ambiguous(text: string, fits: readonly { readonly sessionId: string; readonly title: string }[]): UserError {
  const shown = fits.slice(0, 5).map(({ sessionId, title }) => `${sessionId.slice(0, 8)} (${oneLine(title, 40)})`);
  const more = fits.length > 5 ? ` and ${fits.length - 5} more` : '';
  return new UserError(
    `"${oneLine(text, 60)}" fits ${fits.length} sessions: ${shown.join(', ')}${more}`,
    'give more of the title, or the id',
  );
}
