import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { runClew } from '../../support/clew.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

for (const args of [[], ['--output-format', 'json'], ['--continue', '--fork-session']]) {
  test(`without a key nothing is written: ${['-p', 'hello', ...args].join(' ')}`, (context) => {
    const folder = temporaryFolder(context);
    const env = { HOME: folder, CLEW_HOME: path.join(folder, 'state'), CLAUDE_CONFIG_DIR: path.join(folder, 'claude') };
    const { status, stdout, stderr } = runClew(['-p', 'hello', ...args], { env, isAlone: true });
    assert.equal(status, 1);
    assert.match(
      `${stdout}${stderr}`,
      /ANTHROPIC_API_KEY is not set; set it in the environment or in "env" of .*, or set "apiKeyHelper" there .*, or choose another endpoint: /,
    );
    assert.deepEqual(readdirSync(folder), []);
  });
}

test('without a key the SDK gets the name of the error', (context) => {
  const folder = temporaryFolder(context);
  const env = { HOME: folder, CLEW_HOME: path.join(folder, 'state'), CLAUDE_CONFIG_DIR: path.join(folder, 'claude') };
  const args = ['-p', 'hello', '--output-format', 'stream-json', '--verbose'];
  const { status, stdout } = runClew(args, { env, isAlone: true });
  const messages = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.equal(status, 1);
  assert.deepEqual(
    messages.map(({ type, error, is_error: isError }) => [type, error, isError]),
    [
      ['assistant', 'authentication_failed', undefined],
      ['result', undefined, true],
    ],
  );
});
