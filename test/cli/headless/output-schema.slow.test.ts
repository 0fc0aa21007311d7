// `--json-schema`: the answer in a format that the caller wants. The sequences were measured with the client 2.1.325.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calls, kindsOf, says, startHeadless } from '../../support/headless-kit.ts';

const stream = ['--output-format', 'stream-json', '--verbose'] as const;
const schema = JSON.stringify({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] });
const wrong = calls(['StructuredOutput', { n: 'x' }]);
const right = calls(['StructuredOutput', { n: 4 }]);

test('an input that does not match is a failed call with the reason; one that matches ends the turn', async (t) => {
  const kit = await startHeadless(t, [wrong, right, says('too much')]);
  const { status, messages, result } = await kit.print(['-p', 'go', ...stream, '--json-schema', schema]);
  assert.deepEqual(kindsOf(messages), [
    'system/init',
    'assistant tool_use',
    'user tool_result',
    'assistant tool_use',
    'user tool_result',
    'result/success',
  ]);
  assert.match(JSON.stringify(messages[2]), /Output does not match required schema: \/n: must be number/);
  const { structured_output, result: text, num_turns, is_error, stop_reason } = result;
  assert.deepEqual(
    [status, structured_output, text, num_turns, is_error, stop_reason],
    [0, { n: 4 }, '{"n":4}', 3, false, 'tool_use'],
  );
  assert.equal(kit.bodies().length, 2);
});

test('the other calls of the same answer run, and a text format prints the JSON', async (t) => {
  const kit = await startHeadless(t, [{ blocks: [...calls(['Bash', { command: 'echo 1' }]).blocks, ...right.blocks] }]);
  const { stdout } = await kit.print(['-p', 'go', '--json-schema', schema]);
  assert.equal(stdout, '{"n":4}\n');
  assert.equal(kit.bodies().length, 1);
});

test('an answer without the call is asked for it once', async (t) => {
  const kit = await startHeadless(t, [says('no'), right]);
  const { result } = await kit.print(['-p', 'go', ...stream, '--json-schema', schema]);
  assert.deepEqual([result.structured_output, result.num_turns], [{ n: 4 }, 3]);
  const never = await startHeadless(t, () => says('no tool'));
  const ended = await never.print(['-p', 'go', ...stream, '--json-schema', schema]);
  const { subtype, num_turns, structured_output, result: text } = ended.result;
  assert.deepEqual(
    [ended.status, subtype, num_turns, structured_output, text, never.bodies().length],
    [0, 'success', 2, undefined, 'no tool', 2],
  );
});

test('after five inputs that do not match, or as many as the environment says, the turn ends with its own error', async (t) => {
  const kit = await startHeadless(t, () => wrong);
  const five = await kit.print(['-p', 'go', ...stream, '--json-schema', schema]);
  const { subtype, terminal_reason, is_error, num_turns } = five.result;
  assert.deepEqual(
    [five.status, subtype, terminal_reason, is_error, num_turns, kit.bodies().length],
    [1, 'error_max_structured_output_retries', 'structured_output_retry_exhausted', true, 6, 5],
  );
  const two = await kit.print(['-p', 'go', ...stream, '--json-schema', schema], '', {
    MAX_STRUCTURED_OUTPUT_RETRIES: '2',
  });
  assert.equal(two.result.num_turns, 3);
});

test('a sub-agent does not have the tool; a value that is not a schema is refused before a session is made', async (t) => {
  const kit = await startHeadless(t, [
    calls(['Agent', { description: 'd', prompt: 'p', subagent_type: 'general-purpose' }]),
    says('of the agent'),
    right,
  ]);
  await kit.print(['-p', 'go', ...stream, '--json-schema', schema]);
  const [main, agent] = kit.bodies().map((body) => JSON.stringify(body.tools).includes('StructuredOutput'));
  assert.deepEqual([main, agent], [true, false]);
  const dialect = JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...JSON.parse(schema) });
  const table = {
    '{bad': /the value of --json-schema is not a JSON object/,
    '{"type":"nope"}': /does not describe an object/,
    '{"type":"object","properties":{"n":{"type":"nope"}}}': /the JSON Schema of the output is not valid/,
  };
  for (const [value, message] of Object.entries(table)) {
    const { status, stderr } = await kit.print(['-p', 'go', '--json-schema', value]);
    assert.deepEqual([status, message.test(stderr)], [2, true], stderr);
  }
  const other = await startHeadless(t, [wrong, right]);
  const { result } = await other.print(['-p', 'go', ...stream, '--json-schema', dialect]);
  assert.deepEqual([result.structured_output, result.num_turns], [{ n: 4 }, 3]);
});
