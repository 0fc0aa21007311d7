// A library with one session that attacks its viewers: every text that can be shown, in the transcript, in what the
// client stores next to results, in a sub-agent and in its meta file, tries to run, to load, to colour, to reorder, to break
// out of its place. Each begins with the name of its field, so that a test can check that it was shown.
import path from 'node:path';
import type { JsonObject, JsonValue } from '../../src/base/json/json.ts';
import { writeTree } from './temp-folder.ts';
import { tinyImage } from './tiny-images.ts';
import { text, thinking, toolResult, toolUse, transcript } from './transcript-builder.ts';

export const hostileId = 'aaaaaaaa-0000-4000-a000-00000000dead';

const esc = '\u001b';
const bell = '\u0007';

/** It may be shown as text, but must have no effect. `canary` is what a test listens for. */
export const attack: string = [
  '<script>canary()</script><img src=x onerror=canary()><svg onload=canary()><iframe src="javascript:canary()"></iframe>',
  '</script></style></pre></noscript></title></textarea>--><b onmouseover="canary()" style="position:fixed;inset:0">b</b>',
  '<style>*{display:none!important}</style><link rel=stylesheet href=https://evil.example/x.css><base href=//evil.example>',
  '<form action=https://evil.example><button formaction=javascript:canary()>x</button></form><meta http-equiv=refresh>',
  '[a](javascript:canary()) [b](&#106;avascript:canary()) ![i](https://evil.example/x.png) <javascript:canary()>',
  '[c](data:text/html,<script>canary()</script>) [d]: vbscript:canary() `"\' onload=canary() {{canary()}}',
  `${esc}]8;;https://evil.example${bell}link${esc}]8;;${bell}${esc}[2J${esc}[31m${esc}]0;title${bell}\u009b31m\r\b\u0000`,
  '\u202eright to left\u202c\u2066\u200f\u061c a\u0301\u0301\u0301 \ud83d half',
].join(' ');

const pictures: Readonly<Record<string, string>> = {
  cut: tinyImage('png', 4, 4).toString('base64'),
  huge: tinyImage('png', 60_000, 60_000).toString('base64'),
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="canary()"/>').toString('base64'),
  html: Buffer.from('<script>canary()</script>').toString('base64'),
  broken: 'not base64 "><script>canary()</script>',
};

export interface HostileLibrary {
  readonly root: string;
  readonly file: string;
  readonly agentFile: string;
  /** The names of all fields that attack. */
  readonly fields: readonly string[];
}

export interface WordSizes {
  /** Of a word in the answer. */
  readonly answer: number;
  /** Of one in a prompt, a command, its output and a file. */
  readonly others: number;
}

export function writeHostileLibrary(root: string, words: WordSizes): HostileLibrary {
  const fields: string[] = [];
  const say = (field: string): string => {
    fields.push(`${field}:`);
    return fieldText(field);
  };
  const folder = 'projects/-<img src=x onerror=canary()>\u202e';
  const agent = `${folder}/${hostileId}/subagents/agent-a1`;
  writeTree(root, {
    [`${folder}/${hostileId}.jsonl`]: mainText(say, words),
    [`${agent}.jsonl`]: agentText(say),
    [`${agent}.meta.json`]: JSON.stringify({
      agentType: say('agent type'),
      description: say('agent description'),
      toolUseId: 'task',
    }),
  });
  const file = path.join(root, folder, `${hostileId}.jsonl`);
  return { root, file, agentFile: path.join(root, `${agent}.jsonl`), fields };
}

type Say = (field: string) => string;

function mainText(say: Say, words: WordSizes): string {
  const builder = transcript({
    sessionId: hostileId,
    cwd: `/home/${attack}`,
    gitBranch: attack,
    version: attack,
    slug: attack,
  });
  const call = (id: string, name: string, input: JsonObject, stored?: JsonValue, output: JsonValue = ''): void => {
    builder.assistant([toolUse(id, name, input)]);
    builder.result(id, {
      message: { content: [toolResult(id, output)] },
      ...(stored === undefined ? {} : { toolUseResult: stored }),
    });
  };
  builder
    .aside('custom-title', { customTitle: say('title') })
    .aside('summary', { summary: attack, leafUuid: 'a1' })
    .aside('tag', { tag: attack })
    .aside(attack, { [attack]: attack })
    .user([text(say('prompt')), ...Object.keys(pictures).map(picture), elsewhere(say), documentNamed(say('document'))])
    .assistant([thinking(say('thinking')), text(say('answer'))], { message: { model: say('model') } })
    .assistant([{ type: say('block type'), [attack]: say('block value') }, picture('broken')]);
  addCalls(call, say);
  builder
    .assistant([toolUse('bad', say('tool name'), { [attack]: say('tool input') })])
    .result('bad', { message: { content: [toolResult('bad', say('tool error'), { is_error: true })] } })
    .assistant([toolUse('open', 'Bash', { command: say('open command') })])
    .system('informational', { content: say('informational'), level: 'error' })
    .system(attack, { content: say('system') })
    .system('local_command', { content: `<local-command-stdout>${say('local command')}</local-command-stdout>` })
    .system('stop_hook_summary', { hookErrors: [say('hook error')], stopReason: attack, preventedContinuation: true })
    .system('api_error', { error: { status: 529, message: say('api error') } })
    .attachment(attack, [say('attachment')])
    .queue('enqueue', say('queued'))
    .assistant('Working')
    .queue('remove', fieldText('queued'))
    .assistant(say('failed answer'), { isApiErrorMessage: true })
    .user(`<command-name>/${attack}</command-name><command-args>${say('command args')}</command-args>`)
    .assistant(say('second answer'))
    .user(`<bash-input>${say('shell input')}</bash-input>`)
    .user(`<bash-stdout>${say('shell output')}</bash-stdout>`)
    .user(`<task-notification>${say('notification')}</task-notification>`)
    .user(say('injected'), { isMeta: true })
    .user(`[Request interrupted by user]`)
    .boundary({ trigger: attack, preTokens: 1e15, preservedMessages: { uuids: ['a2'], anchorUuid: 'a2' } })
    .summary(say('compact summary'));
  addWords(builder, call, words);
  return builder.user('last prompt').assistant('the end of it').queue('enqueue', say('waiting')).text();
}

