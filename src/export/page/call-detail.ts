// A tool call → what it is for a reader, by its tool: a diff, a terminal, a file, a search, a list, a plan. A tool that
// is not known, or an input of another shape, is shown as JSON in and text out.
import { asObject, asString, isArray, isObject, type JsonObject } from '../../base/json.ts';
import { prettyJson } from '../../base/json-text.ts';
import { isTodo } from '../../format/tool-result.ts';
import { asNumber, type CallSource, inputRef, inputText, outputText, shortText, storedText } from './call-source.ts';
import type {
  AgentDetail,
  CallDetail,
  FileDetail,
  JsonDetail,
  LinkView,
  QuestionDetail,
  SearchDetail,
  ShellDetail,
  TodoView,
  WebFetchDetail,
  WebSearchDetail,
} from './detail.ts';
import { diffDetail } from './diff-detail.ts';
import { readNumbered } from './numbered-text.ts';
import { cutText, noText, textChars } from './text.ts';

export function callDetail(source: CallSource): CallDetail {
  const { call, input } = source;
  switch (call.name) {
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
      return { as: 'plan', plan: inputText(source, 'plan', textChars.answer) };
    default:
      return jsonDetail(source);
  }
}

function jsonDetail(source: CallSource): JsonDetail {
  const { input } = source;
  const json = Object.keys(input).length === 0 ? '' : prettyJson(input);
  return { as: 'json', input: cutText(json, textChars.output, inputRef(source)), output: outputText(source) };
}

const exitLine = /^(?:Error: )?Exit code (\d{1,3})\n?/;

function shellDetail(source: CallSource): ShellDetail {
  const { call, output } = source;
  const stored = asObject(source.stored);
  const [out, err] = [asString(stored?.stdout), asString(stored?.stderr)];
  const path = shortText(stored?.persistedOutputPath);
  // Of a call that failed, the client keeps only what it told the model.
  const exit = exitLine.exec(output);
  const told = outputText(source, exit === null ? output : output.slice(exit[0].length));
  return {
    as: 'shell',
    command: inputText(source, source.input.command === undefined ? 'bash_id' : 'command'),
    description: shortText(source.input.description),
    stdout: out === undefined ? (call.isError ? noText : told) : storedText(source, out, 'stdout'),
    stderr: out === undefined && call.isError ? told : storedText(source, err ?? '', 'stderr'),
    exitCode: asNumber(stored?.exitCode) ?? (exit === null ? null : Number(exit[1])),
    isInterrupted: stored?.interrupted === true,
    backgroundId: shortText(stored?.backgroundTaskId),
    persisted: path === null ? null : { path, sizeBytes: asNumber(stored?.persistedOutputSize) ?? 0 },
  };
}

function fileDetail(source: CallSource): FileDetail {
  const { input, call, output } = source;
  const stored = asObject(source.stored);
  const kept = asObject(stored?.file);
  const file = shortText(input.file_path ?? input.notebook_path) ?? '';
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
  const told = readNumbered(output);
  if (told === undefined || call.isError) {
    const type = asString(stored?.type);
    const note =
      call.isError || call.result === undefined ? null : type === 'file_unchanged' ? 'unchanged' : 'not text';
    return { as: 'file', file, firstLine: 1, totalLines, content: call.isError ? noText : outputText(source), note };
  }
  return {
    as: 'file',
    file,
    firstLine: told.firstLine,
    totalLines,
    content: outputText(source, told.content),
    note: null,
  };
}

const maxFiles = 200;

function searchDetail(source: CallSource): SearchDetail {
  const { input, call } = source;
  const stored = asObject(source.stored);
  const names = isArray(stored?.filenames) ? stored.filenames.flatMap((name) => shortText(name) ?? []) : undefined;
  const content = asString(stored?.content);
  const found = content === undefined ? noText : storedText(source, content, 'content');
  return {
    as: 'search',
    pattern: shortText(input.pattern) ?? '',
    folder: shortText(input.path),
    mode: shortText(input.output_mode),
    files: names?.slice(0, maxFiles) ?? [],
    fileCount: asNumber(stored?.numFiles) ?? names?.length ?? 0,
    isCut: stored?.truncated === true || (names?.length ?? 0) > maxFiles,
    // Without the client's own account of it, what the model was told.
    content: names !== undefined ? found : call.isError ? noText : outputText(source),
  };
}

