// New ids are found without the content of a line, and mean the same as with it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/index.ts';
import { loadTranscript } from '../../../src/session/transcript/index.ts';
import { originEdits, rewriteLines, sessionIdEdits } from '../../../src/surgery/engine/index.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

function renamed(context: TestContext, lines: readonly string[]): readonly string[] {
  const file = path.join(temporaryFolder(context), 'a.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const transcript = loadTranscript(file, { strict: true });
  const origin = originEdits('old', [transcript]);
  const renames = (entry: JsonObject) => [...sessionIdEdits(entry, 'new'), ...origin(entry)];
  return [...rewriteLines(transcript, { renames })].map(({ bytes }) => bytes.toString());
}

const from = '"forkedFrom":{"sessionId":"old","messageUuid":"u1"}';

test('a line gets its ids wherever its content is', (context) => {
  assert.deepEqual(
    renamed(context, [
      '{"type":"user","message":{"role":"user","content":"sessionId"},"uuid":"u1","sessionId":"old"}',
      '{"sessionId":"old","toolUseResult":{"sessionId":"old"},"uuid":"u1","type":"assistant","message":{}}',
      '{"type":"progress","data":{"sessionId":"old"},"sessionId":"old","uuid":"u1"}',
    ]),
    [
      `{"type":"user","message":{"role":"user","content":"sessionId"},"uuid":"u1","sessionId":"new",${from}}`,
      `{"sessionId":"new","toolUseResult":{"sessionId":"old"},"uuid":"u1","type":"assistant","message":{},${from}}`,
      '{"type":"progress","data":{"sessionId":"old"},"sessionId":"new","uuid":"u1"}',
    ],
  );
});

test('a line without a type is known by the role of its message', (context) => {
  assert.deepEqual(
    renamed(context, [
      '{"message":{"role":"assistant","content":[]},"uuid":"u1"}',
      '{"message":{"role":"x"},"uuid":"u1"}',
    ]),
    [`{"message":{"role":"assistant","content":[]},"uuid":"u1",${from}}`, '{"message":{"role":"x"},"uuid":"u1"}'],
  );
});
