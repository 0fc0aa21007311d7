// Secrets in prompts, tool input and output reach no destination, in no profile. They are put together here, so that no
// scanner takes this file for a leak.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Placeholders } from '../../src/surgery/secrets/placeholders.ts';
import { redactText } from '../../src/surgery/secrets/redact-text.ts';
import { encodeJson, encodeProtobuf } from '../../src/trace/otlp/otlp.ts';
import { toWire as toGenai } from '../../src/trace/profiles/genai.ts';
import { toWire as toLangfuse } from '../../src/trace/profiles/langfuse.ts';
import { toWire as toOpeninference } from '../../src/trace/profiles/openinference.ts';
import type { TraceSpan } from '../../src/trace/span/span.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { text, thinking, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { spansOf } from './trace-kit.ts';

const key = ['sk', 'ant', 'api03', 'x7Qm2Vd9Lk4Tz8Rp1Wb6Yc3Nh5Jg0FsAe7Ui2Ox9Pq4Ml8Kz6Dv1Bn3Ct5Hr7Gw2Ej9XAAA'].join('-');
const token = ['ghp', 'k3Vn8Zq1Xw6Tb4Rm9Lc2Yd7Hs5Jf0PgUaEo1'].join('_');
const password = ['tr0ub4dor', 'correct', '9x'].join('-');

test('secrets in prompts, replies, thinking, tool input, output and errors are sent by no profile', (context) => {
  const file = `${temporaryFolder(context)}/s.jsonl`;
  transcript()
    .user(`use ${key}`)
    .assistant([
      thinking(`so ${key}`),
      text(`I use ${token}`),
      toolUse('t1', 'Bash', { command: `curl -H "Authorization: Bearer ${token}"` }),
    ])
    .user([toolResult('t1', `DATABASE_PASSWORD=${password}\nok`)])
    .assistant([toolUse('t2', 'Bash', { env: { nested: [`echo ${password}`] } })])
    .user([toolResult('t2', `failed: ${password} ${key}`, { is_error: true })])
    .assistant(`it said ${password}`)
    .write(file);
  const spans = spansOf(file, {}, { withThinking: true });
  assert.ok(holds(JSON.stringify(spans)).every((found) => found));
  for (const toWire of [toLangfuse, toGenai, toOpeninference]) {
    const wire = toWire(spans, { mode: 'full', redact: redaction(), nowMs: 0 });
    assert.deepEqual(holds(encodeProtobuf(wire).toString('latin1')), [false, false, false]);
    assert.deepEqual(holds(encodeJson(wire).toString('utf8')), [false, false, false]);
    assert.ok(encodeJson(wire).includes('it said'));
  }
});

test('JSON stays JSON where something was cut out of it', (context) => {
  const file = `${temporaryFolder(context)}/s.jsonl`;
  transcript()
    .user('go')
    .assistant([toolUse('t1', 'Bash', { password, list: [`"${token}"`] })])
    .write(file);
  const spans: readonly TraceSpan[] = spansOf(file);
  const { spans: sent } = toLangfuse(spans, { mode: 'full', redact: redaction(), nowMs: 0 });
  const input = sent.at(-1)?.attributes.find((each) => each.key === 'langfuse.observation.input')?.value;
  assert.deepEqual(Object.keys(JSON.parse(String(input)) as object), ['password', 'list']);
  assert.deepEqual(holds(String(input)), [false, false, false]);
});

/** One memory for a run: what was recognised once is cut out wherever it comes again. */
function redaction(): (content: string) => string {
  const state = new Placeholders();
  return (content) => redactText(content, state).text;
}

function holds(sent: string): readonly boolean[] {
  return [key, token, password].map((secret) => sent.includes(secret));
}
