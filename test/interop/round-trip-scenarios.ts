// The scenarios of the round trips: what each program is asked to do when it is its turn.
import type { JsonObject } from '../../src/base/json/json.ts';
import { signature } from '../support/signature.ts';
import { tinyImage } from '../support/tiny-images.ts';
import type { ScriptBlock } from './mock-reply.ts';
import type { Scenario } from './round-trip.ts';
import { scenarioScripts } from './scripts.ts';
import type { RunningTurn, SharedHome, Turn } from './shared-home.ts';

const project = {
  'README.md': '# My Project\n\nA CLI tool for managing widgets.\n',
  'src/a.js': 'export const a = 1;\n',
  'src/b.js': 'export const b = 2;\n',
};

const picture = tinyImage('png', 8, 8);

function text(value: string): ScriptBlock {
  return { type: 'text', text: value };
}

function call(name: string, input: JsonObject): ScriptBlock {
  return { type: 'tool_use', name, input };
}

function says(marker: string): (step: string) => Turn {
  return (step) => ({ prompt: `Do ${step} [[${marker}]]` });
}

function user(...content: readonly JsonObject[]): object {
  return { type: 'user', message: { role: 'user', content } };
}

function image(): JsonObject {
  const data = picture.toString('base64');
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
}

/** Waits until a line of the session matches. */
async function written(home: SharedHome, wanted: (lines: string) => boolean): Promise<void> {
  await waitFor(() => home.lines().some((lines) => wanted(lines)));
}

