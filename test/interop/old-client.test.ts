// The chain that we say clients up to 2.1.45 take, held against what client 2.1.45 sends: the same calls with their
// results. What it makes of the lines (fillers, notes) is not compared.
import assert from 'node:assert/strict';
import path from 'node:path';
import { before, test } from 'node:test';
import { isArray, isObject, type JsonValue } from '../../src/base/json/json.ts';
import { oldResumeLines } from '../../src/session/resume/request/request.ts';
import { resultsOf } from '../../src/session/transcript/node.ts';
import { loadTranscript } from '../../src/session/transcript/transcript.ts';
import { installClient, resume, sessionFiles } from './client.ts';
import { corpusRealCases } from './recordings.ts';

const version = '2.1.45';
const step = 13;
let cli = '';

before(async () => {
  cli = await installClient(version);
});

const files = corpusRealCases()
  .filter((_, i) => i % step === 5)
  .map(({ file }) => file);
for (const file of files) {
  test(`client ${version} sends the results that we say it takes: ${path.basename(file)}`, async () => {
    const run = await resume({
      cli,
      files: await sessionFiles(file),
      sessionId: path.basename(file, '.jsonl'),
      prompt: 'next',
    });
    const resumed = oldResumeLines(loadTranscript(file, { strict: true }));
    const ours = ('lines' in resumed ? resumed.lines : []).flatMap((node) =>
      resultsOf(node).map((result) => result.toolUseId),
    );
    const sent = (run.sent ?? []).flatMap(({ content }) => resultIds(content as JsonValue)); // JSON, as it was sent
    assert.deepEqual([...sent].sort(), [...new Set(ours)].sort());
  });
}

function resultIds(content: JsonValue): unknown[] {
  if (!isArray(content)) return [];
  return content.flatMap((block) => (isObject(block) && block.type === 'tool_result' ? [block.tool_use_id] : []));
}
