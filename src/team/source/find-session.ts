// SESSION as a user types it → one session of the store: its id or the beginning of it, `last`, or words of its title.
import { UserError } from '../../base/errors/index.ts';
import { oneLine } from '../../base/text/index.ts';
import type { StoredSession } from './sessions.ts';

export function findStored(word: string, sessions: readonly StoredSession[], place: string): StoredSession {
  const wanted = comparable(word);
  if (wanted === '') throw new UserError('no session is named', '`clew ls --store` shows those of the store');
  if (wanted === 'last') return newest(sessions, place);
  const idOf = ({ session, storeId }: StoredSession): string => (session.sessionId || storeId).toLowerCase();
  const titleOf = ({ session }: StoredSession): string => comparable(session.title ?? '');
  const words = wanted.split(' ');
  const tests: readonly ((each: StoredSession) => boolean)[] = [
    (each) => idOf(each) === wanted || each.storeId === word.trim(),
    (each) => wanted.length >= 4 && idOf(each).startsWith(wanted),
    (each) => titleOf(each) === wanted,
    (each) => words.every((part) => titleOf(each).includes(part)),
  ];
  for (const test of tests) {
    const [found, ...others] = sessions.filter(test);
    if (found === undefined) continue;
    if (others.length === 0) return found;
    const shown = [found, ...others]
      .slice(0, 5)
      .map((each) => `${each.storeId} (${oneLine(each.session.title ?? '', 40)})`);
    const more = others.length > 4 ? ` and ${others.length - 4} more` : '';
    throw new UserError(
      `"${oneLine(word, 60)}" fits ${others.length + 1} sessions: ${shown.join(', ')}${more}`,
      'give more of the title, or the id',
    );
  }
  throw new UserError(
    `there is no session "${oneLine(word, 60)}" ${place}`,
    '`clew ls --store` shows those of the store',
  );
}

function newest(sessions: readonly StoredSession[], place: string): StoredSession {
  const timeOf = ({ session: { endedAt, mtimeMs } }: StoredSession): number =>
    Number.isNaN(endedAt) ? mtimeMs : endedAt;
  const [found] = sessions.filter(({ isListed }) => isListed).sort((a, b) => timeOf(b) - timeOf(a));
  if (found === undefined) throw new UserError(`there are no sessions ${place}`, '`clew push` sends sessions there');
  return found;
}

/** Without differences of case, of spaces, and of how accented letters are stored. */
function comparable(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}
