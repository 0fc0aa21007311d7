// However an agent ends, nothing it started goes on, and its session is whole: a full disk, another writer, a sink that
// fails, SIGTERM, a plain close.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { diagnoseSession } from '../../src/doctor/diagnose.ts';
import { loadSession } from '../../src/session/session.ts';
import { startAgent } from '../support/agent-kit.ts';
import { calls, results, says } from '../support/agent-talk.ts';
import { filesBelow } from '../support/paths.ts';
import { isAlive } from '../support/processes.ts';
import { noSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { waitFor } from '../support/wait.ts';
import { sample } from './mcp/mcp-kit.ts';

const programAt = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const mcpConfig = [JSON.stringify({ mcpServers: { sample: sample() } })];

test(
  'a full disk in the middle of a turn is one clear error, and nothing of the turn goes on',
  { skip: noSmallDisk },
  async (t) => {
    const folder = temporaryFolder(t);
    const [disk, kept] = [path.join(folder, 'disk'), path.join(folder, 'kept')];
    mkdirSync(disk);
    const script = 'mount -t tmpfs -o size=128k tmpfs "$0" && "$@"; cp -r "$0" "$KEPT"';
    const child = [process.execPath, programAt('full-disk-agent.js'), disk, folder];
    const env = { ...process.env, KEPT: kept };
    const run = spawnSync('unshare', ['-rm', 'sh', '-c', script, disk, ...child], { encoding: 'utf8', env });
    const { outcome, pids } = JSON.parse(run.stdout || '{}') as { readonly outcome: string; readonly pids: number[] };
    assert.match(outcome, /^UserError: cannot write .* \(ENOSPC\)/, run.stderr);
    assert.deepEqual([pids.length, pids.filter(isAlive)], [2, []]);
    for (const file of filesBelow(kept, '.jsonl')) {
      const { findings } = await diagnoseSession(await loadSession(file));
      assert.deepEqual(
        findings.filter(({ severity }) => severity !== 'info'),
        [],
        file,
      );
    }
  },
);

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

test('a sink that fails ends the turn with its error; the rest is closed all the same', async (t) => {
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

test('a hook that nobody waits for ends with the turn it belongs to', async (t) => {
  const stubborn = `trap '' TERM; echo $$ > "$CLAUDE_PROJECT_DIR/pid"; while :; do sleep 1; done`;
  const kit = await startAgent(t, [calls(['Bash', { command: 'touch x' }]), says('ok')], {
    mode: 'default',
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

test('SIGTERM in the middle of everything leaves no process, and a session that can be resumed', async (t) => {
  const folder = temporaryFolder(t);
  const pidFile = path.join(folder, 'pids');
  const [config = ''] = mcpConfig;
  const child = spawn(process.execPath, [programAt('signalled-agent.js'), folder, pidFile, config], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (bytes: Buffer) => {
    printed += bytes.toString();
  });
  const pidsOf = (): number[] =>
    (existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : '').split('\n').filter(Boolean).map(Number);
  await waitFor(
    () => pidsOf().length === 2 && printed.includes('\\"pid\\":'),
    () => printed,
  );
  const [, second = '[]'] = printed.split('\n');
  const pids = [...pidsOf(), serverPid(JSON.parse(second))];
  assert.deepEqual(pids.map(isAlive), [true, true, true]);
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('close', resolve));
  assert.deepEqual(pids.map(isAlive), [false, false, false]);
  const file = /^closed (.*)$/m.exec(printed)?.[1] ?? '';
  const { findings } = await diagnoseSession(await loadSession(file));
  assert.deepEqual(
    findings.filter(({ severity }) => severity !== 'info'),
    [],
  );
});

function hook(command: string) {
  return { hooks: [{ type: 'command', command }] };
}

/** The `environment` tool of the sample server says which process it is. */
function serverPid(content: unknown): number {
  return Number(/\\?"pid\\?":(\d+)/.exec(JSON.stringify(content).replaceAll('\\', ''))?.[1]);
}
