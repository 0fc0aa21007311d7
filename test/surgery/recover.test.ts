// A session made of the prompts of a deleted one, and its Markdown, from hand-made traces.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/base/json/json.ts';
import { deletedMarkdown } from '../../src/export/deleted/index.ts';
import { archiveSessions } from '../../src/library/archive/index.ts';
import { type DeletedContents, findDeletedSession, readDeleted } from '../../src/library/deleted/index.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { planRecover } from '../../src/surgery/recover/index.ts';
import { createRedactor } from '../../src/surgery/redact/redactor.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

const id = '11111111-1111-4111-8111-111111111111';
const noon = Date.parse('2026-03-01T12:00:00Z');
const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');

interface Gone {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  read(): DeletedContents;
}

function goneOf(
  context: TestContext,
  prompts: readonly JsonObject[],
  files: Readonly<Record<string, string>> = {},
): Gone {
  const root = temporaryFolder(context);
  const env = { CLEW_HOME: path.join(root, 'state') };
  mkdirSync(path.join(root, 'projects'));
  const lines = prompts.map((each) => JSON.stringify({ timestamp: noon, project: '/w/lamp', sessionId: id, ...each }));
  writeTree(root, { 'history.jsonl': `${lines.join('\n')}\n`, ...files });
  const options = { roots: [root], env };
  return { root, env, read: () => readDeleted(findDeletedSession(id, options), options) };
}

test('times increase from line to line, also if prompts have the same time or none', async (context) => {
  const { env, read } = goneOf(context, [{ display: 'a' }, { display: 'b' }, { display: 'c', timestamp: null }]);
  const { to } = await operate(planRecover(read()), [], { env });
  const entries = readFileSync(to.path, 'utf8').trimEnd().split('\n');
  const times = entries.flatMap((line) => {
    const { timestamp } = JSON.parse(line) as { timestamp?: string };
    return timestamp === undefined ? [] : [Date.parse(timestamp)];
  });
  // the note, then a prompt and a placeholder three times
  assert.equal(times.length, 7);
  assert.ok(
    times.every((time, i) => i === 0 || time > (times[i - 1] ?? 0)),
    times.join(' '),
  );
});

test('a title in the side folder says that the session is recovered too', async (context) => {
  const name = `projects/-w-lamp/${id}/custom-title.json`;
  const { root, env, read } = goneOf(context, [{ display: 'a' }], { [name]: '{"customTitle":"lamp work"}' });
  await operate(planRecover(read()), [], { env });
  assert.equal(readFileSync(path.join(root, name), 'utf8'), '{"customTitle":"Recovered: lamp work"}');
});

test('a session that the archive has is not made of its prompts', async (context) => {
  const line = {
    type: 'user',
    uuid: 'u',
    parentUuid: null,
    sessionId: id,
    cwd: '/w/lamp',
    timestamp: '2026-03-01T12:00:00Z',
  };
  const main = `projects/-w-lamp/${id}.jsonl`;
  const { root, read } = goneOf(context, [{ display: 'a' }], {
    [main]: `${JSON.stringify({ ...line, message: { role: 'user', content: 'a' } })}\n`,
  });
  await archiveSessions([{ path: path.join(root, main) }], { folder: path.join(root, 'state/archive') });
  rmSync(path.join(root, main));
  assert.throws(() => planRecover(read()), /the archive has all of session/);
});

test('Markdown has no secret, unless no redactor is given', async (context) => {
  const { read } = goneOf(context, [{ display: `use ${secret}` }], {
    [`file-history/${id}/0123456789abcdef@v1`]: `token = '${secret}'\n`,
  });
  const text = async (options: Parameters<typeof deletedMarkdown>[1]): Promise<string> => {
    let all = '';
    for await (const piece of deletedMarkdown(read(), options)) all += piece;
    return all;
  };
  const plain = await text({});
  assert.equal(plain.split(secret).length - 1, 3);
  const redacted = await text({ redactor: createRedactor() });
  assert.ok(!redacted.includes(secret));
  assert.equal(redacted.split('[redacted:').length - 1, 3);
});
