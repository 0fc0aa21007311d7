// What `clew -p --output-format stream-json` prints satisfies the types of the Agent SDK 0.3.325, and has the sequence
// and the fields of what the client 2.1.325 prints for the same run on the same mock.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, isObject, type JsonObject } from '../../src/base/json/json.ts';
import { projectRoot } from '../support/paths.ts';
import { installClient, installPackage } from './client.ts';
import { printScenarios } from './print-scenarios.ts';
import { type PrintStream, printStream } from './print-streams.ts';

const sdk = '@anthropic-ai/claude-agent-sdk';

const client = await installClient('2.1.325');
const streams = new Map<string, { readonly client: PrintStream; readonly clew: PrintStream }>();
for (const [name, scenario] of Object.entries(printScenarios))
  streams.set(name, {
    client: await printStream(scenario, client, 'client'),
    clew: await printStream(scenario, client, 'clew'),
  });

/** Fields that Clew prints although the SDK's types do not name them, with the reason. */
const unlisted: Readonly<Record<string, readonly string[]>> = {
  // The client prints them too.
  assistant: ['is_api_error_message', 'api_error_status', 'api_error_type'],
  'result/success': ['api_error_type', 'unpriced_tokens'],
  'system/informational': ['prompt_submit_outcome'],
  // Clew's own: its version, and what went wrong before a retry.
  'system/init': ['clew_version'],
  'system/api_retry': ['error_message'],
};

