// What the API would reject: fatal if the request breaks the rule, a warning if the client repairs it when it builds the request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseSession } from '../../../src/doctor/diagnosis/diagnose.ts';
import { tinyImage } from '../../support/tiny-images.ts';
import {
  type TranscriptBuilder,
  text,
  thinking,
  toolResult,
  toolUse,
  transcript,
} from '../../support/transcript-builder.ts';

async function listFindings(builder: TranscriptBuilder): Promise<string[]> {
  const { findings } = await diagnoseSession(builder.session());
  return findings.map(({ code, severity, line }) => `${severity} ${code} ${line}`);
}

test('a violation is reported with the line that it comes from', async () => {
  const image = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: tinyImage('png', 9000, 5).toString('base64') },
  };
  const session = transcript().user('look').assistant('where?').user([image]).assistant('wide').session();
  const { findings, violations } = await diagnoseSession(session);
  assert.deepEqual(
    findings.map(({ code, severity, line, uuid, message }) => ({ code, severity, line, uuid, message })),
    [
      {
        code: 'A-image-size',
        severity: 'fatal',
        line: 3,
        uuid: 'u2',
        message: 'the API answers: At least one of the image dimensions exceed max allowed size: 8000 pixels',
      },
    ],
  );
  assert.deepEqual(
    violations.map(({ rule, status, messageIndex, line, uuid }) => ({ rule, status, messageIndex, line, uuid })),
    [{ rule: 'image-pixels', status: 400, messageIndex: 2, line: 3, uuid: 'u2' }],
  );
});

test('what the client repairs when it builds the request is a warning', async () => {
  const turn = () => transcript().user('go');
  assert.deepEqual(await listFindings(turn().call('t1').user('next').assistant('on')), ['warn A-unanswered-tool 2']);
  assert.deepEqual(await listFindings(turn().call('t1')), ['info A-unanswered-tool 2']);
  assert.deepEqual(
    await listFindings(
      turn()
        .assistant('a')
        .user([toolResult('t9')])
        .assistant('b'),
    ),
    ['warn A-orphan-result 3'],
  );
  assert.deepEqual(await listFindings(turn().call('t1').result('t1').call('t1').result('t1').assistant('b')), [
    'warn A-duplicate-tool-id 4',
    'warn A-duplicate-tool-id 5',
  ]);
  assert.deepEqual(await listFindings(turn().assistant([text(''), text('a')])), ['warn A-empty-text 2']);
  assert.deepEqual(await listFindings(transcript().assistant('first').user('go').assistant('on')), [
    'warn A-role-order 1',
  ]);
});

test('what is sent unrepaired is fatal', async () => {
  const turn = () => transcript().user('go');
  assert.deepEqual(await listFindings(turn().assistant([thinking('hm', ''), text('a')])), [
    'fatal A-thinking-altered 2',
  ]);
  assert.deepEqual(await listFindings(turn().assistant([text('a'), thinking('hm', 'c2ln')])), [
    'fatal A-thinking-last 2',
  ]);
  assert.deepEqual(
    await listFindings(
      turn()
        .assistant([toolUse('t1', 'no name!')])
        .result('t1')
        .assistant('a'),
    ),
    ['fatal A-role-order 2'],
  );
});

test('error messages of the client are only noted, but a last one that says the prompt is too long is fatal', async () => {
  const error = (says: string) =>
    transcript()
      .user('go')
      .assistant([text(says)], { isApiErrorMessage: true, message: { model: '<synthetic>' } });
  assert.deepEqual(await listFindings(error('API Error: 529').user('again').assistant('yes')), ['info A-error-echo 2']);
  assert.deepEqual(await listFindings(error('Prompt is too long')), ['fatal A-too-long 2', 'info A-error-echo 2']);
  assert.deepEqual(await listFindings(error('Prompt is too long').boundary().summary('so far').assistant('yes')), []);
});
