// Sessions on which a repair once loaded less than before: what doctor says of each, and what a resume of the repaired
// session must send.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { planRepair } from '../../src/doctor/repair/repair.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import type { OutlineMessage } from '../support/outline.ts';
import { benchWith } from '../support/surgery-kit.ts';
import { tinyImage } from '../support/tiny-images.ts';
import { sessionId, text, transcript } from '../support/transcript-builder.ts';
import { sentBy } from './doctor-kit.ts';

interface Case {
  readonly name: string;
  readonly lines: string;
  /** The file's name, where no line carries it. */
  readonly named?: string;
  /** The severe findings, in order. */
  readonly severe: readonly string[];
  readonly sent: readonly OutlineMessage[];
}

const other = '22222222-2222-4222-a222-222222222222';
const neither = '33333333-3333-4333-a333-333333333333';
const large = `<persisted-output>\nOutput too large. Full output saved to: /w/tool-results/x.txt\n</persisted-output>`;

/** Two calls of one message, the first result outside the chain, as clients 2.1.200 and 2.1.260 write them. */
const parallel = () =>
  transcript()
    .user('run both')
    .call('t1', { message: { id: 'm' } })
    .call('t2', { message: { id: 'm' } })
    .from('a1')
    .user([{ type: 'tool_result', tool_use_id: 't1', content: large }], { uuid: 'r1' });

const parallelSent: readonly OutlineMessage[] = [
  { user: ['run both'] },
  { assistant: ['call t1', 'call t2'] },
  { user: [`t1 → ${large}`, 't2 → out'] },
  { assistant: ['both done'] },
];

const threeTurns: readonly OutlineMessage[] = ['one', 'two', 'three'].flatMap((said) => [
  { user: [said] },
  { assistant: [`to ${said}`] },
]);

const image = (width: number) => tinyImage('png', width, 10).toString('base64');
const pictured = (attachment: object): string =>
  transcript({ version: '2.1.325' })
    .user('look')
    .attachment('file', undefined, { attachment: JSON.parse(JSON.stringify(attachment)) })
    .assistant('seen')
    .text();

const cases: readonly Case[] = [
  {
    name: 'a run that was killed after its answer, with a pin on the last result',
    lines: parallel()
      .from('a2')
      .user([{ type: 'tool_result', tool_use_id: 't2', content: 'out' }], { uuid: 'r2' })
      .lastPrompt('r2')
      .from('r2')
      .assistant('both done')
      .text(),
    severe: [],
    sent: parallelSent,
  },
  {
    name: 'such a run with a pin on the result outside the chain',
    lines: parallel()
      .lastPrompt('r1')
      .from('a2')
      .user([{ type: 'tool_result', tool_use_id: 't2', content: 'out' }], { uuid: 'r2' })
      .assistant('both done')
      .text(),
    severe: [],
    sent: parallelSent,
  },
  {
    name: 'a circle through the first line',
    lines: transcript()
      .user('one', { parentUuid: 'a3' })
      .assistant('to one')
      .user('two')
      .assistant('to two')
      .user('three')
      .assistant('to three')
      .text(),
    severe: [],
    sent: threeTurns,
  },
  {
    name: 'two circles in which the client takes another path than the links suggest',
    lines: transcript()
      .user('one', { parentUuid: 'u3' })
      .assistant('to one', { parentUuid: 'u2' })
      .user('two')
      .assistant('to two')
      .user('three')
      .assistant('to three')
      .text(),
    severe: [],
    sent: threeTurns,
  },
  {
    name: 'a uuid of the middle that a later prompt carries again',
    lines: transcript()
      .user('one')
      .assistant('to one')
      .user('two')
      .assistant('to two')
      .user('three', { uuid: 'u2' })
      .from('u2')
      .assistant('to three')
      .text(),
    severe: ['G-duplicate-uuid'],
    sent: threeTurns,
  },
  {
    name: 'a last line of another session, in a file named after neither',
    lines: `${transcript().user('one').assistant('to one').text()}${transcript({ sessionId: other })
      .user('elsewhere', { uuid: 'x1', timestamp: '2026-01-03T11:00:00.000Z' })
      .text()}`,
    named: neither,
    severe: ['G-foreign'],
    sent: threeTurns.slice(0, 2),
  },
  {
    name: 'a large image in a prompt typed while the agent worked',
    lines: pictured({
      type: 'queued_command',
      prompt: [text('this'), { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image(9000) } }],
    }),
    severe: ['A-image-size'],
    sent: [{ user: ['look'] }, { assistant: ['seen'] }],
  },
  {
    name: 'a large image file that a prompt names',
    lines: pictured({
      type: 'file',
      filename: '/w/a.png',
      content: { type: 'image', file: { base64: image(9001), type: 'image/png' } },
    }),
    severe: ['A-image-size'],
    sent: [{ user: ['look'] }, { assistant: ['seen'] }],
  },
];

for (const { name, lines, named = sessionId, severe, sent } of cases) {
  test(`${name}: the severe findings, and nothing less is sent after the repair`, async (context) => {
    const bench = benchWith(context, named, lines);
    const source = await loadSource(bench.main);
    const diagnosis = await diagnoseSession(source.session);
    assert.deepEqual(
      diagnosis.findings.filter(({ severity }) => severity === 'fatal' || severity === 'loss').map(({ code }) => code),
      severe,
    );
    const plan = await planRepair(source, diagnosis);
    assert.ok(plan !== undefined, 'no repair is planned');
    const { to } = await operate(plan, [source], { env: bench.env });
    assert.deepEqual(await sentBy(to.path), sent);
  });
}

test('a resume loads nothing of a UTF-16 file, and not the records that are quoted', async (context) => {
  const lines = transcript().user('one').assistant('to one').user('two').assistant('to two').text();
  const [first = '', ...rest] = lines.trimEnd().split('\n');
  const files = [Buffer.from(lines, 'utf16le'), Buffer.from([JSON.stringify(first), ...rest, ''].join('\n'))];
  const reached = files.map(async (bytes) => {
    const source = await loadSource(benchWith(context, sessionId, bytes).main);
    return (await diagnoseSession(source.session)).reachable;
  });
  assert.deepEqual(await Promise.all(reached), [
    { loaded: 0, of: 4 },
    { loaded: 3, of: 4 },
  ]);
});
