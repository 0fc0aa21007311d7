// What the agent reads without asking: the project and the stored results of this session; never the credentials.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { UserAnswer, UserQuestion } from '../../src/agent/contract/tool.ts';
import { encodeSlug } from '../../src/store/roots.ts';
import { startAgent } from '../support/agent-kit.ts';
import { calls, says } from '../support/headless-kit.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const secret = 'words of a secret';

test('results of this session are read without asking, those of others are not', async (t) => {
  const folder = temporaryFolder(t);
  const projects = path.join(folder, 'claude/projects');
  const own = path.join(projects, encodeSlug(path.join(folder, 'project')));
  const sessionId = '11111111-1111-4111-8111-111111111111';
  const [stored, other, sibling] = [
    path.join(own, sessionId, 'tool-results/long.txt'),
    path.join(projects, 'other', 'session.jsonl'),
    path.join(own, 'sibling.jsonl'),
  ];
  const files = Object.fromEntries(
    [
      [stored, 'stored for this session'],
      [other, secret],
      [sibling, secret],
    ].map(([file = '', text = '']) => [path.relative(folder, file), text]),
  );
  const script = [calls(...[stored, other, sibling].map((file) => ['Read', { file_path: file }] as const)), says('ok')];
  for (const mode of ['default', 'plan', 'dontAsk', 'acceptEdits'] as const) {
    const kit = await startAgent(t, script, { folder, files, mode, session: { kind: 'new', sessionId } });
    await kit.agent.prompt('go');
    await kit.agent.close('exit');
    const sent = JSON.stringify(kit.bodies());
    assert.match(sent, /stored for this session/, mode);
    assert.doesNotMatch(sent, /words of a secret/, mode);
    // The next mode begins with a new session of the same id.
    rmSync(kit.agent.state.file);
  }
});

test('no mode and no rule lets the credentials file into a request', async (t) => {
  const files = {
    'claude/.credentials.json': secret,
    'project/CLAUDE.md': 'See @../claude/.credentials.json',
    'project/a.txt': 'a',
  };
  for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
    const folder = temporaryFolder(t);
    const file = path.join(folder, 'claude/.credentials.json');
    const script = [
      calls(['Read', { file_path: file }], ['Bash', { command: `cat ${file}` }], ['Read', { file_path: 'a.txt' }]),
      says('ok'),
    ];
    const consent = async (): Promise<UserAnswer> => ({ kind: 'consent', isGiven: true });
    const kit = await startAgent(t, script, {
      folder,
      files,
      mode,
      isInteractive: true,
      askUser: consent,
      approve: async () => ({ kind: 'allow' }),
      allowedTools: ['Read', 'Bash', `Read(/${file})`],
    });
    await kit.agent.prompt(`look at @${file}`);
    assert.doesNotMatch(JSON.stringify(kit.bodies()), /words of a secret/, mode);
    assert.equal(kit.bodies().length, 2);
  }
});

test('an import of secrets or from outside is asked for once, and left out if nobody can answer', async (t) => {
  const files = {
    'project/CLAUDE.md': '@.env @../out.md @fine.md',
    'project/.env': 'words of the project',
    'out.md': 'words from outside',
    'project/fine.md': 'fine words',
  };
  const asked: string[] = [];
  const askUser = async (question: UserQuestion): Promise<UserAnswer> => {
    assert.ok(question.kind === 'consent');
    asked.push(path.basename(question.title));
    return { kind: 'consent', isGiven: question.title.includes('out.md') };
  };
  const kit = await startAgent(t, [says('a'), says('b')], { files, isInteractive: true, askUser });
  await kit.agent.prompt('one');
  await kit.agent.prompt('two');
  assert.deepEqual(asked, ['.env with the instructions?', 'out.md with the instructions?']);
  const sent = JSON.stringify(kit.bodies());
  assert.match(sent, /fine words/);
  assert.match(sent, /words from outside/);
  assert.doesNotMatch(sent, /words of the project/);
  const alone = await startAgent(t, [says('a')], { files });
  await alone.agent.prompt('one');
  assert.match(JSON.stringify(alone.bodies()), /fine words/);
  assert.doesNotMatch(JSON.stringify(alone.bodies()), /words from outside|words of the project/);
});
