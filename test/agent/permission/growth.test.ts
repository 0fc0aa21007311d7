// What comes before a command, and how deep it is nested, never makes its verdict more permissive. Random commands are in
// growth.slow.test.ts.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { RuleText } from '../../../src/agent/contract/permission.ts';
import { makeJudge } from '../../../src/agent/permission/judge.ts';
import { parseShell } from '../../../src/agent/permission/shell-command.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { commands, freedom } from './growth-cases.ts';
import { makeProject } from './project.ts';

test('after a command that moves the shell or sets a variable, none is freer than alone', (context) => {
  const places = makeProject(temporaryFolder(context));
  const rules: readonly RuleText[] = [{ kind: 'allow', text: 'Bash(npm test:*)', source: 'test' }];
  const judge = makeJudge({ projectDir: places.project, home: places.home, rules });
  const where = { mode: 'acceptEdits', cwd: places.project, isReadOnly: false } as const;
  const verdictOf = (command: string) => judge.judge({ id: 'toolu_1', name: 'Bash', input: { command } }, where).kind;
  const alone = new Map(commands.map((command) => [command, freedom[verdictOf(command)]]));
  // Those that change what the next one means.
  const before = commands.filter((command) => /^(?:cd|X=|PATH=|cat <<)/.test(command));
  const freer = before.flatMap((a) =>
    commands.flatMap((b) => {
      const bound = Math.min(alone.get(a) ?? 0, alone.get(b) ?? 0);
      return freedom[verdictOf(`${a}; ${b}`)] > bound ? [`${a}; ${b}`] : [];
    }),
  );
  assert.deepEqual(freer, []);
});

test('nesting without end is cut, not overflown', () => {
  for (const opener of ['$(', '${a', '"${a"', '`\\`', '(', '<(', '$((', '{ ', '"$(', '${a:-$(']) {
    const script = parseShell(opener.repeat(10_000));
    assert.equal(script.isPlain, opener === '{ ', path.basename(opener));
  }
});
