// Bytes that leave for a bundle or an export: what one file of the session gives away is gone from all of them.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { extractBundle } from '../../../src/surgery/bundle/read.ts';
import { writeBundle } from '../../../src/surgery/bundle/write.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { redactorFor } from '../../../src/surgery/redact/session-redactor.ts';
import { plantedFiles } from '../../support/planted-session.ts';
import { benchWith, contentsOf } from '../../support/surgery-kit.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`;

test('a value that a side file gives away is replaced in a line of the transcript, and thinking that holds it goes', async (context) => {
  const bench = benchWith(context, sessionId, transcript().user('hi').assistant('ok').text(), {
    [plantedFiles.result]: 'DB_PASSWORD=k7Rq2mZx!\n',
  });
  const redactor = redactorFor([await loadSource(bench.main)]);
  const redact = (line: object): string => redactor.redact(Buffer.from(JSON.stringify(line))).toString();
  assert.equal(redact({ text: 'it was k7Rq2mZx!' }), '{"text":"it was [redacted:env-secret:1]"}');
  const thinking = (text: string): object => ({ type: 'thinking', thinking: text, signature: 's' });
  const said = { type: 'text', text: `use ${token}` };
  assert.equal(
    redact({ type: 'assistant', message: { content: [thinking('hm'), thinking(`use ${token}`), said] } }),
    '{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"use [redacted:github-token:1]"}]}}',
  );
  assert.deepEqual(
    redactor.list().map(({ kind, count }) => [kind, count]),
    [
      ['env-secret', 1],
      ['github-token', 1],
    ],
  );
});

test('a file whose name holds a secret has another name in the bundle, as every reference to it', async (context) => {
  const old = `${sessionId}/tool-results/${token}.txt`;
  const text = transcript().user(`see /p/${old}`).assistant('ok').text();
  const bench = benchWith(context, sessionId, text, { [old]: 'output' });
  const source = await loadSource(bench.main);
  const redactor = redactorFor([source]);
  const { sessions } = await writeBundle(path.join(bench.root, 'x.clew'), [source], redactor);
  const name = `${sessionId}/tool-results/redacted-github-token-1.txt`;
  assert.deepEqual(
    sessions[0]?.files.map((file) => file.name),
    [`${sessionId}.jsonl`, name],
  );
  const folder = path.join(bench.root, 'out');
  await extractBundle(path.join(bench.root, 'x.clew'), folder);
  const held = [...contentsOf(folder)].flat().join('\n');
  assert.deepEqual([held.includes(token), held.includes(`see /p/${name}`)], [false, true]);
});
