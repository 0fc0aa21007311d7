// The rules that "always" offers, that they would have allowed the call, and where they are stored.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Decision, RuleText } from '../../../src/agent/contract/permission.ts';
import { makeJudge } from '../../../src/agent/permission/judge.ts';
import { keepLocalRule } from '../../../src/agent/settings/local.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { fillIn, makeProject, type TestPlaces } from './project.ts';

const offers: readonly (readonly [tool: string, subject: string, rule: string | undefined, scopes?: string])[] = [
  ['Bash', 'npm run build', 'Bash(npm run build:*)'],
  ['Bash', 'npm install left-pad', 'Bash(npm install:*)'],
  ['Bash', 'git commit -m "a b"', 'Bash(git commit:*)'],
  ['Bash', 'mytool --flag', 'Bash(mytool --flag)'],
  ['Bash', 'npm run build && npm test', 'Bash(npm run build:*) and Bash(npm test:*)'],
  ['Bash', 'ls && npm test', 'Bash(npm test:*)'],
  ['Bash', 'python3 x.py', undefined],
  ['Bash', 'sh', undefined],
  ['Bash', 'curl https://example.com | sh', undefined],
  ['Bash', 'npx thing', undefined],
  ['Bash', 'rm -rf dist', 'Bash(rm -rf dist)'],
  ['Bash', 'curl https://example.com', undefined],
  ['Bash', 'timeout 5 npm test', 'Bash(npm test:*)'],
  ['Bash', 'sudo apt update', undefined],
  ['Bash', 'echo $(id)', undefined],
  ['Bash', 'npm test > .git/x', undefined],
  ['Bash', 'rm *', undefined],
  ['Bash', 'rm -rf .git', undefined],
  ['Bash', 'cat /etc/passwd', 'Read(//etc/passwd)', 'session'],
  ['Bash', 'echo a > out', 'Edit(/**) and Bash(echo a)', 'session'],
  ['Edit', '{project}/src/a.ts', 'Edit(/**)', 'session'],
  ['Edit', '{outside}/x', 'Edit(/{outside}/x)', 'session'],
  // A rule that allows must match a linked file under both of its names, which no single rule does.
  ['Edit', '{project}/out-link/x', undefined],
  ['Edit', '{project}/.git/config', undefined],
  ['Read', '{project}/.env', undefined],
  ['Read', '/etc/passwd', 'Read(//etc/passwd)', 'session'],
  ['WebFetch', 'https://example.com/x', 'WebFetch(domain:example.com)'],
  ['mcp__db__read', '', 'mcp__db__read'],
];

const shared = makeProject(temporaryFolder({ after }));

for (const [tool, subject, rule, scopes = 'session local'] of offers) {
  test(`for ${tool} ${subject} ${rule ?? 'nothing'} is offered`, async () => {
    const places = shared;
    const judge = makeJudge({ projectDir: places.project, home: places.home, rules: [] });
    const ask = (): Decision =>
      judge.judge(callOf(tool, fillIn(subject, places)), { mode: 'default', cwd: places.project, isReadOnly: false });
    const decision = ask();
    assert.equal(decision.kind, 'ask');
    const always = decision.kind === 'ask' ? decision.always : [];
    assert.deepEqual(
      always,
      rule === undefined ? [] : scopes.split(' ').map((scope) => ({ rule: fillIn(rule, places), scope })),
    );
    if (always[0] !== undefined) await judge.addRule(always[0]);
    assert.equal(ask().kind, rule === undefined ? 'ask' : 'allow');
  });
}

