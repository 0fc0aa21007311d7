// A command that fails because of the sandbox says so; one that fails for another reason does not.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeJudge } from '../../../src/agent/permission/judge.ts';
import { makeSandbox } from '../../../src/agent/sandbox/sandbox.ts';
import { makeBench } from '../tools/tool-kit.ts';
import { mechanism, skip } from './sandbox-kit.ts';

async function refusal(context: TestContext, command: string): Promise<string> {
  const bench = makeBench(context, { 'a.txt': 'a\n', '.env': 'secret\n' });
  const places = { projectDir: bench.folder, home: '/nowhere', root: '/nowhere/.claude', extraDirs: [] };
  const { policy } = makeJudge({ ...places, rules: [] });
  const workspace = { ...bench.workspace, sandbox: makeSandbox({ ...places, policy, mechanism }) };
  return bench.refusal('Bash', { command }, { workspace, confinement: 'read-only' });
}

for (const command of [
  'touch new.txt',
  'cat .env',
  'cat /home/another/notes.txt',
  'cat ~/notes.txt',
  'exec 3<>/dev/tcp/192.0.2.1/80',
])
  test(`the sandbox is named as a reason: ${command}`, { skip }, async (t) => {
    const text = await refusal(t, command);
    assert.match(text, /^Exit code 1\n/);
    assert.match(
      text,
      /This ran in a sandbox: nothing can be changed, there is no network.*dangerouslyDisableSandbox: true/,
    );
  });

for (const command of [
  'cat missing.txt',
  'cat $PWD/missing.txt',
  'grep -q zzz a.txt; exit 4',
  'no-such-program',
  'false',
])
  test(`the sandbox is not named as a reason: ${command}`, { skip }, async (t) => {
    const text = await refusal(t, command);
    assert.match(text, /^Exit code \d+/);
    assert.doesNotMatch(text, /sandbox/);
  });
