// clew export as it is called: where files go, what is refused, and that secrets stay at home.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { jsonOf, runClew } from '../../support/clew.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const id = '3f2b8c1e-0000-4000-8000-000000000001';
const other = '9a41d07c-0000-4000-8000-000000000002';
const secret = `AK${'IA'}Q7ZR3MTW5XK2VB4N`;
const password = `Tr0ub4dor${'-and-'}3`;

test('a secret in any place of a session is in no export, and the output says what was taken out', (context) => {
  const root = temporaryFolder(context);
  const agent = sessionText([user(`use ${secret}`), assistant('ok')], {
    isSidechain: true,
    agentId: 'a1',
    sessionId: id,
  });
  writeTree(root, {
    [`projects/-w-p/${id}.jsonl`]: sessionText([
      { type: 'custom-title', customTitle: `key ${secret}`, sessionId: id },
      user(`the key is ${secret}`),
      assistant([
        { type: 'thinking', thinking: `so ${secret}`, signature: 'c2lnbmVk' },
        toolUse('toolu_1', 'Bash', { command: `export DB_PASSWORD=${password}` }),
        toolUse('toolu_2', 'Agent', { prompt: `use ${secret}`, description: `with ${secret}` }),
      ]),
      user([toolResult('toolu_1', `echo ${password}`)], { toolUseResult: { stdout: secret, stderr: '' } }),
      user([toolResult('toolu_2', 'ok')], { toolUseResult: { agentId: 'a1', status: 'completed', content: [] } }),
      { type: 'queue-operation', operation: 'enqueue', content: `later ${secret}` },
    ]),
    [`projects/-w-p/${id}/subagents/agent-a1.jsonl`]: agent,
  });
  for (const format of ['md', 'json', 'anthropic', 'openai']) {
    const run = (...more: string[]): ReturnType<typeof runClew> =>
      runClew(['export', id, '--format', format, '--full', '--root', root, ...more]);
    const { status, stdout, stderr } = run(...(format === 'md' || format === 'json' ? ['--thinking'] : []));
    const seen = [secret, password].filter((each) => `${stdout}${stderr}`.includes(each));
    assert.deepEqual([format, status, seen], [format, 0, []]);
    assert.match(format === 'md' || format === 'json' ? stdout : stderr, /aws-access-key/);
    assert.ok(run('--no-redact').stdout.includes(secret));
  }
});

test('several sessions go into a folder, under names that are safe, and nothing is overwritten unasked', (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, {
    [`root/projects/-w-p/${id}.jsonl`]: sessionText([user('Fix ../../etc/passwd: "now"?'), assistant('done')]),
    [`root/projects/-w-p/${other}.jsonl`]: sessionText([user('次のステップ'), assistant('はい')], { startMinute: 5 }),
  });
  const root = path.join(folder, 'root');
  const out = path.join(folder, 'out');
  const files = ['2026-03-01-fix-etc-passwd-now-3f2b8c1e.md', '2026-03-01-次のステップ-9a41d07c.md'];
  const args = ['export', id, other, id, '-o', out, '--root', root];
  assert.deepEqual(jsonOf([...args, '--json']), {
    operation: 'export',
    format: 'md',
    sessions: [id, other].map((sessionId, i) => ({
      sessionId,
      path: path.join(out, files[i] ?? ''),
      sizeBytes: readFileSync(path.join(out, files[i] ?? '')).length,
      redacted: true,
      secrets: [],
    })),
  });
  assert.deepEqual(readdirSync(out).sort(), files);
  const again = runClew(args);
  assert.deepEqual([again.status, again.stdout], [3, '']);
  assert.match(again.stderr, /already exists; choose another file, or add --force\n$/);
  assert.equal(runClew([...args, '--force', '--no-redact']).status, 0);
  assert.doesNotMatch(readFileSync(path.join(out, files[0] ?? ''), 'utf8'), /Exported by Clew/);
  const empty = '77777777-0000-4000-8000-000000000003';
  writeTree(root, { [`projects/-w-p/${empty}.jsonl`]: sessionText([{ type: 'custom-title', customTitle: 'x' }]) });
  const { stdout, stderr } = runClew(['export', id, empty, other, '--format', 'openai', '--root', root]);
  assert.match(stderr, /^clew: there is nothing to send of 77777777/);
  const lines = stdout.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => Object.keys(JSON.parse(line) as object)),
    [['messages'], ['messages']],
  );
});

test('what cannot be done is said in one line', (context) => {
  const folder = temporaryFolder(context);
  const said = (...args: string[]): readonly unknown[] => {
    const { status, stdout, stderr } = runClew(['export', '--demo', '463b11e7', ...args], { cwd: folder });
    return [status, stdout, stderr];
  };
  assert.deepEqual(
    [said('--format', 'docx'), said('--json'), said('b8f420a0')],
    [
      [2, '', 'clew: there is no format "docx"; use md, html, json, anthropic, openai or parquet\n'],
      [2, '', 'clew: --json lists the written files; add --output\n'],
      [2, '', 'clew: md holds one session per file; add --output DIR/ for several sessions\n'],
    ],
  );
});
