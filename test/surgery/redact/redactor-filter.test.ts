// The redactor skips lines without secrets. What it does with the others, with tool names and with values that become known
// later must not depend on that.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportSource } from '../../../src/export/source/source.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { createRedactor } from '../../../src/surgery/redact/redactor.ts';
import { redactorFor } from '../../../src/surgery/redact/session-redactor.ts';
import { plantedFiles } from '../../support/planted-session.ts';
import { benchWith } from '../../support/surgery-kit.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

const value = 'Kq7vR2mZx9T4bLc8Np';
const named = `{"type":"user","message":{"content":"export DB_PASSWORD=${value}"}}`;
const bare = `{"type":"user","message":{"content":"it was ${value} again"}}`;
const clean = '{"type":"user","message":{"content":"nothing here"}}';

test('a line without a rule of its own is redacted once its value is known', () => {
  const redactor = createRedactor();
  assert.equal(redactor.redactLine(Buffer.from(bare)).toString(), bare);
  assert.equal(redactor.learn(Buffer.from(clean))?.isCanonical, true);
  assert.equal(redactor.learn(Buffer.from(named)), undefined);
  assert.equal(redactor.redactLine(Buffer.from(bare)).toString(), bare.replace(value, '[redacted:env-secret:1]'));
  assert.equal(redactor.redactLine(Buffer.from(clean)).toString(), clean);
});

test('a tool of a line without secrets is renamed everywhere if a value of another line is in its name', () => {
  const redactor = createRedactor();
  const tool = `mcp__${value}__run`;
  const call = `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"${tool}","input":{}}]}}`;
  redactor.learn(Buffer.from(call));
  redactor.learn(Buffer.from(named));
  const mention = `{"type":"user","message":{"content":"x${tool}x"}}`;
  const redacted = redactor.redactLine(Buffer.from(mention)).toString();
  assert.equal(redacted, mention.replace(tool, 'mcp__redacted-env-secret-1__run'));
});

test('records are known to be clean only as long as no secret is known, and only as they are written', async (context) => {
  const text = transcript().user(`it was ${value} again`).assistant('ok').text();
  const padded = text.replace('{', '{ ');
  for (const [name, files, first, isFirstClean] of [
    ['no secret', {}, text, true],
    ['spaces', {}, padded, false],
    ['a side file with the value', { [plantedFiles.result]: `DB_PASSWORD=${value}\n` }, text, false],
  ] as const) {
    const bench = benchWith(context, sessionId, first, files);
    const { session } = await loadSource(bench.main);
    const redactor = redactorFor([await loadSource(bench.main)]);
    const { path, nodes } = session.transcript;
    const [prompt] = nodes;
    assert.ok(prompt !== undefined);
    assert.equal(redactor.isClean(path, prompt), isFirstClean, name);
    assert.equal(redactor.isClean(path, { offset: prompt.offset, length: prompt.length - 1 }), false, name);
    const hidden = JSON.stringify(exportSource(session, redactor).session.transcript.read(prompt));
    assert.equal(hidden.includes(value), Object.keys(files).length === 0, name);
  }
});