type Call = (id: string, name: string, input: JsonObject, stored?: JsonValue, output?: JsonValue) => void;

/** Each tool with its own view, in its input, its result and `toolUseResult`. */
function addCalls(call: Call, say: Say): void {
  const patch = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1 };
  const shell = { stdout: say('stdout'), stderr: say('stderr'), persistedOutputPath: say('persisted') };
  call('bash', 'Bash', { command: say('command'), description: attack }, { ...shell, backgroundTaskId: attack });
  call(
    'edit',
    'Edit',
    { file_path: say('edited file'), old_string: attack, new_string: attack },
    { filePath: attack, structuredPatch: [{ ...patch, lines: [`-${say('removed')}`, `+${say('added')}`] }] },
  );
  call('write', 'Write', { file_path: say('written file'), content: say('written') });
  call('read', 'Read', { file_path: say('read file') }, { file: { content: say('file text'), filePath: attack } });
  call('read2', 'Read', { file_path: attack }, undefined, `    7→${say('numbered')}`);
  call('grep', 'Grep', { pattern: say('pattern'), path: attack }, { filenames: [say('found file')], content: attack });
  call('glob', 'Glob', { pattern: attack }, { filenames: [say('globbed file')], numFiles: 1 });
  call('todo', 'TodoWrite', { todos: [{ content: say('todo'), status: `drawer ${attack}`, activeForm: attack }] });
  call('web', 'WebSearch', { query: say('query') }, { results: [{ content: [badLink(say)] }, say('web text')] });
  call('fetch', 'WebFetch', { url: 'javascript:canary()', prompt: attack }, { url: attack, result: say('fetched') });
  call(
    'ask',
    'AskUserQuestion',
    {
      questions: [{ question: attack, header: attack, options: [{ label: say('option'), description: attack }] }],
    },
    { questions: [], answers: { [attack]: say('chosen') } },
  );
  call('plan', 'ExitPlanMode', { plan: say('plan') });
  call('mcp', 'mcp__<script>canary()</script>__x', { x: say('mcp input') }, attack, say('mcp output'));
  call('shot', 'Bash', { command: 'shot' }, undefined, [
    ...Object.keys(pictures).map(picture),
    text(say('result text')),
  ]);
  const started = { agentId: 'a1', status: attack, totalTokens: 5 };
  call(
    'task',
    'Task',
    { subagent_type: attack, description: attack, prompt: say('task prompt') },
    started,
    say('report'),
  );
}

function badLink(say: Say): JsonObject {
  return { title: say('link title'), url: 'javascript:canary()' };
}

function agentText(say: Say): string {
  return transcript({ sessionId: hostileId, isSidechain: true, agentId: 'a1', cwd: attack, version: attack })
    .user(say('agent prompt'))
    .assistant([thinking(attack), text(say('agent answer'))], { message: { model: attack } })
    .assistant([toolUse('in-agent', 'Bash', { command: say('agent command') })])
    .result('in-agent', { toolUseResult: { stdout: say('agent output'), stderr: '' } })
    .text();
}

function addWords(builder: ReturnType<typeof transcript>, call: Call, { answer, others }: WordSizes): void {
  const word = 'w'.repeat(others);
  builder.user(word).assistant('W'.repeat(answer)).assistant('> '.repeat(9_000)).assistant('['.repeat(9_000));
  call('word', 'Bash', { command: word, description: word }, { stdout: word, stderr: word });
  call('word2', 'Write', { file_path: `/${word}`, content: word });
  call('word3', word.slice(0, 5_000), { [word]: word }, undefined, word);
}

/** A terminal overwrites the text before a carriage return, and a row shows only the beginning: it is named twice. */
function fieldText(field: string): string {
  return `${field}: ${attack} ${field}:`;
}

function picture(name: string): JsonObject {
  const type = name === 'svg' ? 'image/svg+xml' : name === 'html' ? 'text/html' : 'image/png';
  return { type: 'image', source: { type: 'base64', media_type: type, data: pictures[name] ?? '' } };
}

function elsewhere(say: Say): JsonObject {
  return { type: 'image', source: { type: 'url', url: `https://evil.example/${say('picture address')}` } };
}

function documentNamed(title: string): JsonObject {
  return { type: 'document', title, source: { type: 'base64', media_type: 'application/pdf', data: 'broken' } };
}
