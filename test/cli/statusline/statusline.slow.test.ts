// clew statusline with input of any kind.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { place, statusline } from '../statusline-kit.ts';

test('whatever comes in, stdout holds no error and the exit code is 0', (context) => {
  const { env, line, file } = place(context);
  const inputs = [
    '',
    'not json',
    '[]',
    'null',
    '{"transcript_path": 5, "model": "x"}',
    '{"transcript_path": "/no/such/file.jsonl"}',
    `{"transcript_path": ${JSON.stringify(path.dirname(file))}}`,
    '{"context_window": {"context_window_size": -1}, "model": {"id": null}}',
  ];
  for (const input of inputs) {
    assert.deepEqual([input, line(input)], [input, { status: 0, stdout: '$0.00 session · $0.05 today\n', stderr: '' }]);
  }
  const broken = path.join(temporaryFolder(context), 'file');
  writeFileSync(broken, '');
  const { status, stdout, stderr } = statusline('{}', { ...env, CLEW_HOME: path.join(broken, 'below') });
  assert.deepEqual([status, stdout], [0, '$0.00 session · $0.05 today\n']);
  assert.match(stderr, /^clew: .* cannot be written \(ENOTDIR\); set CLEW_HOME to a folder you may write to\n$/);
});
