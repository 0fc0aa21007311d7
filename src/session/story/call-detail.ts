// A tool call → what it is for a reader, by its tool: a diff, a terminal, a file, a search, a list, a plan. A tool that
// is not known, or an input of another shape, is shown as JSON in and text out.
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  prettyJson,
} from '../../base/json/index.ts';
import { readNumbered } from '../../base/text/index.ts';
import { type Block, isHunk, isTodo } from '../../format/entry/index.ts';
import {
  type AgentDetail,
  type CallDetail,
  type CallItem,
  type DiffDetail,
  type FileDetail,
  type JsonDetail,
  type Link,
  type SearchDetail,
  type ShellDetail,
  StoryText,
  type TextRole,
  type TodoLine,
  type WebFetchDetail,
  type WebSearchDetail,
} from '../items/index.ts';
import { isEdit } from './hunks.ts';
import { type Keys, refTo } from './text.ts';

/** The result of a call in its line. */
export interface CallResult {
  readonly blocks: readonly Block[];
  readonly text: string;
  readonly keys: Keys;
  /** `toolUseResult`; `undefined` if the line holds the results of several calls, because it belongs to one of them. */
  readonly stored: JsonValue | undefined;
}

interface CallSource {
  readonly call: CallItem;
  readonly input: JsonObject;
  readonly inputKeys: Keys;
  readonly output: string;
  readonly stored: CallResult['stored'];
  readonly isError: boolean;
}

export function callDetail(
  call: CallItem,
  { text, stored, inputKeys }: CallResult & { readonly inputKeys: Keys },
): CallDetail {
  // The outcome says what the text about a refusal says.
  const output = call.state === 'declined' ? '' : text;
  const input = asObject(call.input) ?? {};
  const source: CallSource = {
    call,
    input,
    inputKeys,
    output,
    stored,
    isError: call.result !== undefined && call.state !== 'done',
  };
  switch (call.tool) {
    case 'Edit':
    case 'MultiEdit':
    case 'Write':
    case 'NotebookEdit':
      return diffDetail(source);
    case 'Bash':
    case 'BashOutput':
      return shellDetail(source);
    case 'Read':
    case 'NotebookRead':
      return fileDetail(source);
    case 'Grep':
    case 'Glob':
    case 'LS':
      return searchDetail(source);
    case 'TodoWrite':
    case 'TaskList':
      return todoDetail(source);
    case 'WebSearch':
      return webSearchDetail(source);
    case 'WebFetch':
      return webFetchDetail(source);
    case 'Task':
    case 'Agent':
      return agentDetail(source);
    case 'AskUserQuestion':
      return questionDetail(source);
    case 'ExitPlanMode':
    case 'exit_plan_mode':
      if (asString(input.plan) === undefined) return jsonDetail(source);
      return { as: 'plan', plan: inputText(source, 'plan', 'answer') };
    default:
      return jsonDetail(source);
  }
}

const noText = new StoryText('', 'output', null);

function inputText(source: CallSource, key: string, role: TextRole = 'output'): StoryText {
  return new StoryText(asString(source.input[key]) ?? '', role, refTo(source.call.node, ...source.inputKeys, key));
}

/** The text that the model got. */
function outputText({ call, output }: CallSource, text: string = output): StoryText {
  return new StoryText(text, 'output', call.outputAt);
}

/** A text of `toolUseResult`. */
function storedText({ call }: CallSource, text: string, ...keys: Keys): StoryText {
  return new StoryText(text, 'output', call.result === undefined ? null : refTo(call.result, 'toolUseResult', ...keys));
}

function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function stringOrNull(value: unknown): string | null {
  return asString(value) ?? null;
}

function diffDetail({ call, input, inputKeys, stored: kept }: CallSource): DiffDetail {
  const stored = asObject(kept);
  const hunks = isArray(stored?.structuredPatch) ? stored.structuredPatch.filter(isHunk) : [];
  const file = asString(input.file_path ?? input.notebook_path) ?? '';
  if (hunks.length > 0 && call.result !== undefined) {
    const at = refTo(call.result, 'toolUseResult', 'structuredPatch');
    return { as: 'diff', file, isNew: false, change: { from: 'patch', hunks }, at };
  }
  if (isEdit(input)) {
    return { as: 'diff', file, isNew: false, change: { from: 'edits', input }, at: refTo(call.node, ...inputKeys) };
  }
  const key = input.new_source === undefined ? 'content' : 'new_source';
  return {
    as: 'diff',
    file,
    isNew: stored?.type !== 'update',
    change: { from: 'content', content: stringOrNull(input[key]) },
    at: refTo(call.node, ...inputKeys, key),
  };
}

function jsonDetail(source: CallSource): JsonDetail {
  const { input } = source;
  const json = Object.keys(input).length === 0 ? '' : prettyJson(input);
  return {
    as: 'json',
    input: new StoryText(json, 'output', refTo(source.call.node, ...source.inputKeys)),
    output: outputText(source),
  };
}

const exitLine = /^(?:Error: )?Exit code (\d{1,3})\n?/;

function shellDetail(source: CallSource): ShellDetail {
  const { output, isError } = source;
  const stored = asObject(source.stored);
  const [out, err] = [asString(stored?.stdout), asString(stored?.stderr)];
  const path = stringOrNull(stored?.persistedOutputPath);
  // For a failed call the client stores only the text that the model got.
  const exit = exitLine.exec(output);
  const shown = outputText(source, exit === null ? output : output.slice(exit[0].length));
  return {
    as: 'shell',
    command: inputText(source, source.input.command === undefined ? 'bash_id' : 'command'),
    description: stringOrNull(source.input.description),
    stdout: out === undefined ? (isError ? noText : shown) : storedText(source, out, 'stdout'),
    stderr: out === undefined && isError ? shown : storedText(source, err ?? '', 'stderr'),
    exitCode: asNumber(stored?.exitCode) ?? (exit === null ? null : Number(exit[1])),
    isInterrupted: stored?.interrupted === true,
    backgroundId: stringOrNull(stored?.backgroundTaskId),
    persisted: path === null ? null : { path, sizeBytes: asNumber(stored?.persistedOutputSize) ?? 0 },
  };
}