const maxTodos = 200;

function todoDetail(source: CallSource): CallDetail {
  const stored = asObject(source.stored);
  const given = source.call.name === 'TaskList' ? stored?.tasks : source.input.todos;
  const todos = (isArray(given) ? given.slice(0, maxTodos) : []).flatMap((todo) => todoView(asObject(todo)));
  return todos.length === 0 ? jsonDetail(source) : { as: 'todos', todos };
}

function todoView(todo: JsonObject | undefined): readonly TodoView[] {
  if (isTodo(todo)) return [{ content: shortText(todo.content) ?? '', status: shortText(todo.status, 40) ?? '' }];
  const subject = shortText(todo?.subject);
  return subject === null ? [] : [{ content: subject, status: shortText(todo?.status, 40) ?? '' }];
}

const maxLinks = 50;

function webSearchDetail(source: CallSource): WebSearchDetail {
  const results = asObject(source.stored)?.results;
  const list = isArray(results) ? results : [];
  const links = list.flatMap((result) => {
    const content = asObject(result)?.content;
    return isArray(content) ? content.flatMap((each) => linkView(asObject(each))) : [];
  });
  const text = list.filter((result) => typeof result === 'string').join('\n\n');
  return {
    as: 'web-search',
    query: shortText(source.input.query) ?? '',
    links: links.slice(0, maxLinks),
    text: list.length === 0 && !source.call.isError ? outputText(source) : outputText(source, text),
  };
}

function linkView(link: JsonObject | undefined): readonly LinkView[] {
  const url = shortText(link?.url, 1_000);
  return url === null ? [] : [{ title: shortText(link?.title) ?? url, url }];
}

function webFetchDetail(source: CallSource): WebFetchDetail {
  const stored = asObject(source.stored);
  const result = asString(stored?.result);
  return {
    as: 'web-fetch',
    url: shortText(source.input.url, 1_000) ?? '',
    prompt: shortText(source.input.prompt, 1_000),
    code: asNumber(stored?.code),
    sizeBytes: asNumber(stored?.bytes),
    text:
      result !== undefined ? storedText(source, result, 'result') : source.call.isError ? noText : outputText(source),
  };
}

function agentDetail(source: CallSource): AgentDetail {
  const { input, call } = source;
  const stored = asObject(source.stored);
  return {
    as: 'agent',
    agentType: shortText(input.subagent_type ?? stored?.agentType, 100),
    description: shortText(input.description),
    prompt: inputText(source, 'prompt'),
    result: call.isError ? noText : outputText(source),
    status: shortText(stored?.status, 40),
    tokens: asNumber(stored?.totalTokens),
    calls: asNumber(stored?.totalToolUseCount),
    durationMs: asNumber(stored?.totalDurationMs),
  };
}

const maxQuestions = 20;

function questionDetail(source: CallSource): CallDetail {
  const { questions } = source.input;
  if (!isArray(questions)) return jsonDetail(source);
  const answers = asObject(asObject(source.stored)?.answers) ?? asObject(source.input.answers) ?? {};
  const detail: QuestionDetail = {
    as: 'questions',
    questions: questions
      .filter(isObject)
      .slice(0, maxQuestions)
      .map((each) => {
        const question = asString(each.question) ?? '';
        const answer = Object.hasOwn(answers, question) ? answers[question] : undefined;
        const options = isArray(each.options) ? each.options.filter(isObject).slice(0, maxQuestions) : [];
        return {
          question: shortText(question, 2_000) ?? '',
          header: shortText(each.header),
          options: options.map((option) => ({
            label: shortText(option.label) ?? '',
            description: shortText(option.description, 1_000),
          })),
          answer: isArray(answer) ? answer.map((part) => shortText(part) ?? '').join(', ') : shortText(answer, 2_000),
        };
      }),
  };
  return detail;
}
