// However an agent ends, nothing it started keeps running, and its session is complete: another writer, a sink that fails, a plain
// close. A full disk and SIGTERM are in agent-ends.slow.test.ts.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { startAgent } from '../support/agent-kit.ts';
import { calls, results, says } from '../support/agent-talk.ts';
import { isAlive } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import { sample, serverPid } from './mcp/mcp-kit.ts';

const mcpConfig = [JSON.stringify({ mcpServers: { sample: sample() } })];

test('another writer in the middle of a turn is one clear error, and its line stays', async (t) => {
  const kit = await startAgent(t, ({ body }) => {
    const { file } = kit.agent.state;
    const line = '{"type":"summary","summary":"theirs","leafUuid":"x"}';
    return JSON.stringify(body).includes('tool_result')
      ? says('never')
      : calls(
          ['Bash', { command: `sleep 1000 & echo $!`, run_in_background: true }],
          ['Bash', { command: `echo '${line}' >> ${file}` }],
        );
  });
  await assert.rejects(kit.agent.prompt('go'), { name: 'UserError', message: /another program has written/ });
  assert.equal(kit.agent.state.isBusy, false);
  await kit.agent.close('exit');
  assert.equal(kit.bodies().length, 1);
  assert.match(readFileSync(kit.agent.state.file, 'utf8'), /theirs"[^\n]*\n$/);
  const { findings } = await diagnoseSession(await loadSession(kit.agent.state.file));
  assert.deepEqual(
    findings.filter(({ severity }) => severity !== 'info'),
    [],
  );
});

test('a sink that fails ends the turn with its error, and everything else is still closed', async (t) => {
  let isBroken = false;
  const kit = await startAgent(
    t,
    [
      calls(
        ['Bash', { command: 'echo $$ > pid; sleep 1000', run_in_background: true }],
        ['mcp__sample__environment', {}],
      ),
      says('never'),
    ],
    {
      mcpConfig,
      files: { 'claude/settings.json': JSON.stringify({ hooks: { SessionEnd: [hook('echo bye; exit 1')] } }) },
      onEvent: (event) => {
        isBroken ||= event.type === 'result' && event.call.name.startsWith('mcp');
        if (isBroken) throw new Error('the screen is gone');
      },
    },
  );
  await assert.rejects(kit.agent.prompt('go'), { message: 'the screen is gone' });
  const pidFile = path.join(kit.cwd, 'pid');
  await waitFor(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
  const pids = [Number(readFileSync(pidFile, 'utf8')), serverPid(results(kit.events).at(-1)?.content)];
  assert.deepEqual(pids.map(isAlive), [true, true]);
  await kit.agent.close('exit');
  assert.deepEqual(pids.map(isAlive), [false, false]);
});

test('a hook that nobody awaits ends with its turn', async (t) => {
  const stubborn = `trap '' TERM; echo $$ > "$CLAUDE_PROJECT_DIR/pid"; while :; do sleep 1; done`;
  const kit = await startAgent(t, [calls(['Bash', { command: 'touch x' }]), says('ok')], {
    mode: 'default',
    isInteractive: true,
    files: { 'claude/settings.json': JSON.stringify({ hooks: { Notification: [hook(stubborn)] } }) },
    approve: async () => {
      await waitFor(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
      return { kind: 'allow' };
    },
  });
  const pidFile = path.join(kit.cwd, 'pid');
  await kit.agent.prompt('go');
  await kit.agent.close('exit');
  assert.equal(isAlive(Number(readFileSync(pidFile, 'utf8'))), false);
});

function hook(command: string) {
  return { hooks: [{ type: 'command', command }] };
}
