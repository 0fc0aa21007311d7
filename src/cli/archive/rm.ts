// clew rm SESSION…: archives sessions, reads the copies back, and deletes the files. Asks first.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, formatBytes, neutralise } from '../../base/text/index.ts';
import { archiveFolder, isEmptySession, whyInUse } from '../../library/archive/index.ts';
import { leftOutNotes } from '../../library/session-files/index.ts';
import { discoverSessions, diskError } from '../../store/index.ts';
import { newOperationId } from '../../surgery/journal/index.ts';
import { type RemovedWithUndo, removeWithUndo } from '../../surgery/keep/index.ts';
import { noteRemoval } from '../../team/push/index.ts';
import type { CommandInput } from '../command/index.ts';
import { findNamedSession, rootsOf } from '../input/index.ts';
import { operationNotices } from '../operation/index.ts';
import { canAsk, confirm, writeNotice, writeOut } from '../terminal/index.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const mains = await chosenSessions(input);
  if (mains.length === 0) return writeNotice(io.stderr, 'no sessions without a conversation; nothing to delete');
  const options = {
    ...operationNotices(io),
    folder: archiveFolder(io.env),
    roots: rootsOf(input),
    withoutArchive: flags['no-archive'] === true,
    // One undo restores all of them.
    ...(mains.length > 1 ? { group: newOperationId(new Date()) } : {}),
  };
  const planned: RemovedWithUndo[] = [];
  for (const main of mains) planned.push(await removeWithUndo(main, { ...options, isDryRun: true }));
  if (flags['dry-run'] === true) return print(input, planned);
  if (!(await mayDelete(input, planned))) return writeNotice(io.stderr, 'nothing was deleted');
  const removed: RemovedWithUndo[] = [];
  try {
    for (const main of mains) {
      removed.push(await removeWithUndo(main, options));
      // Without a copy there is no operation that a push could see.
      if (options.withoutArchive) noteRemoval(main, io.env);
    }
  } finally {
    if (removed.length > 0) await print(input, removed);
  }
}

/** Every session once, however often it was named. */
async function chosenSessions(input: CommandInput): Promise<readonly string[]> {
  const { flags, words } = input;
  if (words.length === 0 && flags.empty !== true) throw new UserError('rm needs a SESSION', 'run `clew rm --help`');
  if (words.length > 0 && flags.empty === true)
    throw new UserError('--empty and SESSIONs exclude each other', 'give either SESSIONs or --empty');
  if (flags.empty === true) return emptySessions(input);
  const mains: string[] = [];
  for (const word of words) mains.push(await findNamedSession(word, input, { isChange: true }));
  return [...new Set(mains)];
}

async function emptySessions(input: CommandInput): Promise<readonly string[]> {
  const empty: string[] = [];
  const { sessions, problems } = await discoverSessions(rootsOf(input));
  input.unread.add(problems);
  for (const { path } of sessions) {
    try {
      // One that a client has just begun has no conversation yet either.
      if ((await isEmptySession(path)) && whyInUse(path, input.io.env) === undefined) empty.push(path);
    } catch (error) {
      const failure = diskError(error, 'read', path);
      if (!(failure instanceof UserError)) throw error;
      input.unread.addFailed(path, failure);
    }
  }
  return empty;
}

async function mayDelete({ flags, io }: CommandInput, planned: readonly RemovedWithUndo[]): Promise<boolean> {
  if (flags.yes === true) return true;
  if (!canAsk(io.stderr)) {
    throw new UserError('deleting needs confirmation: add `--yes`', 'use `--dry-run` to look first', exitCodes.refused);
  }
  const sizeBytes = planned.reduce((sum, session) => sum + session.sizeBytes, 0);
  const names = planned.length === 1 ? ` ${planned[0]?.sessionId}` : '';
  const copy = flags['no-archive'] === true ? 'There will be no copy.' : 'A copy is kept in the archive.';
  const what = `${counted(planned.length, 'session')}${names} (${formatBytes(sizeBytes)})`;
  return confirm(neutralise(`Delete ${what}? ${copy}`), io.stderr);
}

async function print({ flags, io }: CommandInput, sessions: readonly RemovedWithUndo[]): Promise<void> {
  if (flags.json === true) {
    const rows = sessions.map(({ operation, ...session }) => ({ ...session, operation: operation ?? null }));
    return writeOut([`${jsonText(rows, 2)}\n`], io);
  }
  const verb = flags['dry-run'] === true ? 'would delete' : 'deleted';
  const lines = sessions.map(({ sessionId, files, sizeBytes, isArchived, leftOut }) => {
    const back = isArchived ? `; \`clew restore ${sessionId}\` brings it back` : '';
    const stays = leftOutNotes(leftOut).map((note) => `  ${note}\n`);
    return `${verb} ${sessionId} (${counted(files.length, 'file')}, ${formatBytes(sizeBytes)})${back}\n${stays.join('')}`;
  });
  await writeOut(lines.map(neutralise), io);
}
