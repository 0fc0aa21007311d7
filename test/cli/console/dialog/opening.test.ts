// A session that another program writes: one question, then a copy or nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionChoice } from '../../../../src/agent/contract/options.ts';
import { exitCodes, UserError } from '../../../../src/base/errors/errors.ts';
import type { Dialog, DialogAnswer } from '../../../../src/cli/console/dialog/dialog.ts';
import { openOrCopy } from '../../../../src/cli/console/dialog/questions.ts';

const taken = new UserError('session x is in use: Claude Code runs it', 'end it there', exitCodes.refused);

async function opened(
  session: SessionChoice,
  answer: DialogAnswer,
  error: UserError = taken,
): Promise<{ readonly tried: readonly SessionChoice[]; readonly asked: readonly string[]; readonly result: unknown }> {
  const tried: SessionChoice[] = [];
  const asked: string[] = [];
  const open = async (choice: SessionChoice): Promise<string> => {
    tried.push(choice);
    if (choice.kind !== 'new' && choice.fork !== undefined) return 'the copy';
    throw error;
  };
  const ask = async (dialog: Dialog): Promise<DialogAnswer> => {
    asked.push(dialog.title);
    return answer;
  };
  const result = await openOrCopy(session, open, ask).catch((thrown: unknown) => thrown);
  return { tried, asked, result };
}

const session: SessionChoice = { kind: 'resume', session: 'x' };
const yes: DialogAnswer = { kind: 'chosen', indexes: [0], text: '' };

test('a session in use is continued in a copy if the user agrees', async () => {
  assert.deepEqual(await opened(session, yes), {
    tried: [session, { ...session, fork: {} }],
    asked: ['Continue in a copy?'],
    result: 'the copy',
  });
});

test('after a no the reason is shown, and no copy is made', async () => {
  for (const answer of [{ kind: 'cancelled' }, { ...yes, indexes: [1] }] as const) {
    assert.deepEqual(await opened(session, answer), {
      tried: [session],
      asked: ['Continue in a copy?'],
      result: taken,
    });
  }
});

test('no other error, and no new session, leads to a question', async () => {
  const missing = new UserError('there is no session x', 'clew ls lists them');
  assert.deepEqual(await opened(session, yes, missing), { tried: [session], asked: [], result: missing });
  const fresh: SessionChoice = { kind: 'new' };
  assert.deepEqual(await opened(fresh, yes), { tried: [fresh], asked: [], result: taken });
});
