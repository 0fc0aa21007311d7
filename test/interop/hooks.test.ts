// Hooks of every event, the same settings and the same script: the real client against Clew. The sequence of the
// events in the main conversation and the names of their fields agree, but for the differences listed here.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { hookNames } from '../../src/agent/contract/hook.ts';
import { isObject, type JsonObject, parseJson } from '../../src/base/json/json.ts';
import { clientEnvironment, clientSettings } from '../../src/doctor/client-probe/client-run.ts';
import { clew } from '../support/dist.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { clientOf } from './live.ts';
import { startMockApi } from './mock-api.ts';
import type { Answer, ScriptBlock } from './mock-reply.ts';

const execFileAsync = promisify(execFile);

/** Events of the client that Clew does not have (docs/hooks.md). */
const clientOnly: ReadonlySet<string> = new Set(['InstructionsLoaded', 'MessageDisplay']);
/** Fields that only one of them sends, by event. */
const fieldDifferences: Readonly<Record<string, readonly string[]>> = {
  // The client suggests a mode, Clew the rules that would allow the call, if there are any.
  PermissionRequest: ['permission_suggestions'],
};

const steps: readonly (readonly ScriptBlock[])[] = [
  [toolUse('Bash', { command: 'echo ok' })],
  [toolUse('Bash', { command: 'exit 3' })],
  [toolUse('Read', { file_path: '/nonexistent/x' })],
  [toolUse('Write', { file_path: 'a.txt', content: 'x' })],
  [toolUse('Bash', { command: 'mkdir -p d && cd d' })],
  [toolUse('NoSuchTool', { a: 1 })],
  [
    toolUse('Agent', {
      description: 'Do',
      prompt: 'SUBTASK',
      subagent_type: 'general-purpose',
      run_in_background: false,
    }),
  ],
  [{ type: 'text', text: 'done' }],
];

test('2.1.325 and Clew run the same hooks with the same fields', async (t) => {
  const [client, recorded] = await Promise.all([
    record(temporaryFolder(t), await clientOf('2.1.325'), []),
    record(temporaryFolder(t), process.execPath, [clew]),
  ]);
  const isShared = ({ hook_event_name: name }: JsonObject): boolean => !clientOnly.has(String(name));
  const shared = inOrder(client.filter(isShared));
  const own = inOrder(recorded);
  assert.deepEqual(own.map(nameOf), shared.map(nameOf));
  for (const [i, input] of shared.entries()) {
    const name = String(input.hook_event_name);
    const excepted = new Set(fieldDifferences[name] ?? []);
    const fields = (each: JsonObject | undefined): string[] =>
      Object.keys(each ?? {})
        .filter((field) => !excepted.has(field))
        .sort();
    assert.deepEqual([nameOf(input), fields(own[i])], [nameOf(input), fields(input)]);
  }
});

/** The client does not wait for CwdChanged: it comes before or after PostToolUse. */
function inOrder(inputs: readonly JsonObject[]): readonly JsonObject[] {
  const isLoose = ({ hook_event_name: name }: JsonObject): boolean => name === 'CwdChanged';
  return [...inputs.filter((each) => !isLoose(each)), ...inputs.filter(isLoose)];
}

function nameOf({ hook_event_name: name, tool_name: tool, agent_type: agent }: JsonObject): string {
  return [name, tool, agent].filter((each) => each !== undefined).join(' ');
}

function toolUse(name: string, input: JsonObject): ScriptBlock {
  return { type: 'tool_use', id: `toolu_${name}_${JSON.stringify(input).length}`, name, input };
}

/** Runs a session in which every event is recorded, and returns the inputs of the hooks in their order. */
async function record(folder: string, program: string, args: readonly string[]): Promise<readonly JsonObject[]> {
  const [home, workspace] = [path.join(folder, 'home'), path.join(folder, 'project')];
  for (const made of [path.join(home, '.claude'), workspace]) mkdirSync(made, { recursive: true });
  writeFileSync(path.join(home, '.claude.json'), clientSettings(workspace));
  const recording = path.join(folder, 'recording.jsonl');
  const command = `(flock 9; cat >> ${recording}; echo >> ${recording}) 9>>${folder}/lock`;
  const hooks = Object.fromEntries(hookNames.map((name) => [name, [{ hooks: [{ type: 'command', command }] }]]));
  // Its output is the path of a folder.
  delete hooks.WorktreeCreate;
  writeFileSync(path.join(home, '.claude/settings.json'), JSON.stringify({ hooks }));
  let main = 0;
  let sub = 0;
  const mock = await startMockApi({
    answer: ({ body }): Answer | undefined => {
      const tools = body.tools;
      if (!Array.isArray(tools) || tools.length === 0) return undefined;
      const isSub = !JSON.stringify(body.messages).includes('MAINTASK');
      if (isSub)
        return sub++ === 0
          ? { blocks: [toolUse('Bash', { command: 'echo in sub' })], stopReason: 'tool_use' }
          : { blocks: [{ type: 'text', text: 'sub report' }] };
      const blocks = steps[Math.min(main++, steps.length - 1)] ?? [];
      return { blocks, stopReason: blocks[0]?.type === 'tool_use' ? 'tool_use' : 'end_turn' };
    },
  });
  try {
    const env = clientEnvironment(program, home, { ANTHROPIC_BASE_URL: `http://127.0.0.1:${mock.port}` });
    const flags = ['-p', 'MAINTASK', '--allowedTools', 'Bash', 'Read', 'Agent'];
    const running = execFileAsync(program, [...args, ...flags], {
      cwd: workspace,
      env: { ...env, CLEW_HOME: path.join(folder, 'state') },
      timeout: 120_000,
    });
    running.child.stdin?.end();
    await running;
  } finally {
    await mock.close();
  }
  return readFileSync(recording, 'utf8').split('\n').map(parseJson).filter(isObject);
}
