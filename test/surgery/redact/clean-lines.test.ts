// What is learned of a line in the first pass spares work in the second: the findings must be the same as without it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { createRedactor, type Redactor } from '../../../src/surgery/redact/redactor.ts';
import { redactorFor } from '../../../src/surgery/redact/session-redactor.ts';
import { learnFile, surveyFile } from '../../../src/surgery/redact/survey.ts';
import { plantedFiles } from '../../support/planted-session.ts';
import { benchWith } from '../../support/surgery-kit.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

const value = 'Kq7vR2mZx9T4bLc8Np';
const user = (text: string): Buffer => Buffer.from(`{"type":"user","message":{"content":"${text}"}}`);

/** Whether the redactor says of a line without a secret of its own that it stays as it is. */
function isUnchanged(redactor: Redactor, line: Buffer): boolean {
  const clean = createRedactor().learn(line);
  assert.ok(clean !== undefined, `${line} has no secret of its own`);
  return redactor.isUnchanged(line, clean);
}

const lines: readonly (readonly [isUnchanged: boolean, text: string])[] = [
  [true, 'nothing here'],
  [true, String.raw`nothing\nhere \u0041`],
  [false, `it was ${value} again`],
  [false, String.raw`it was\n${value} again`],
  [false, String.raw`it was \u004bq7vR2mZx9T4bLc8Np again`],
  [false, String.raw`it was \\u004bq7vR2mZx9T4bLc8Np again`],
  [false, 'it was %4bq7vR2mZx9T4bLc8Np again'],
  [false, Buffer.from(`so it was ${value} again`).toString('base64')],
];

test('a line without a secret of its own changes if it holds a known value in any way of writing', () => {
  const redactor = createRedactor();
  for (const [, text] of lines) assert.equal(isUnchanged(redactor, user(text)), true, text);
  redactor.learn(Buffer.from(`DB_PASSWORD=${value}`), 'text');
  for (const [expected, text] of lines) assert.equal(isUnchanged(redactor, user(text)), expected, text);
});

test('it also changes if there are very many values, or values with quotes', () => {
  const quoted = createRedactor();
  quoted.learn(Buffer.from(`DB_PASSWORD='Kq7v"R2mZx9T4bLc8'`), 'text');
  assert.equal(isUnchanged(quoted, user(String.raw`it was Kq7v\"R2mZx9T4bLc8 again`)), false);
  assert.equal(isUnchanged(quoted, user('nothing here')), true);
  const many = createRedactor();
  const values = Array.from({ length: 40 }, (_, i) => `Kq7vR2mZx9T4bLc8Np${i + 10}`);
  for (const each of values) many.learn(Buffer.from(`DB_PASSWORD=${each}`), 'text');
  for (const each of values) assert.equal(isUnchanged(many, user(`it was ${each} again`)), false);
  assert.equal(isUnchanged(many, user('nothing here')), true);
});

test('it also changes if a value is learned later, or if a name changes', () => {
  const redactor = createRedactor();
  redactor.learn(Buffer.from('DB_PASSWORD=Zx9T4bLc8Kq7vR2mNp'), 'text');
  assert.equal(isUnchanged(redactor, user(`it was ${value} again`)), true);
  redactor.learn(Buffer.from(`DB_PASSWORD=${value}`), 'text');
  assert.equal(isUnchanged(redactor, user(`it was ${value} again`)), false);
  redactor.learnFileName(`x${value}.txt`);
  redactor.learnFileName(`DB_PASSWORD=${value}.txt`);
  assert.equal(isUnchanged(redactor, user('nothing here')), false);
});

test('the survey of a file is the same with and without what was learned of its lines', async (context) => {
  const text = transcript()
    .user(`it was ${value} again`)
    .assistant(`use export DB_PASSWORD=${value}`)
    .user('plain words')
    .assistant(`as base64: ${Buffer.from(`so it was ${value} again`).toString('base64')}`)
    .text();
  const bench = benchWith(context, sessionId, text, { [plantedFiles.result]: `once ${value}\n` });
  const { files } = await loadSource(bench.main);
  for (const isRemembered of [true, false]) {
    const redactor = createRedactor();
    const clean = files.map((file) => learnFile(file, redactor));
    assert.deepEqual(
      clean.map(({ size }) => size),
      [3, 0],
    );
    const surveys = files.map((file, i) => surveyFile(file, redactor, isRemembered ? clean[i] : undefined));
    assert.deepEqual(
      surveys.map(({ lines: found }) => [...found]),
      [[1, 2, 4], [1]],
    );
    assert.equal(redactor.list().length, 1);
  }
});

test('records of a session with secrets are clean if they hold none, until another value is learned', async (context) => {
  const text = transcript().user(`it was ${value} again`).assistant('ok').user('and now').text();
  const bench = benchWith(context, sessionId, text, { [plantedFiles.result]: `DB_PASSWORD=${value}\n` });
  const source = await loadSource(bench.main);
  const { path, nodes } = source.session.transcript;
  const redactor = redactorFor([source]);
  const areClean = (): boolean[] => nodes.map((node) => redactor.isClean(path, node));
  assert.deepEqual(areClean(), [false, true, true]);
  assert.equal(redactor.isClean(`${path}.other`, nodes[1] ?? { offset: 0, length: 0 }), false);
  redactor.redact(user('export API_TOKEN=Zx9T4bLc8Kq7vR2mNp'));
  assert.deepEqual(areClean(), [false, false, false]);
});

test('a short text that stayed as it is changes once its value is known', async (context) => {
  const bench = benchWith(context, sessionId, transcript().user('hello').assistant('ok').text());
  for (const between of [[], ['another model']]) {
    const redactor = redactorFor([await loadSource(bench.main)]);
    const redact = (text: string): string => Buffer.from(redactor.redact(Buffer.from(text))).toString();
    for (let i = 0; i < 2; i++) assert.equal(redact(`model ${value}`), `model ${value}`);
    assert.equal(redact(`DB_PASSWORD=${value}`), 'DB_PASSWORD=[redacted:env-secret:1]');
    for (const text of between) assert.equal(redact(text), text);
    for (let i = 0; i < 2; i++) assert.equal(redact(`model ${value}`), 'model [redacted:env-secret:1]');
  }
});
