// The command lines that the page copies: a shell and the real program understand each, and the dry run of the command
// plans the same as that of the page.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { utimesSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asObject } from '../../src/base/json/json.ts';
import { keyParam, readJson } from '../../src/web/client/client.ts';
import { commandOf } from '../../src/web/wire/action-command.ts';
import { type ActionName, type ActionOptions, actionNames } from '../../src/web/wire/actions.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { contentsOf } from '../support/surgery-kit.ts';
import { sessionId, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { openWebServer } from '../support/web-server.ts';

const place = `-home-kim-mill/${sessionId}.jsonl`;
const session = { key: sessionId, id: sessionId, path: `/x/projects/${place}` };

/** The words that a shell makes of a line. */
function shellWords(line: string): readonly string[] {
  const { stdout } = spawnSync('/bin/sh', ['-c', `for word in ${line}; do printf '%s\\0' "$word"; done`]);
  return stdout.toString('utf8').split('\0').slice(0, -1);
}

function mill(): string {
  const builder = transcript({ cwd: '/home/kim/mill' });
  for (let turn = 1; turn <= 4; turn++) {
    builder
      .user(`sack ${turn}`)
      .assistant([toolUse(`t${turn}`)])
      .user([toolResult(`t${turn}`, 'flour '.repeat(200))]);
    builder.assistant(`key ghp_${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'}, done`);
  }
  return builder.text();
}

const cases: readonly (readonly [ActionName, ActionOptions])[] = [
  ['rename', { title: `-- it's "the" $(mill)\`x\`` }],
  ['tag', { tag: '-review' }],
  ['tag', { tag: '' }],
  ['fork', {}],
  ['fork', { at: '2', title: '-a title', portable: true }],
  ['rewind', { at: '2' }],
  ['rewind', { at: '2', inPlace: true }],
  ['strip', { tools: '' }],
  ['strip', { tools: 'Bash,mcp__*,Re*,T*', keepLast: 1, olderThan: 1, inPlace: true }],
  ['strip', { truncateResults: 1, truncateInputs: 1, thinking: true, images: true, agents: true }],
  ['strip', { progress: true, bookkeeping: true, tools: '', portable: true }],
  ['compress', { keepTurns: 1 }],
  ['compress', { keepTurns: 2, dropOld: true, inPlace: true }],
  ['redact', {}],
  ['redact', { keepThinking: true, inPlace: true }],
];

test('the dry run of the copied command plans the same as the page', async (context) => {
  const { client, root, state } = await openWebServer(context, { [place]: mill() });
  const before = contentsOf(root);
  for (const [action, options] of cases) {
    const param = { ...keyParam(sessionId), action };
    const planned = await readJson(client.sessions[':key'].actions[':action'].$get({ param, query: options }));
    const [program, ...words] = shellWords(planned.command);
    assert.equal(program, 'clew');
    const split = words.indexOf('--');
    const at = split < 0 ? words.length : split;
    const dry = [...words.slice(0, at), '--dry-run', '--json', ...words.slice(at)];
    const outcome = asObject(jsonOf(dry, { env: { CLEW_HOME: state } }));
    assert.deepEqual(
      [planned.changed, planned.sizeBytes, planned.dropped.reduce((sum, { count }) => sum + count, 0)],
      [outcome?.changed, outcome?.sizeBytes, Array.isArray(outcome?.dropped) ? outcome.dropped.length : undefined],
      planned.command,
    );
  }
  assert.deepEqual(contentsOf(root), before);
});

test('the other commands do what their action does', async (context) => {
  const { client, root, state } = await openWebServer(context, { [place]: mill() });
  const file = path.join(root, 'projects', place);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  const before = contentsOf(root);
  const env = { CLEW_HOME: state };
  const run = async (action: ActionName, query: ActionOptions = {}, ...more: readonly string[]): Promise<string> => {
    const param = { ...keyParam(sessionId), action };
    const { command } = await readJson(client.sessions[':key'].actions[':action'].$get({ param, query }));
    const { status, stdout, stderr } = runClew([...shellWords(command).slice(1), ...more], { env });
    assert.deepEqual([status, stderr.replace(/.*\n/g, '')], [0, ''], command);
    return stdout;
  };
  assert.match(await run('star'), /^starred /);
  assert.match(await run('unstar'), /^removed the star/);
  assert.match(await run('export', { format: 'md' }), /sack 4/);
  assert.match(await run('archive'), /^archived 1 session/);
  const restore = commandOf('restore', { key: sessionId, id: sessionId, path: file });
  assert.match(await run('delete', {}, '--yes'), /^deleted /);
  assert.deepEqual([...contentsOf(root).keys()], []);
  assert.equal(runClew(shellWords(restore).slice(1), { env }).status, 0);
  assert.deepEqual(contentsOf(root), before);
});

test('a session whose id does not name it is named by its path; roots are named unless they are the usual ones', () => {
  const odd = { key: '~abc', id: '-rf', path: "/x/it's/-rf.jsonl" };
  assert.deepEqual(shellWords(commandOf('archive', odd)), ['clew', 'archive', odd.path]);
  assert.deepEqual(shellWords(commandOf('fork', session, { at: '4' }, ['/a b'])), [
    ...['clew', 'fork', '--at', '4', '--root', '/a b', sessionId],
  ]);
  assert.equal(commandOf('strip', session, { tools: '' }), `clew strip --tools -- ${sessionId}`);
  assert.equal(commandOf('tag', session, { tag: '' }), `clew tag --remove ${sessionId}`);
});

test('every action has a command that the program knows', () => {
  for (const name of actionNames) {
    const [, command = ''] = commandOf(name, session).split(' ');
    assert.equal(runClew([command, '--help']).status, 0, command);
  }
});
