// What the mock answers in each scenario: name of the marker → steps. The recordings of the real client were made
// with these; `folder` is the project the client works in.
import { isArray, isObject, type JsonObject } from '../../src/base/json/json.ts';
import type { ScriptBlock, Scripts } from './mock-reply.ts';

export function scenarioScripts(folder: string): Scripts {
  return {
    ...conversations(folder),
    ...toolUse(folder),
    ...subAgents(folder),
    ...failures(),
    ...interactions(folder),
  };
}

function conversations(folder: string): Scripts {
  return {
    plain: [{ blocks: [text('Hello! I can help with the widgets project.')] }],
    second: [{ blocks: [text('This is the second answer.')] }],
    thinking: [
      {
        blocks: [
          thinking('The user wants the README. I should read it first.'),
          text('Let me look at the README.'),
          call('Read', { file_path: `${folder}/README.md` }),
        ],
      },
      {
        blocks: [
          thinking('The README says it is a CLI for widgets.'),
          text('This project is a CLI tool for managing widgets.'),
        ],
      },
    ],
    slow: [
      {
        delayMs: 500,
        blocks: [
          thinking('Slow thought.'),
          text('Slow text.'),
          call('Read', { file_path: `${folder}/README.md` }),
          call('Bash', { command: 'echo hi', description: 'Echo' }),
        ],
      },
      { delayMs: 500, blocks: [thinking('Second thought.'), text('Slow done.')] },
    ],
    image: [{ blocks: [text('I see a tiny red image.')] }],
    skill: [{ blocks: [text('I followed the command.')] }],
  };
}

function toolUse(folder: string): Scripts {
  return {
    tools: [
      {
        blocks: [
          text('I will look around first.'),
          call('Read', { file_path: `${folder}/README.md` }),
          call('Glob', { pattern: '**/*.js' }),
          call('Grep', { pattern: 'widget', output_mode: 'files_with_matches' }),
        ],
      },
      { blocks: [call('Bash', { command: 'echo out; echo err >&2; ls src', description: 'List sources' })] },
      { blocks: [call('Write', { file_path: `${folder}/src/new.js`, content: 'export const answer = 41;\n' })] },
      { blocks: [call('Edit', { file_path: `${folder}/src/new.js`, old_string: '41', new_string: '42' })] },
      (request) => ({ blocks: offers(request, 'TodoWrite') ? [todos('in_progress', 'pending')] : createTasks() }),
      (request) => ({
        blocks: offers(request, 'TodoWrite')
          ? [todos('completed', 'completed')]
          : [call('TaskUpdate', { taskId: '1', status: 'completed' }), call('TaskList', {})],
      }),
      {
        blocks: [
          call('Bash', { command: 'echo before-failing; exit 3', description: 'A failing command' }),
          call('Read', { file_path: `${folder}/does-not-exist.txt` }),
          call('Edit', { file_path: `${folder}/README.md`, old_string: 'NOT THERE', new_string: 'x' }),
        ],
      },
      { blocks: [call('Read', {}), call('NoSuchTool', { a: 1 })] },
      { blocks: [text('All done: new.js now exports 42.')] },
    ],
    big: [
      { blocks: [call('Bash', { command: 'seq 1 60000', description: 'Large output' })] },
      {
        blocks: [
          call('Bash', { command: "head -c 200000 /dev/zero | tr '\\0' x", description: 'One huge line' }),
          call('Read', { file_path: `${folder}/big.txt` }),
          call('Grep', { pattern: 'line', path: `${folder}/big.txt`, output_mode: 'content', head_limit: 0 }),
        ],
      },
      { blocks: [text('That was a lot of output.')] },
    ],
    bgbash: [
      {
        blocks: [
          call('Bash', { command: 'sleep 1; echo finished', description: 'Background job', run_in_background: true }),
        ],
      },
      { blocks: [text('Started the job in the background.')] },
      { blocks: [text('OK.')] },
    ],
    readimage: [
      { blocks: [call('Read', { file_path: `${folder}/dot.png` })] },
      { blocks: [text('The file is a 1x1 image.')] },
    ],
    webfetch: [
      { blocks: [call('WebFetch', { url: 'http://127.0.0.1:9/none', prompt: 'what' })] },
      { blocks: [text('No web.')] },
    ],
    notebook: [
      {
        blocks: [call('NotebookEdit', { notebook_path: `${folder}/n.ipynb`, new_source: 'print(1)', cell_id: 'a' })],
      },
      { blocks: [text('nb done')] },
    ],
    multiedit: [
      {
        blocks: [
          call('MultiEdit', {
            file_path: `${folder}/README.md`,
            edits: [{ old_string: 'My Project', new_string: 'Widgets' }],
          }),
        ],
      },
      { blocks: [text('me done')] },
    ],
    'use-skill': [
      { blocks: [call('Skill', { skill: 'greet', command: 'greet', args: 'Bob' })] },
      { blocks: [text('Skill was used.')] },
    ],
  };
}

