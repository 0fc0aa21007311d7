// A shell command in a command or a skill: it runs where the rules allow it, and nobody is asked.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { RuleText } from '../../src/agent/contract/permission.ts';
import { makeJudge } from '../../src/agent/permission/judge.ts';
import { runInlineShell } from '../../src/agent/prompt-intake.ts';
import { makeBench } from './tools/tool-kit.ts';

const rule = (kind: RuleText['kind'], text: string): RuleText => ({ kind, text, source: 'test' });

const cases: readonly (readonly [title: string, rules: readonly RuleText[], own: readonly string[], runs: boolean])[] =
  [
    ['that would be asked for does not run', [], [], false],
    ['that a rule of the user allows runs', [rule('allow', 'Bash(touch:*)')], [], true],
    ['that its own file may allow runs', [], ['Bash(touch:*)'], true],
    ['of which its own file allows another does not run', [], ['Bash(mkdir:*)'], false],
    ['that a rule denies does not run, whatever its file says', [rule('deny', 'Bash(touch:*)')], ['Bash'], false],
  ];

for (const [title, rules, own, runs] of cases)
  test(`an inline command ${title}`, async (t) => {
    const { folder, workspace } = makeBench(t);
    const judge = makeJudge({ projectDir: folder, home: '/nowhere', rules });
    const parts = { judge, mode: 'default', workspace } as const;
    const output = await runInlineShell('touch made', own, parts, new AbortController().signal);
    assert.deepEqual([output, existsSync(path.join(folder, 'made'))], [runs ? '' : undefined, runs]);
  });
