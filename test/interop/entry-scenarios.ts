// The conversations whose entries are compared: the same scripts for our agent and for the client.
import type { JsonObject } from '../../src/base/json/json.ts';
import { tinyImage } from '../support/tiny-images.ts';
import type { Failure, ScriptBlock } from './mock-reply.ts';
import { scenarios as roundTrips } from './round-trip-scenarios.ts';
import { scenarioScripts } from './scripts.ts';
import type { Program, SharedHome, SharedHomeOptions, Turn } from './shared-home.ts';

export interface Conversation extends Partial<SharedHomeOptions> {
  readonly turns: readonly ((home: SharedHome, program: Program) => Turn)[];
}

const project = {
  'README.md': '# My Project\n\nA CLI tool for managing widgets.\n',
  'src/a.js': 'export const a = 1;\n',
  'src/b.js': 'export const b = 2;\n',
};

function text(value: string): ScriptBlock {
  return { type: 'text', text: value };
}

function call(name: string, input: JsonObject): ScriptBlock {
  return { type: 'tool_use', name, input };
}

function asks(...prompts: readonly string[]): Conversation['turns'] {
  return prompts.map((prompt, i) => () => ({ prompt, args: i === 0 ? [] : ['--continue'] }));
}

/** A conversation of the round trips, one step of it. */
function fromRoundTrip(name: string): Conversation {
  const scenario = roundTrips[name];
  if (scenario === undefined) throw new Error(`there is no round trip "${name}"`);
  const turn = (home: SharedHome, program: Program) => scenario.turn('step-1', home, program);
  return { files: scenario.files ?? {}, scripts: scenario.scripts, turns: [turn] };
}

const overloaded: Failure = {
  status: 529,
  errorType: 'overloaded_error',
  message: 'Overloaded',
  headers: { 'retry-after': '0' },
};

/** The first request is refused, the second one answered. */
function failsOnce(): NonNullable<SharedHomeOptions['answer']> {
  let count = 0;
  return ({ kind }) => (kind.startsWith('plain') && count++ === 0 ? overloaded : undefined);
}

export const conversations: Readonly<Record<string, () => Conversation>> = {
  plain: () => ({ turns: asks('Hi [[plain]]') }),
  resume: () => ({ turns: asks('Hi [[plain]]', 'And again [[second]]') }),
  'tools in parallel': () => fromRoundTrip('tools in parallel'),
  'failing tools': () => fromRoundTrip('failing tools'),
  thinking: () => fromRoundTrip('thinking'),
  images: () => fromRoundTrip('images'),
  'sub-agents': () => fromRoundTrip('sub-agents'),
  'background agent': () => fromRoundTrip('background agent'),
  'slash command': () => fromRoundTrip('slash command'),
  compaction: () => ({ ...fromRoundTrip('compaction'), model: 'claude-sonnet-4-5-20250929' }),
  'an interrupt in a tool': () => fromRoundTrip('interrupt in a tool'),
  'an interrupt in a text': () => ({
    turns: [
      () => ({
        prompt: '',
        messages: [user('Go [[hangtext]]')],
        stop: async (running) => {
          await until(() => running.requests.some(({ kind }) => kind === 'hangtext#0'));
          // The text that has arrived is on no disk and on no screen yet.
          await new Promise((resolve) => setTimeout(resolve, 700));
          running.send({ type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } });
          await until(() => running.stdout().includes('"type":"result"'));
          return undefined;
        },
      }),
    ],
  }),
  'edits with file history': () => ({
    scripts: (folder) => ({
      edits: [
        { blocks: [call('Read', { file_path: `${folder}/src/a.js` })] },
        {
          blocks: [
            call('Edit', { file_path: `${folder}/src/a.js`, old_string: '1', new_string: '2' }),
            call('Write', { file_path: `${folder}/src/new.js`, content: 'export {};\n' }),
          ],
        },
        { blocks: [text('Edited.')] },
      ],
    }),
    turns: [() => ({ prompt: 'Edit [[edits]]', env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1' } })],
  }),
  'a request that is sent again': () => ({
    answer: failsOnce(),
    turns: [() => ({ prompt: 'Hi [[plain]]', env: { CLAUDE_CODE_MAX_RETRIES: '2' } })],
  }),
  'a request that fails': () => ({ turns: asks('Hi [[err400]]') }),
  'an answer at the output limit': () => ({ turns: asks('Hi [[maxtokens]]') }),
  'plan mode': () => ({
    asks: true,
    scripts: (folder) => ({
      plan: [{ blocks: [call('Read', { file_path: `${folder}/README.md` })] }, { blocks: [text('That is the plan.')] }],
    }),
    turns: [() => ({ prompt: 'Plan [[plan]]', args: ['--permission-mode', 'plan'] })],
  }),
  'refused calls': () => ({
    asks: true,
    claude: { 'settings.json': JSON.stringify({ permissions: { deny: ['Bash(git status)'] } }) },
    scripts: (folder) => ({
      refused: [
        {
          blocks: [
            call('Bash', { command: 'git status', description: 'Status' }),
            call('Write', { file_path: `${folder}/n.txt`, content: 'x' }),
          ],
        },
        { blocks: [text('Refused.')] },
      ],
    }),
    turns: [() => ({ prompt: 'Try [[refused]]', args: ['--permission-mode', 'default'] })],
  }),
};

export const defaults: Pick<SharedHomeOptions, 'files' | 'scripts' | 'model'> = {
  files: { ...project, 'dot.png': tinyImage('png', 8, 8) },
  scripts: scenarioScripts,
  model: 'claude-opus-5-5',
};

function user(prompt: string): object {
  return { type: 'user', message: { role: 'user', content: [{ type: 'text', text: prompt }] } };
}

async function until(done: () => boolean): Promise<void> {
  const end = Date.now() + 60_000;
  while (!done()) {
    if (Date.now() > end) throw new Error('nothing happened for a minute');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