async function waitFor(done: () => boolean): Promise<void> {
  const end = Date.now() + 60_000;
  while (!done()) {
    if (Date.now() > end) throw new Error('nothing happened for a minute');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** A prompt that arrives during a turn would become part of it. */
async function sendInTurn(running: RunningTurn, prompts: readonly string[]): Promise<undefined> {
  for (const [i, text] of prompts.entries()) {
    running.send(user({ type: 'text', text }));
    await waitFor(() => running.stdout().split('"type":"result"').length > i + 1);
  }
}

async function interruptTool(running: RunningTurn, home: SharedHome, step: string): Promise<undefined> {
  await waitFor(() => running.requests.some(({ kind }) => kind.startsWith('wait#')));
  await waitFor(() => home.has(`started-${step}`));
  running.send({ type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } });
  await waitFor(() => running.stdout().includes('"type":"result"'));
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  plain: { scripts: scenarioScripts, turn: says('plain'), holds: /Hello! I can help/ },
  'tools in parallel': {
    files: project,
    scripts: () => ({
      parallel: [
        {
          blocks: [
            text('I look at three things.'),
            call('Read', { file_path: 'src/a.js' }),
            call('Read', { file_path: 'src/b.js' }),
            call('Bash', { command: 'ls src', description: 'List' }),
          ],
        },
        {
          blocks: [
            call('Bash', { command: 'echo one', description: 'One' }),
            call('Bash', { command: 'echo two', description: 'Two' }),
          ],
        },
        { blocks: [text('Seen.')] },
      ],
    }),
    turn: says('parallel'),
    holds: /"name":"Read"/,
  },
  'failing tools': {
    files: project,
    scripts: () => ({
      failing: [
        {
          blocks: [
            call('Bash', { command: 'echo before; exit 3', description: 'Fail' }),
            call('Read', { file_path: 'missing.txt' }),
            call('Edit', { file_path: 'README.md', old_string: 'NOT THERE', new_string: 'x' }),
          ],
        },
        { blocks: [call('Read', {}), call('NoSuchTool', { a: 1 })] },
        { blocks: [text('All failed.')] },
      ],
    }),
    turn: says('failing'),
    holds: /"is_error":true/,
  },
  thinking: {
    files: project,
    scripts: () => ({
      thinking: [
        {
          blocks: [
            { type: 'thinking', thinking: 'I read it first.', signature: signature(60) },
            text('Let me look.'),
            call('Read', { file_path: 'README.md' }),
          ],
        },
        {
          blocks: [
            { type: 'thinking', thinking: 'It is a tool.', signature: signature(61) },
            text('It is a tool for widgets.'),
          ],
        },
      ],
    }),
    turn: says('thinking'),
    holds: /"type":"thinking"/,
  },
  images: {
    files: { ...project, 'dot.png': picture },
    scripts: scenarioScripts,
    turn: (step) => ({ prompt: '', messages: [user({ type: 'text', text: `See ${step} [[readimage]]` }, image())] }),
    holds: /"type":"image"/,
  },
  'sub-agents': {
    files: project,
    scripts: scenarioScripts,
    turn: says('agent'),
    holds: /totalToolUseCount/,
  },
  'background agent': {
    files: project,
    scripts: scenarioScripts,
    turn: says('agent-bg'),
    holds: /async_launched/,
  },
  'slash command': {
    files: { ...project, '.claude/commands/look.md': '---\ndescription: look\n---\nLook at $ARGUMENTS [[looks]]\n' },
    scripts: () => ({
      looks: [{ blocks: [call('Read', { file_path: 'README.md' })] }, { blocks: [text('Looked.')] }],
    }),
    turn: (step) => ({ prompt: `/look ${step}` }),
    holds: /<command-name>\/look<\/command-name>/,
  },
  compaction: {
    files: project,
    scripts: () => ({
      long: [
        { blocks: [call('Read', { file_path: 'README.md' })], usage: { input_tokens: 195_000 } },
        { blocks: [text('Still here.')] },
      ],
      after: [{ blocks: [text('After the summary.')] }],
    }),
    // Our agent compacts because the context is full, the client because it is asked to.
    turn: (step, _, program) => ({
      prompt: '',
      messages: [],
      stop: (running) =>
        sendInTurn(running, [
          `Do ${step} [[long]]`,
          ...(program === 'clew' ? [] : ['/compact']),
          `Continue after ${step} [[after]]`,
        ]),
    }),
    holds: /compact_boundary/,
  },
  'interrupt in a tool': {
    files: project,
    scripts: (folder) => ({
      wait: [
        (request) => ({
          blocks: [
            text('I wait.'),
            call('Bash', { command: `touch ${folder}/started-${stepOf(request)}; sleep 40`, description: 'Wait' }),
          ],
        }),
        { blocks: [text('Waited.')] },
      ],
    }),
    turn: (step, home) => ({
      prompt: '',
      messages: [user({ type: 'text', text: `Do ${step} [[wait]]` })],
      stop: (running) => interruptTool(running, home, step),
    }),
    holds: /Request interrupted by user for tool use/,
    isBroken: true,
  },
  'large output and edited files': {
    files: { ...project, 'big.txt': 'a line of text\n'.repeat(5000) },
    scripts: (folder) => ({
      edits: [
        { blocks: [call('Bash', { command: 'seq 1 20000', description: 'Large output' })] },
        { blocks: [call('Read', { file_path: `${folder}/src/a.js` })] },
        (request) => ({
          blocks: [
            call('Edit', {
              file_path: `${folder}/src/a.js`,
              old_string: 'export',
              new_string: `/* ${stepOf(request)} */ export`,
            }),
            call('Write', { file_path: `${folder}/src/${stepOf(request)}.js`, content: 'export {};\n' }),
          ],
        }),
        { blocks: [text('Edited.')] },
      ],
    }),
    turn: says('edits'),
    holds: /structuredPatch/,
  },
  'killed in a tool': {
    files: project,
    scripts: (folder) => ({
      wait: [
        (request) => ({
          blocks: [
            text('I wait.'),
            call('Bash', { command: `touch ${folder}/started-${stepOf(request)}; sleep 3`, description: 'Wait' }),
          ],
        }),
        { blocks: [text('Waited.')] },
      ],
    }),
    turn: (step, home) => ({
      prompt: `Do ${step} [[wait]]`,
      stop: async () => {
        await waitFor(() => home.has(`started-${step}`));
        await written(home, (lines) => lines.split(`touch ${home.cwd}/started-${step};`).length > 1);
        return 'SIGKILL';
      },
    }),
    holds: /"name":"Bash"/,
    isBroken: true,
  },
};

/** The newest step that a request names. */
function stepOf(request: JsonObject): string {
  return [...JSON.stringify(request.messages).matchAll(/Do (step-\d+)/g)].at(-1)?.[1] ?? '';
}
