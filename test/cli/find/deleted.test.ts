// Prompts of deleted sessions in the output of clew find and clew stats: marked, after the living, within the limit.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { asObject, isArray, type JsonObject } from '../../../src/base/json/json.ts';
import { jsonOf, runClew } from '../../support/clew.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { transcript } from '../../support/transcript-builder.ts';

const living = '11111111-1111-4111-8111-111111111111';
const gone = '22222222-2222-4222-8222-222222222222';
const folder = temporaryFolder({ after });
const root = path.join(folder, 'config');
const env = { CLEW_HOME: path.join(folder, 'state') };
const history = Array.from({ length: 6 }, (_, i) => {
  return { display: `trim wick ${i}`, timestamp: Date.parse('2026-03-01') + i, project: '/w/lamp', sessionId: gone };
});
const chat = transcript({ sessionId: living, cwd: '/w/lamp' });
for (let i = 0; i < 6; i++) chat.user(`trim the wick again ${i}`).assistant('done');
writeTree(root, {
  'history.jsonl': history.map((line) => `${JSON.stringify(line)}\n`).join(''),
  [`projects/-w-lamp/${living}.jsonl`]: chat.text(),
});

function hits(...args: readonly string[]): readonly JsonObject[] {
  const found = asObject(jsonOf(['find', ...args, '--json', '--root', root], { env }))?.hits;
  assert.ok(isArray(found));
  return found.map((hit) => asObject(hit) ?? {});
}

test('deleted sessions get a quarter of the limit, or all that the living leave', () => {
  const counts = (...args: readonly string[]): readonly number[] => {
    const found = hits('wick', ...args);
    return [false, true].map((isDeleted) => found.filter((hit) => hit.isDeleted === isDeleted).length);
  };
  assert.deepEqual(counts('--limit', '4'), [3, 1]);
  assert.deepEqual(counts('--limit', '8'), [6, 2]);
  assert.deepEqual(counts('--limit', '1'), [1, 0]);
  assert.deepEqual(counts('--limit', '100'), [6, 6]);
  assert.deepEqual(counts('--deleted'), [0, 6]);
  assert.deepEqual(counts('--deleted', '--session', gone.slice(0, 6)), [0, 6]);
  assert.deepEqual(counts('--project', '/w/lamp'), [6, 6]);
});

test('a hit names the line of the history, and the command that shows more', () => {
  const [hit] = hits('"trim wick 3"');
  assert.deepEqual(
    [hit?.sessionId, hit?.isDeleted, hit?.path, hit?.line, hit?.kind, hit?.snippet],
    [gone, true, path.join(root, 'history.jsonl'), 4, 'prompt', 'trim wick 3'],
  );
  const { stdout } = runClew(['find', 'wick', '--root', root], { env });
  assert.match(stdout, /^trim wick 0 {2}\/w\/lamp · .* · deleted$/m);
  assert.match(stdout, /clew recover 22222222/);
  assert.match(stdout, /more in this session: --deleted --session 22222222/);
  assert.match(stdout, /6 of 12 matches in 2 sessions/);
});

test('clew stats counts them, also by project', () => {
  const deleted = (...args: readonly string[]) =>
    asObject(jsonOf(['stats', ...args, '--json', '--root', root], { env }))?.deleted;
  assert.deepEqual(deleted(), { sessions: 1, prompts: 6 });
  assert.deepEqual(deleted('--project', 'elsewhere'), { sessions: 0, prompts: 0 });
  const { stdout } = runClew(['stats', '--root', root], { env });
  assert.match(stdout, /^deleted {3}1 session · 6 prompts left: clew ls --deleted$/m);
});