test('every message satisfies SDKMessage', { timeout: 600_000 }, async (t) => {
  const manifest = await installPackage(sdk, '0.3.325', ['--omit=optional']);
  const messages = [...streams].flatMap(([name, { clew }]) =>
    clew.messages.filter(isOfSdk).map((message) => ({ name, message: withoutUnlisted(message) })),
  );
  const folder = mkdtempSync(path.join(path.dirname(manifest), '../../../clew-types-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const text = messages.map(
    ({ name, message }, i) => `// ${name}\nexport const m${i}: SDKMessage = ${JSON.stringify(message)};\n`,
  );
  const file = path.join(folder, 'messages.ts');
  writeFileSync(file, `import type { SDKMessage } from '${sdk}';\n${text.join('')}`);
  assert.deepEqual(problemsOf(file), []);
  // The check can fail: a message without a required field, and one with an unknown field.
  const [init = {}] = messages.map(({ message }) => message).filter(({ subtype }) => subtype === 'init');
  const { output_style: _, ...less } = init;
  const broken = [less, { ...init, no_such_field: 1 }];
  writeFileSync(
    file,
    `import type { SDKMessage } from '${sdk}';\n${broken.map((message, i) => `export const m${i}: SDKMessage = ${JSON.stringify(message)};\n`).join('')}`,
  );
  assert.equal(problemsOf(file).length, 2);
});

function isOfSdk({ type }: JsonObject): boolean {
  return type !== 'control_response' && type !== 'control_request';
}

function withoutUnlisted(message: JsonObject): JsonObject {
  const left = unlisted[kindOf(message).split(' ')[0] ?? ''] ?? [];
  const listed = Object.fromEntries(Object.entries(message).filter(([key]) => !left.includes(key)));
  // An event is passed on as the API sent it, and the mock leaves fields out.
  return message.type === 'stream_event' ? { ...listed, event: { type: 'message_stop' } } : listed;
}

/** The complaints of this repository's compiler, each with the name of its run. */
function problemsOf(file: string): readonly string[] {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2023',
    types: [],
  };
  const config = path.join(path.dirname(file), 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [path.basename(file)] }));
  const tsc = path.join(projectRoot, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(tsc, ['--pretty', 'false', '-p', config], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const source = readFileSync(file, 'utf8').split('\n');
  const problems = stdout.split('\n').flatMap((line) => {
    const [, number, text] = /^\S*messages\.ts\((\d+),\d+\): (error .*)$/.exec(line) ?? [];
    return number === undefined ? [] : [`${source[Number(number) - 2]}: ${text?.slice(0, 600)}`];
  });
  assert.equal(status === 0, problems.length === 0, stdout.slice(0, 2000));
  return problems;
}

/** Kinds of messages that are compared elsewhere or not at all, with the reason. */
const notCompared: ReadonlySet<string> = new Set([
  // Tasks: compared in the tests of background work.
  ...['task_started', 'task_progress', 'task_updated', 'task_notification', 'background_tasks_changed'].map(
    (name) => `system/${name}`,
  ),
  // For the client's own screen.
  'system/notification',
  // An estimate whose number depends on the sizes of the pieces.
  'system/thinking_tokens',
  // In another order: Clew prints the last block when its answer has ended.
  'stream_event',
  'control_response',
]);

/** Runs in which the agents behave differently on purpose: what Clew prints instead. */
const different: Readonly<Record<string, readonly string[]>> = {
  // The client does not run the calls of the answer that uses up the budget; Clew does, and then stops.
  budget: ['system/init', 'assistant', 'user', 'result/error_max_budget_usd'],
  // The client asks the model once more; Clew ends the turn.
  refusal: ['system/init', 'assistant', 'system/model_refusal_no_fallback', 'assistant error', 'result/success'],
};

/** The client ends this turn before it has counted the last answer. */
const countedOtherwise: ReadonlySet<string> = new Set(['json schema, never matched']);

test('the sequence of messages and the meaning of results are the client’s', () => {
  for (const [name, { client: theirs, clew: ours }] of streams) {
    assert.deepEqual(sequenceOf(ours), different[name] ?? sequenceOf(theirs), name);
    if (different[name] !== undefined) continue;
    assert.equal(ours.exitCode, theirs.exitCode, name);
    const meanings = ({ messages }: PrintStream) =>
      messages.filter(isResult).map((message) => meaningOf(message, countedOtherwise.has(name)));
    assert.deepEqual(meanings(ours), meanings(theirs), name);
  }
});

function sequenceOf({ messages }: PrintStream): readonly string[] {
  return messages.map(kindOf).filter((kind) => !notCompared.has(kind));
}

function kindOf(message: JsonObject): string {
  const { type, subtype, error, parent_tool_use_id: parent } = message;
  const kind = subtype === undefined ? String(type) : `${type}/${subtype}`;
  return `${kind}${type === 'assistant' && error !== undefined ? ' error' : ''}${typeof parent === 'string' ? ' of a sub-agent' : ''}`;
}

function isResult({ type }: JsonObject): boolean {
  return type === 'result';
}

/** The values of a result that do not depend on time, wording or ids. */
function meaningOf(message: JsonObject, withoutUsage: boolean): JsonObject {
  const { is_error, num_turns, terminal_reason, stop_reason, structured_output, result_index, local_command } = message;
  const { input_tokens, output_tokens, cache_read_input_tokens } = asObject(message.usage) ?? {};
  const models = Object.values(asObject(message.modelUsage) ?? {}).map((each) => asObject(each)?.inputTokens);
  const cents = Math.round(Number(message.total_cost_usd) * 1e3);
  const usage = withoutUsage ? [] : [input_tokens, output_tokens, cache_read_input_tokens];
  return JSON.parse(
    JSON.stringify({
      ...{ is_error, num_turns, terminal_reason, stop_reason, structured_output, result_index, local_command },
      usage,
      models,
      cents,
    }),
  ) as JsonObject; // drops what is undefined
}

interface FieldDifference {
  /** The client prints it, Clew does not. */
  readonly missing?: readonly string[];
  readonly extra?: readonly string[];
}

const ofResult = ['fast_mode_disabled_reason', 'model_usage_since_last_result', 'safety_stops', 'subagent_stats'];
const ofAnswer = ['message.container', 'message.diagnostics', 'message.stop_details'];

/**
 * All differences. None of the missing fields is required by the SDK's types: most are not named there. The types
 * require the extra fields of a message, which the client passes on only if the API sends them.
 */
const fieldDifferences: Readonly<Record<string, FieldDifference>> = {
  'system/init': {
    // Features that Clew does not have, and paths of the client's own files.
    missing: (
      'additional_directories analytics_disabled capabilities fast_mode_disabled_reason memory_paths ' +
      'messaging_socket_path original_cwd per_turn_effort_active product_feedback_disabled terminal_slash_commands ' +
      'ultrathink_available ultrathink_typed_raises view_mode'
    ).split(' '),
    extra: ['clew_version'],
  },
  assistant: {
    missing: [
      ...['thinking_display', 'thinking_duration_ms'],
      // Of a local command, as data; its text is in the message and in the result.
      ...['local_command_outcome', 'local_command_run', 'local_command_source'],
    ],
  },
  conversation_reset: { missing: ['user_message_uuid'] },
  'assistant error': { missing: ['refused_message_id'] },
  'assistant of a sub-agent': { extra: ofAnswer },
  // How the permission was decided: the SDK's types do not name it.
  user: { missing: ['refused_message_id', 'tool_result_meta'] },
  'user of a sub-agent': { missing: ['tool_result_meta'] },
  stream_event: { missing: ['api_message_id', 'thinking_display'] },
  'system/api_retry': { extra: ['error_message'] },
  // What the conversation has after a compaction is known with the next answer.
  'system/compact_boundary': {
    missing: ['compact_metadata.cumulative_dropped_tokens', 'compact_metadata.post_tokens', 'logical_parent_uuid'],
  },
  'system/model_refusal_no_fallback': {
    missing: ['api_refusal_category', 'api_refusal_explanation', 'refused_user_message_uuid'],
  },
  'result/success': { missing: [...ofResult, 'first_content_frame_ms'] },
  'result/error_during_execution': { missing: ofResult },
  'result/error_max_budget_usd': { missing: ofResult },
  'result/error_max_turns': { missing: ofResult },
  'result/error_max_structured_output_retries': { missing: ofResult },
};

test('the fields of each kind of message are the client’s, except those of the table', () => {
  const found: Record<string, FieldDifference> = {};
  const [ours, theirs] = [fieldsOf('clew'), fieldsOf('client')];
  for (const [kind, fields] of ours) {
    const wanted = theirs.get(kind) ?? new Set();
    const missing = [...wanted].filter((field) => !fields.has(field)).sort();
    const extra = [...fields].filter((field) => !wanted.has(field)).sort();
    if (missing.length + extra.length > 0)
      found[kind] = { ...(missing.length > 0 ? { missing } : {}), ...(extra.length > 0 ? { extra } : {}) };
  }
  const table = Object.entries(fieldDifferences).map(([kind, { missing, extra }]) => [
    kind,
    {
      ...(missing === undefined ? {} : { missing: [...missing].sort() }),
      ...(extra === undefined ? {} : { extra: [...extra].sort() }),
    },
  ]);
  assert.deepEqual(found, Object.fromEntries(table));
});

/** The names of the fields of each kind of message, in all runs together. */
function fieldsOf(who: 'client' | 'clew'): ReadonlyMap<string, ReadonlySet<string>> {
  const fields = new Map<string, Set<string>>();
  for (const message of [...streams.values()].flatMap((stream) => stream[who].messages)) {
    const kind = kindOf(message);
    if (notCompared.has(kind) && kind !== 'stream_event') continue;
    const names = fields.get(kind) ?? new Set<string>();
    for (const name of namesIn(message)) names.add(name);
    fields.set(kind, names);
  }
  return fields;
}

const inner = ['message', 'usage', 'compact_metadata'];

function namesIn(message: JsonObject): readonly string[] {
  const below = inner.flatMap((name) => {
    const value = message[name];
    return isObject(value) ? Object.keys(value).map((key) => `${name}.${key}`) : [];
  });
  const models = Object.values(asObject(message.modelUsage) ?? {}).flatMap((model) =>
    Object.keys(asObject(model) ?? {}),
  );
  return [...Object.keys(message), ...below, ...models.map((key) => `modelUsage.${key}`)];
}
