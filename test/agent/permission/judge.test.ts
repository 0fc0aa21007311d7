// The permission matrix, run against a real folder: cases.ts has the expected decisions.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import type { ToolCallView } from '../../../src/agent/contract/event.ts';
import type { Decision, RuleText } from '../../../src/agent/contract/permission.ts';
import { makeJudge } from '../../../src/agent/permission/judge.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { type Group, groups } from './cases.ts';
import { fillIn, makeProject } from './project.ts';

const places = makeProject(temporaryFolder({ after }));

for (const group of groups) {
  test(`permission: ${group.title}`, () => {
    const judge = judgeFor(group);
    const answers = group.rows.map(([, subject, why]) => {
      const decision = judge(subject);
      const isSaid = why === undefined || decision.why.includes(fillIn(why, places));
      const profile = group.hasSandbox && decision.kind === 'allow' ? decision.confinement : undefined;
      return [profile ?? decision.kind, subject, isSaid ? why : decision.why];
    });
    assert.deepEqual(
      answers,
      group.rows.map(([verdict, subject, why]) => [verdict, subject, why]),
    );
  });
}

test('the folder of long results is read without asking, and never written', () => {
  const { project, home, outside } = places;
  const judge = makeJudge({ projectDir: project, home, readableDirs: [outside], rules: [] });
  const where = { mode: 'acceptEdits', cwd: project, isReadOnly: false } as const;
  const kindOf = (tool: string): string => judge.judge(callOf(tool, `${outside}/secret.txt`), where).kind;
  assert.deepEqual([kindOf('Read'), kindOf('Write')], ['allow', 'ask']);
});

test('a tool of a server that says it only reads is still asked for', () => {
  const judge = makeJudge({ projectDir: '/p', home: '/h', rules: [] });
  const where = { mode: 'default', cwd: '/p', isReadOnly: true } as const;
  assert.deepEqual(
    ['mcp__db__read', 'TodoWrite'].map((name) => judge.judge({ id: 'toolu_1', name, input: {} }, where).kind),
    ['ask', 'allow'],
  );
});

test('the permission matrix has at least 300 cases', () => {
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  assert.ok(count >= 300, `${count} cases`);
});

function judgeFor(group: Group): (subject: string) => Decision {
  const judge = makeJudge({
    projectDir: places.project,
    home: places.home,
    root: path.join(places.home, '.claude'),
    extraDirs: [places.extra],
    sandbox: { isAvailable: group.hasSandbox, runsUnasked: true, mayLeave: true, excluded: [] },
    rules: group.rules.map((text) => ruleText(fillIn(text, places))),
  });
  const where = { mode: group.mode, cwd: path.join(places.project, group.cwd), isReadOnly: false };
  return (subject) => judge.judge(callOf(group.tool, fillIn(subject, places)), where);
}

function ruleText(text: string): RuleText {
  const kind = { '+': 'allow', '?': 'ask', '-': 'deny' } as const;
  const sign = text[0] as keyof typeof kind; // every rule of the table has one
  return { kind: kind[sign], text: text.slice(1), source: 'test' };
}

function callOf(tool: string, subject: string): ToolCallView {
  const id = 'toolu_1';
  switch (tool) {
    case 'Bash':
      return { id, name: tool, input: { command: subject } };
    case 'Glob':
      return { id, name: tool, input: { pattern: subject } };
    case 'WebFetch':
      return { id, name: tool, input: { url: subject, prompt: '' } };
    case '': {
      const [name = '', type = ''] = subject.split(' ');
      return { id, name, input: name === 'Skill' ? { skill: type } : { subagent_type: type } };
    }
    default:
      return { id, name: tool, input: { file_path: subject } };
  }
}
