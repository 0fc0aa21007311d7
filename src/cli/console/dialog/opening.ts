// Opens the requested session, or offers a copy if another program writes to it.
import type { SessionChoice } from '../../../agent/contract/agent.ts';
import { exitCodes, UserError } from '../../../base/errors/errors.ts';
import { type Dialog, type DialogAnswer, makeDialog } from './dialog.ts';
import { noteLines } from './questions.ts';

export async function openOrCopy<T>(
  session: SessionChoice,
  open: (session: SessionChoice) => Promise<T>,
  ask: (dialog: Dialog) => Promise<DialogAnswer>,
): Promise<T> {
  try {
    return await open(session);
  } catch (error) {
    const isTaken = error instanceof UserError && error.exitCode === exitCodes.refused;
    if (!isTaken || session.kind === 'new' || session.fork !== undefined) throw error;
    const answer = await ask(copyDialog(error.message.split(';')[0] ?? ''));
    if (answer.kind === 'cancelled' || answer.indexes[0] !== 0) throw error;
    return open({ ...session, fork: {} });
  }
}

function copyDialog(message: string): Dialog {
  return makeDialog({
    title: 'Continue in a copy?',
    body: (drawing) => noteLines(message, drawing),
    choices: [{ label: 'Yes, in a copy', hint: 'the session itself does not change' }, { label: 'No' }],
    escapeHint: 'Esc declines',
  });
}
