// A hostile library on the terminal: every command that prints sessions prints it, in text that steers nothing and in
// tables that keep their width.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import { displayWidth } from '../../src/base/text/terminal-text.ts';
import { runClew } from '../support/clew.ts';
import { hostileName, writeHostileDamage } from '../support/hostile-damage.ts';
import { attack, hostileId, writeHostileLibrary } from '../support/hostile-session.ts';
import { startClew } from '../support/running-clew.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { toolUse, transcript } from '../support/transcript-builder.ts';

/** All but tabs and newlines that moves a cursor or changes the direction of text. */
const steering = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

test('a hostile library steers no terminal and breaks no table', (context) => {
  const root = temporaryFolder(context);
  const { file } = writeHostileLibrary(root, { answer: 200_000, others: 10_000 });
  const damage = writeHostileDamage(root).file;
  const below = ['--root', root];
  const copied = runClew(['rename', file, `renamed ${hostileName}`]);
  assert.equal(copied.status, 0, copied.stderr);
  const tables: readonly (readonly string[])[] = [
    ['ls', ...below],
    ['stats', ...below],
    ['usage', ...below],
    ['usage', 'project', '--breakdown', ...below],
    ['usage', 'session', ...below],
    ['doctor', '--all', ...below],
    ['doctor', damage],
  ];
  const texts: readonly (readonly string[])[] = [
    ['show', damage],
    ['show', file, '--full'],
    ['show', file, '--json'],
    ['find', 'canary', ...below],
    ['find', 'canary', '--json', ...below],
    ['doctor', damage, '--json'],
    ['usage', 'model', '--receipts', ...below],
    ['trace', 'explain', file],
    ['export', file, '--full', '--thinking'],
    ['export', file, '--format', 'html', '--thinking'],
    ['export', file, '--format', 'json'],
    ['messages', file],
  ];
  const faults = [...tables, ...texts].flatMap((args) => {
    const { status, stdout, stderr } = runClew(args);
    assert.ok(status === 0 || (args[0] === 'doctor' && status === 1), `${args.join(' ')}: ${status} ${stderr}`);
    assert.ok(/canary|<img|<script/.test(stdout), `${args.join(' ')} shows nothing of it`);
    const widest = tables.includes(args) ? stdout.split('\n').find((line) => displayWidth(line) > 80) : undefined;
    return [...steeringIn(args, stdout), ...steeringIn(args, stderr), ...(widest === undefined ? [] : [widest])];
  });
  const history = runClew(['history', ...below]);
  assert.match(history.stdout, /rename/);
  assert.deepEqual([...faults, ...steeringIn(['history'], `${history.stdout}${history.stderr}`)], []);
});

test('what a hostile session says while one listens steers no terminal either', async (context) => {
  const root = temporaryFolder(context);
  const { file, agentFile } = writeHostileLibrary(root, { answer: 1_000, others: 1_000 });
  const running = startClew(context, ['tail', '--root', root]);
  await running.says(/following/);
  const at = { sessionId: hostileId, cwd: attack, parentUuid: null };
  const calls = [toolUse('heard', `tool ${attack}`, { command: attack })];
  appendFileSync(file, transcript(at).user(`heard ${attack}`).assistant(attack).assistant(calls).text());
  appendFileSync(
    agentFile,
    transcript({ ...at, isSidechain: true, agentId: 'a1' })
      .assistant(`by an agent ${attack}`)
      .text(),
  );
  await running.prints(/by an agent/);
  await running.prints(/heard /);
  assert.deepEqual(steeringIn(['tail'], `${running.stdout()}${running.stderr()}`), []);
});

function steeringIn(args: readonly string[], text: string): readonly string[] {
  const at = text.search(steering);
  return at < 0 ? [] : [`${args.join(' ')}: ${JSON.stringify(text.slice(Math.max(0, at - 60), at + 20))}`];
}
