// clew star SESSION…: stars sessions in Clew's own state folder; without a SESSION, lists the starred ones.
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { neutralise } from '../../base/text/index.ts';
import { archiveFolder, listArchive } from '../../library/archive/index.ts';
import { readStars } from '../../library/stars/index.ts';
import { stateFolder } from '../../store/index.ts';
import type { PlannedSource } from '../../surgery/journal/index.ts';
import { newOperationId } from '../../surgery/journal/index.ts';
import { starSession } from '../../surgery/keep/index.ts';
import type { CommandInput } from '../command/index.ts';
import { findNamedSession } from '../input/index.ts';
import { operationNotices } from '../operation/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io, words } = input;
  const isRemoved = flags.remove === true;
  if (words.length === 0 && isRemoved) throw new UserError('--remove needs a SESSION', 'run `clew star` to list them');
  if (words.length === 0) return list(input);
  const sessions: PlannedSource[] = [];
  for (const word of new Set(words)) sessions.push(await sessionOf(input, word));
  const rows: { sessionId: string; operation: string | null }[] = [];
  const group = sessions.length > 1 ? { group: newOperationId(new Date()) } : {};
  for (const session of sessions) {
    const operation = await starSession(session, { ...operationNotices(io), isRemoved, ...group });
    rows.push({ sessionId: session.sessionId, operation: operation ?? null });
  }
  if (flags.json === true) return writeOut([`${jsonText(rows, 2)}\n`], io);
  const done = isRemoved ? 'removed the star of' : 'starred';
  const same = isRemoved ? 'has no star' : 'has a star already';
  const lines = rows.map(({ sessionId, operation }) =>
    operation === null ? `${sessionId} ${same}\n` : `${done} ${sessionId}\n`,
  );
  await writeOut(lines.map(neutralise), io);
}

async function list({ flags, io }: CommandInput): Promise<void> {
  const ids = [...readStars(stateFolder(io.env))].sort();
  if (flags.json === true) return writeOut([`${jsonText(ids, 2)}\n`], io);
  if (ids.length === 0) return writeNotice(io.stderr, 'no starred sessions; `clew star SESSION` stars one');
  await writeOut(
    ids.map((id) => neutralise(`${id}\n`)),
    io,
  );
}

/** A session that is only in the archive can be starred too. */
async function sessionOf(input: CommandInput, word: string): Promise<PlannedSource> {
  try {
    const main = path.resolve(await findNamedSession(word, input));
    return { sessionId: path.basename(main, '.jsonl'), path: main };
  } catch (error) {
    const found = error instanceof UserError ? inArchive(input, word) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

function inArchive({ io }: CommandInput, word: string): PlannedSource | undefined {
  const wanted = word.toLowerCase();
  const matches = listArchive(archiveFolder(io.env)).filter(
    ({ key, versions }) => key === word || versions[0]?.sessionId.toLowerCase().startsWith(wanted),
  );
  const [found] = matches;
  if (found === undefined || new Set(matches.map(({ versions }) => versions[0]?.sessionId)).size > 1) return undefined;
  return { sessionId: found.versions[0]?.sessionId ?? '', path: found.key };
}