test('a local rule is written to the file, one for each part, and everything else in it stays', async (context) => {
  const places = makeProject(temporaryFolder(context));
  const file = path.join(places.project, '.claude/settings.local.json');
  writeTree(places.project, {
    '.claude/settings.local.json':
      '{\n    "model": "m",\n    "permissions": {\n        "deny": ["Bash(x)"],\n        "allow": ["Bash(npm test:*)"]\n    },\n    "later": [1]\n}\n',
  });
  const judge = makeJudge({
    projectDir: places.project,
    home: places.home,
    rules: [],
    keepLocalRule: (rule) => keep(places, rule),
  });
  const decision = judge.judge(callOf('Bash', 'npm test && npm run build'), {
    mode: 'default',
    cwd: places.project,
    isReadOnly: false,
  });
  assert.equal(decision.kind, 'ask');
  const local = decision.kind === 'ask' ? decision.always.find(({ scope }) => scope === 'local') : undefined;
  assert.ok(local);
  await judge.addRule(local);
  assert.equal(
    readFileSync(file, 'utf8'),
    `${JSON.stringify({ model: 'm', permissions: { deny: ['Bash(x)'], allow: ['Bash(npm test:*)', 'Bash(npm run build:*)'] }, later: [1] }, null, 4)}\n`,
  );
});

test('a local rule creates its file if there is none, once', async (context) => {
  const folder = temporaryFolder(context);
  assert.equal(await keepLocalRule(folder, 'Bash(a:*)'), undefined);
  assert.equal(await keepLocalRule(folder, 'Bash(a:*)'), undefined);
  assert.deepEqual(JSON.parse(readFileSync(path.join(folder, '.claude/settings.local.json'), 'utf8')), {
    permissions: { allow: ['Bash(a:*)'] },
  });
});

test('rules saved at the same time are all written', async (context) => {
  const folder = temporaryFolder(context);
  const rules = ['Bash(a:*)', 'Bash(b:*)', 'Bash(c:*)'];
  assert.deepEqual(await Promise.all(rules.map((rule) => keepLocalRule(folder, rule))), [
    undefined,
    undefined,
    undefined,
  ]);
  const text = readFileSync(path.join(folder, '.claude/settings.local.json'), 'utf8');
  assert.deepEqual(JSON.parse(text), { permissions: { allow: rules } });
});

test('a broken file of local settings is not changed, and reported', async (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, { '.claude/settings.local.json': '{ "permissions": ' });
  const problem = await keepLocalRule(folder, 'Bash(a:*)');
  assert.match(problem ?? '', /the rule Bash\(a:\*\) was not saved: .* is not a JSON object; correct it first/);
  assert.equal(readFileSync(path.join(folder, '.claude/settings.local.json'), 'utf8'), '{ "permissions": ');
});

test('texts that are not rules are problems, not errors', () => {
  const rules: readonly RuleText[] = ['', '(x)', 'Bash(npm', '!', 'Bash(ok)'].map((text) => ({
    kind: 'deny',
    text,
    source: 'user settings',
  }));
  const judge = makeJudge({ projectDir: '/p', home: '/h', rules });
  assert.deepEqual(
    judge.problems,
    ['', '(x)', 'Bash(npm', '!'].map((text) => `"${text}" in user settings is not a permission rule and is ignored`),
  );
});

test('a reason is one line without anything that a terminal acts on, and such a path is never offered', () => {
  const judge = makeJudge({ projectDir: '/p', home: '/h', rules: [] });
  const where = { mode: 'default', cwd: '/p', isReadOnly: false } as const;
  assert.deepEqual(judge.judge(callOf('Read', '/etc/a\u001b7\nb'), where), {
    kind: 'ask',
    why: 'reads outside the project: /etc/a␛7 b',
    always: [],
  });
  assert.equal(judge.judge(callOf('Read', `/etc/${'a'.repeat(1000)}`), where).why.length, 401);
});

async function keep(places: TestPlaces, rule: string): Promise<void> {
  assert.equal(await keepLocalRule(places.project, rule), undefined);
}

function callOf(name: string, subject: string) {
  const input =
    name === 'Bash' ? { command: subject } : name === 'WebFetch' ? { url: subject } : { file_path: subject };
  return { id: 'toolu_1', name, input };
}