function fileDetail(source: CallSource): FileDetail {
  const { input, call, output, isError } = source;
  const stored = asObject(source.stored);
  const kept = asObject(stored?.file);
  const file = asString(input.file_path ?? input.notebook_path) ?? '';
  const content = asString(kept?.content);
  const totalLines = asNumber(kept?.totalLines);
  if (content !== undefined) {
    const firstLine = asNumber(kept?.startLine) ?? 1;
    return {
      as: 'file',
      file,
      firstLine,
      totalLines,
      content: storedText(source, content, 'file', 'content'),
      note: null,
    };
  }
  const shown = readNumbered(output);
  if (shown === undefined || isError) {
    const type = asString(stored?.type);
    const note = isError || call.result === undefined ? null : type === 'file_unchanged' ? 'unchanged' : 'not text';
    return { as: 'file', file, firstLine: 1, totalLines, content: isError ? noText : outputText(source), note };
  }
  return {
    as: 'file',
    file,
    firstLine: shown.firstLine,
    totalLines,
    content: outputText(source, shown.content),
    note: null,
  };
}

function searchDetail(source: CallSource): SearchDetail {
  const { input, isError } = source;
  const stored = asObject(source.stored);
  const names = isArray(stored?.filenames) ? stored.filenames.flatMap((name) => asString(name) ?? []) : undefined;
  const content = asString(stored?.content);
  const found = content === undefined ? noText : storedText(source, content, 'content');
  return {
    as: 'search',
    pattern: asString(input.pattern) ?? '',
    folder: stringOrNull(input.path),
    mode: stringOrNull(input.output_mode),
    files: names ?? [],
    fileCount: asNumber(stored?.numFiles) ?? names?.length ?? 0,
    isCut: stored?.truncated === true,
    content: names !== undefined ? found : isError ? noText : outputText(source),
  };
}

function todoDetail(source: CallSource): CallDetail {
  const stored = asObject(source.stored);
  const given = source.call.tool === 'TaskList' ? stored?.tasks : source.input.todos;
  const todos = (isArray(given) ? given : []).flatMap((todo) => todoLine(asObject(todo)));
  return todos.length === 0 ? jsonDetail(source) : { as: 'todos', todos };
}

function todoLine(todo: JsonObject | undefined): readonly TodoLine[] {
  if (isTodo(todo)) return [{ content: todo.content, status: todo.status }];
  const subject = asString(todo?.subject);
  return subject === undefined ? [] : [{ content: subject, status: asString(todo?.status) ?? '' }];
}

function webSearchDetail(source: CallSource): WebSearchDetail {
  const results = asObject(source.stored)?.results;
  const list = isArray(results) ? results : [];
  const links = list.flatMap((result) => {
    const content = asObject(result)?.content;
    return isArray(content) ? content.flatMap((each) => linkOf(asObject(each))) : [];
  });
  const text = list.filter((result) => typeof result === 'string').join('\n\n');
  return {
    as: 'web-search',
    query: asString(source.input.query) ?? '',
    links,
    text: list.length === 0 && !source.isError ? outputText(source) : outputText(source, text),
  };
}

function linkOf(link: JsonObject | undefined): readonly Link[] {
  const url = asString(link?.url);
  return url === undefined ? [] : [{ title: asString(link?.title) ?? url, url }];
}

function webFetchDetail(source: CallSource): WebFetchDetail {
  const stored = asObject(source.stored);
  const result = asString(stored?.result);
  return {
    as: 'web-fetch',
    url: asString(source.input.url) ?? '',
    prompt: stringOrNull(source.input.prompt),
    code: asNumber(stored?.code),
    sizeBytes: asNumber(stored?.bytes),
    text: result !== undefined ? storedText(source, result, 'result') : source.isError ? noText : outputText(source),
  };
}

function agentDetail(source: CallSource): AgentDetail {
  const { input, isError } = source;
  const stored = asObject(source.stored);
  return {
    as: 'agent',
    agentType: stringOrNull(input.subagent_type ?? stored?.agentType),
    description: stringOrNull(input.description),
    prompt: inputText(source, 'prompt'),
    result: isError ? noText : outputText(source),
    status: stringOrNull(stored?.status),
    tokens: asNumber(stored?.totalTokens),
    calls: asNumber(stored?.totalToolUseCount),
    durationMs: asNumber(stored?.totalDurationMs),
  };
}

function questionDetail(source: CallSource): CallDetail {
  const { questions } = source.input;
  if (!isArray(questions)) return jsonDetail(source);
  const answers = asObject(asObject(source.stored)?.answers) ?? asObject(source.input.answers) ?? {};
  return {
    as: 'questions',
    questions: questions.filter(isObject).map((each) => {
      const question = asString(each.question) ?? '';
      const answer = Object.hasOwn(answers, question) ? answers[question] : undefined;
      const options = isArray(each.options) ? each.options.filter(isObject) : [];
      return {
        question,
        header: stringOrNull(each.header),
        options: options.map((option) => ({
          label: asString(option.label) ?? '',
          description: stringOrNull(option.description),
        })),
        answer: isArray(answer) ? answer.map((part) => asString(part) ?? '').join(', ') : stringOrNull(answer),
      };
    }),
  };
}