function subAgents(folder: string): Scripts {
  return {
    agent: [
      (request) => ({
        blocks: [
          text('I will ask two helpers.'),
          callAgent(request, 'Count sources', 'Count the js files. [[child-a]]', false),
          callAgent(request, 'Read readme', 'Read the readme. [[child-b]]', false),
        ],
      }),
      { blocks: [text('Both helpers are done.')] },
    ],
    'child-a': [
      { blocks: [text('Counting.'), call('Bash', { command: 'ls src | wc -l', description: 'Count files' })] },
      { blocks: [text('There are 2 files.')] },
    ],
    'child-b': [
      { blocks: [call('Read', { file_path: `${folder}/README.md` })] },
      { blocks: [text('It is a widgets CLI.')] },
    ],
    'agent-bg': [
      (request) => ({ blocks: [callAgent(request, 'Background count', 'Count. [[child-a]]', true)] }),
      { blocks: [text('The helper runs in the background.')] },
      { blocks: [text('Noted, the background helper finished.')] },
    ],
  };
}

function failures(): Scripts {
  const overloaded = { status: 529, errorType: 'overloaded_error', message: 'Overloaded' };
  return {
    err400: [{ status: 400, errorType: 'invalid_request_error', message: 'messages: mock rejected this request' }],
    err401: [{ status: 401, errorType: 'authentication_error', message: 'invalid x-api-key' }],
    err529: [{ ...overloaded, headers: { 'x-should-retry': 'false' } }],
    err529retry: [overloaded],
    maxtokens: [
      { blocks: [text('This answer was cut')], stopReason: 'max_tokens' },
      { blocks: [text(' and continued.')] },
    ],
    refusal: [{ blocks: [text('')], stopReason: 'refusal' }],
    hangtool: [
      {
        blocks: [
          text('Running a slow command.'),
          call('Bash', { command: 'tail -f README.md', description: 'Follow' }),
        ],
      },
      { blocks: [text('Slept.')] },
    ],
    hangtext: [
      {
        blocks: [text('First part is complete.'), text('Second part never ends')],
        stall: { afterBlocks: 2, insideBlock: true },
      },
    ],
  };
}

function interactions(folder: string): Scripts {
  const plan = '# Plan\n\n1. Change answer to 42\n2. Run tests\n';
  return {
    askperm: [
      { blocks: [call('Bash', { command: 'touch forbidden.txt', description: 'Touch file' })] },
      { blocks: [text('Understood.')] },
    ],
    plan: [
      (request) => {
        const file = planFile(request);
        return {
          blocks:
            file === undefined
              ? [text('Planning without a plan file.'), call('Read', { file_path: `${folder}/README.md` })]
              : [text('Writing the plan.'), call('Write', { file_path: file, content: plan })],
        };
      },
      { blocks: [text('Here is my plan.'), call('ExitPlanMode', { plan })] },
      { blocks: [call('Write', { file_path: `${folder}/src/planned.js`, content: 'export const planned = true;\n' })] },
      { blocks: [text('The plan is done.')] },
    ],
    question: [
      {
        blocks: [
          call('AskUserQuestion', {
            questions: [
              {
                question: 'Which colour?',
                header: 'Colour',
                multiSelect: false,
                options: [
                  { label: 'Red', description: 'warm' },
                  { label: 'Blue', description: 'cold' },
                ],
              },
            ],
          }),
        ],
      },
      { blocks: [text('Thanks for the answer.')] },
    ],
  };
}

function text(value: string): ScriptBlock {
  return { type: 'text', text: value };
}

function thinking(thought: string): ScriptBlock {
  const signature = `EpMCCkYICxgCKkDmock${Buffer.from(thought).toString('base64').slice(0, 80)}GAE=`;
  return { type: 'thinking', thinking: thought, signature };
}

function call(name: string, input: JsonObject): ScriptBlock {
  return { type: 'tool_use', name, input };
}

/** The tool that starts a sub-agent is called Task in older clients. */
function callAgent(request: JsonObject, description: string, prompt: string, inBackground: boolean): ScriptBlock {
  const name = offers(request, 'Agent') ? 'Agent' : 'Task';
  return call(name, { description, subagent_type: 'general-purpose', prompt, run_in_background: inBackground });
}

function todos(first: string, second: string): ScriptBlock {
  return call('TodoWrite', {
    todos: [
      { content: 'Read the code', status: first, activeForm: 'Reading the code', id: '1', priority: 'high' },
      { content: 'Fix the widget', status: second, activeForm: 'Fixing the widget', id: '2', priority: 'medium' },
    ],
  });
}

function createTasks(): ScriptBlock[] {
  return [
    call('TaskCreate', { subject: 'Read the code', description: 'Read all of it', activeForm: 'Reading the code' }),
    call('TaskCreate', { subject: 'Fix the widget', description: 'Make it 42', activeForm: 'Fixing' }),
  ];
}

function offers(request: JsonObject, tool: string): boolean {
  return isArray(request.tools) && request.tools.some((offered) => isObject(offered) && offered.name === tool);
}

/** Newer clients send the model the file for its plan. */
function planFile(request: JsonObject): string | undefined {
  return JSON.stringify([request.messages, request.system]).match(/\/[^\s"`\\]*\.claude\/plans\/[\w-]+\.md/)?.[0];
}
