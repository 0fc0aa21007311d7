// Hooks of several sessions at the same time, as processes: each verdict is right while transcripts grow and the state is
// written by others, and of a session's hooks only one shows a notice.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { test } from 'node:test';
import { cleanEnv } from '../../support/clew.ts';
import { clew } from '../../support/dist.ts';
import { Dice, SpendingLibrary } from '../../support/spending-library.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const rounds = process.env.CLEW_LONG === '1' ? 20 : 3;

test('eight hooks at once have the verdict of the tally, in the time zone of the process', async (context) => {
  const folder = temporaryFolder(context);
  const library = new SpendingLibrary(path.join(folder, 'root'), new Dice(7));
  for (let round = 0; round < rounds; round++) {
    const nowMs = Date.now();
    library.grow(nowMs);
    library.grow(nowMs);
    const zone = ['UTC', 'Asia/Kathmandu', 'America/St_Johns'][round % 3] ?? 'UTC';
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
    const { microUsd } = library.spent(({ time }) => day.format(time) === day.format(nowMs));
    assert.ok(microUsd > 1);
    const env = { ...cleanEnv(), CLEW_HOME: path.join(folder, 'state'), CLEW_ROOTS: library.root, TZ: zone };
    const at = (micro: number): string => (micro / 1e6).toFixed(6);
    const ask = async (session: number, ...args: readonly string[]): Promise<string> => {
      const child = spawn(process.execPath, [clew, 'guard', ...args], { env, stdio: ['pipe', 'pipe', 'inherit'] });
      const sessionId = library.sessionIds[session % library.sessionIds.length] ?? '';
      child.stdin.end(
        JSON.stringify({ hook_event_name: 'PreToolUse', transcript_path: library.transcript(sessionId) }),
      );
      const [printed, [code]] = await Promise.all([readText(child.stdout), once(child, 'exit')]);
      assert.equal(code, 0);
      return printed;
    };
    const answers = await Promise.all([
      ask(0, '--hard', at(microUsd)),
      ask(1, '--hard', at(microUsd)),
      ask(2, '--hard', at(microUsd + 1)),
      ask(3, '--hard', at(microUsd + 1)),
      // The same step of one session: one notice.
      ...[0, 0, 0, 0].map((session) => ask(session, '--soft', at(microUsd), '--hard', '100000')),
    ]);
    const isDenied = answers.map((answer) => answer.includes('"permissionDecision":"deny"'));
    assert.deepEqual(isDenied, [true, true, false, false, false, false, false, false], `${microUsd} in ${zone}`);
    const notices = answers.slice(4).filter((answer) => answer.includes('the soft limit is'));
    assert.ok(notices.length <= 1 && (round > 0 || notices.length === 1), answers.join(''));
  }
});
