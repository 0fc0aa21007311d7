// The documented examples of the Agent SDK against the real client and against Clew, on the same mock: the messages that
// the program gets agree in kind, order and field names, and its callbacks see the same. What differs is in the tables
// below, each with its reason. test/interop/print-messages.test.ts checks the values and the types.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asObject, type JsonObject } from '../../src/base/json/json.ts';
import { installClient } from './client.ts';
import { examples } from './sdk-examples.ts';
import { type ExampleRun, kindOf, runExample } from './sdk-run.ts';

const version = '2.1.325';

/** Messages that are not compared. */
const leftOut: ReadonlySet<string> = new Set([
  // The state of a message in the client's queue; Clew does not announce the capability for it.
  'command_lifecycle undefined',
  // For the client's own screen.
  ...['system/background_tasks_changed', 'system/notification'],
  // Sub-agents and commands as tasks: the tests of background work.
  ...['system/task_started', 'system/task_progress', 'system/task_updated', 'system/task_notification'],
]);

/** The client repeats a change of the model as the output of a command. */
function isRepeated({ type, message }: JsonObject): boolean {
  const content = type === 'user' ? asObject(message)?.content : undefined;
  return typeof content === 'string' && content.startsWith('<local-command-stdout>');
}

/** Fields of messages that only the client has. */
const onlyTheirs: Readonly<Record<string, readonly string[]>> = {
  // Paths, sockets and switches of the client itself.
  'system/init': [
    ...['analytics_disabled', 'capabilities', 'fast_mode_disabled_reason', 'memory_paths', 'messaging_socket_path'],
    ...['original_cwd', 'additional_directories', 'per_turn_effort_active', 'product_feedback_disabled', 'view_mode'],
    ...['terminal_slash_commands', 'ultrathink_available', 'ultrathink_typed_raises', 'user_message_uuids'],
  ],
  // The id that the program gave the prompt, repeated.
  assistant: ['user_message_uuid', 'user_message_uuids', 'tool_use_meta'],
  // Who decided about the call; the SDK's types do not have it.
  'user tool_result': ['tool_result_meta'],
  // Statistics of the client.
  result: [
    ...['fast_mode_disabled_reason', 'first_content_frame_ms', 'first_request_cache_read_input_tokens'],
    ...['first_request_input_tokens', 'model_usage_since_last_result', 'request_sent_wall_ms', 'safety_stops'],
    ...['subagent_stats', 'user_message_uuid', 'user_message_uuids'],
  ],
  // Which kind of reason refused the call; `message` says it.
  'system/permission_denied': ['decision_reason_type'],
  // Clew has one kind of notice for everything that a hook says.
  'system/informational': ['tag'],
};

/** Fields that only Clew has: its own version. */
const onlyOurs: Readonly<Record<string, readonly string[]>> = { 'system/init': ['clew_version'] };

for (const [name, example] of Object.entries(examples))
  test(name, { timeout: 300_000 }, async () => {
    const client = await installClient(version);
    const theirs = await runExample(example, client, 'client');
    const ours = await runExample(example, client, 'clew');
    assert.ok(theirs.messages.length > 0);
    assert.deepEqual(ours.notes, theirs.notes);
    assert.deepEqual(compared(ours).map(kindOf), compared(theirs).map(kindOf));
    assert.deepEqual(fieldsOf(ours, onlyOurs), fieldsOf(theirs, onlyTheirs));
  });

function compared({ messages }: ExampleRun): readonly JsonObject[] {
  return messages.filter((message) => !leftOut.has(kindOf(message)) && !isRepeated(message));
}

/** The field names of each message, in the order of the stream. */
function fieldsOf(run: ExampleRun, allowed: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return compared(run).map((message) => {
    const kind = kindOf(message);
    const left = new Set([...(allowed[kind] ?? []), ...(allowed[String(message.type)] ?? [])]);
    const names = Object.keys(message).filter((field) => !left.has(field));
    return `${kind}: ${names.sort().join(' ')}`;
  });
}
