// The example of docs/tracing.md, run as it is written against a server on loopback.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { cleanEnv } from '../support/clew.ts';
import { dist } from '../support/dist.ts';
import { projectRoot } from '../support/paths.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { startReceiver } from '../support/trace-receiver.ts';

const page = readFileSync(path.join(projectRoot, 'docs/tracing.md'), 'utf8');
// Grep counts 40 message ids and 35 tool_use blocks in the demo; with 13 turns and one sub-agent that makes 89 spans.
const example = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';

test('the example traces the demo sessions once, and the second run sends nothing', async (t) => {
  const receiver = await startReceiver(t);
  const env = {
    ...cleanEnv(),
    CLEW_HOME: temporaryFolder(t),
    CLEW_TRACE_ENDPOINT: receiver.url,
    CLEW_TRACE_FORMAT: 'json',
  };
  const run = async (): Promise<string[]> => {
    const args = ['--input-type=module', '-e', example];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: path.dirname(dist), env });
    assert.equal(stderr, '');
    return stdout.trimEnd().split('\n');
  };
  const first = await run();
  const counts = first.filter((line) => line.endsWith(' spans'));
  assert.deepEqual(counts, ['19 spans', '19 spans', '23 spans', '20 spans', '8 spans']);
  assert.deepEqual(first.slice(-2), ['89 0', 'default 89']);
  assert.equal(new Set(receiver.spans.map(({ spanId }) => spanId)).size, 89);
  assert.equal(receiver.spans.length, 89);
  const second = await run();
  assert.deepEqual(second.slice(-2), ['0 0', 'default 89']);
  assert.equal(receiver.spans.length, 89);
});
