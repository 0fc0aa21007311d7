// The attack list, end to end: commands that the judge allows run in a real bash, in four modes, with and without the sandbox. No
// secret may come out, nothing outside or protected may change, and nothing may reach the network. In CI each mode runs
// another part of the list; all of it with CLEW_LONG=1.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { PermissionMode } from '../../src/agent/contract/confinement.ts';
import { makeJudge } from '../../src/agent/permission/judge.ts';
import { makeSandbox, noMechanism } from '../../src/agent/sandbox/sandbox.ts';
import { startShell } from '../../src/agent/tools/shell/shell.ts';
import { shareOf } from '../support/fuzz-runs.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { allAttacks } from './attack-cases.ts';
import { changes, fill, leaks, listen, makePlace, type Place, resetPlace, token } from './attack-place.ts';
import { mechanism, rule, skip } from './sandbox/sandbox-kit.ts';

const modes: readonly PermissionMode[] = ['default', 'plan', 'dontAsk', 'acceptEdits'];
const longestMs = 5000;

test('the attack list has at least 250 cases', () => {
  assert.ok(new Set(allAttacks.map(({ command }) => command)).size >= 250, String(allAttacks.length));
});

for (const hasSandbox of [true, false]) {
  for (const [part, mode] of modes.entries()) {
    const name = `attacks in ${mode} mode ${hasSandbox ? 'in the sandbox' : 'without a sandbox'} have no effect`;
    test(name, { skip: hasSandbox ? skip : false }, async (t) => {
      const place = makePlace(temporaryFolder(t));
      const { server, port, connections } = await listen();
      t.after(() => server.close());
      const outcomes = { ran: 0, stopped: 0 };
      const failures: string[] = [];
      const attacks = shareOf(allAttacks, hasSandbox ? part : part + modes.length, 2 * modes.length);
      for (const { kind, command } of attacks) {
        const text = fill(command, place, port);
        const result = await attempt(text, place, mode, hasSandbox);
        outcomes[result.hasRun ? 'ran' : 'stopped']++;
        const effects = [
          ...leaks(result.output),
          ...changes(place),
          ...(connections.splice(0).length > 0 ? ['network'] : []),
        ];
        if (effects.length > 0) failures.push(`${kind}: ${command} → ${effects.join(', ')}`);
        if (mode === 'acceptEdits' || effects.length > 0) resetPlace(place);
      }
      t.diagnostic(`${mode}, sandbox ${hasSandbox}: ${outcomes.ran} ran, ${outcomes.stopped} were not run`);
      assert.deepEqual(failures, []);
      // Otherwise the list would prove nothing about the sandbox.
      if (hasSandbox) assert.ok(outcomes.ran * 5 > attacks.length * 2, `${outcomes.ran} ran`);
    });
  }
}

async function attempt(
  command: string,
  { project, home }: Place,
  mode: PermissionMode,
  hasSandbox: boolean,
): Promise<{ readonly hasRun: boolean; readonly output: string }> {
  const rules = [rule('deny', 'Read(.env)'), rule('deny', 'Read(priv/**)')];
  const use = { isAvailable: hasSandbox, runsUnasked: true, mayLeave: true, excluded: [] };
  const root = path.join(home, '.claude');
  const judge = makeJudge({ projectDir: project, home, root, rules, sandbox: use });
  const call = { id: 'toolu_1', name: 'Bash', input: { command } };
  const decision = judge.judge(call, { mode, cwd: project, isReadOnly: false });
  if (decision.kind !== 'allow') return { hasRun: false, output: '' };
  const used = hasSandbox ? mechanism : noMechanism;
  const sandbox = makeSandbox({
    projectDir: project,
    extraDirs: [],
    home,
    root,
    policy: judge.policy,
    mechanism: used,
  });
  const secret = { ANTHROPIC_API_KEY: token, ...(hasSandbox ? { SECRET_VARIABLE: token } : {}) };
  const env = { ...process.env, ...secret, HOME: home };
  const launch = sandbox.launch(decision.confinement ?? 'open', {
    cwd: project,
    env,
    sessionDir: path.join(root, 'own'),
  });
  const pieces: Buffer[] = [];
  const shell = startShell(command, { cwd: project, launch, onOutput: (bytes) => void pieces.push(bytes) });
  const timer = setTimeout(() => shell.kill(), longestMs);
  await shell.exited;
  clearTimeout(timer);
  shell.kill();
  await shell.gone;
  launch.finish();
  return { hasRun: true, output: Buffer.concat(pieces).toString('latin1') };
}
