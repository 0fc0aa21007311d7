// The blocks of a tool call's result → its text and its outcome in a few words, for a reader.

import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { counted, formatCount } from '../../base/text/index.ts';
import { type Block, isImage, textOf } from '../../format/entry/index.ts';

/** The text, with a mark if there are images. */
export function resultText(blocks: readonly Block[]): string {
  const images = blocks.filter(isImage).length;
  return `${textOf(blocks)}${images === 0 ? '' : `[${images === 1 ? 'image' : counted(images, 'image')}]`}`;
}

/** The part of a call that its outcome needs. */
export interface FinishedCall {
  readonly isError: boolean;
  readonly result: unknown;
}

/** The error, the one line of the answer, or its number of lines; `summary` is the input summary that the reader sees. */
export function outcomeOf(call: FinishedCall, result: string, summary: string): string {
  if (call.result === undefined) return 'no result in the file';
  const text = withoutErrorTags(result).trim();
  const [first = '', ...more] = text.split('\n');
  if (call.isError) return first;
  if (more.length > 0) return `${formatCount(more.length + 1)} lines`;
  // "The file … has been updated" repeats the summary.
  return summary !== '' && first.includes(summary) ? '' : first;
}

/** The client wraps the text of a failed call in tags for the model. */
export function withoutErrorTags(text: string): string {
  return text.replace(/<\/?tool_use_error>/g, '');
}

/** Paths below the working directory are shown relative to it. */
export function withoutFolder(text: string, folder: string | undefined): string {
  return folder !== undefined && text.startsWith(`${folder}/`) ? text.slice(folder.length + 1) : text;
}

/** The field of a tool's input that says most. Other tools show their first text. */
const tellingField: Readonly<Record<string, string>> = {
  Agent: 'description',
  Bash: 'command',
  Edit: 'file_path',
  Glob: 'pattern',
  Grep: 'pattern',
  LS: 'path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
  Read: 'file_path',
  Skill: 'skill',
  Task: 'description',
  WebFetch: 'url',
  WebSearch: 'query',
  Write: 'file_path',
};

export function summariseInput(name: string, input: JsonValue | undefined): string {
  if (!isObject(input)) return typeof input === 'string' ? input : '';
  if (isArray(input.todos)) return todoSummary(input.todos);
  const field = tellingField[name];
  const text = field === undefined ? undefined : asString(input[field]);
  return text ?? firstText(input);
}

function firstText(input: JsonObject): string {
  for (const value of Object.values(input)) if (typeof value === 'string' && value.trim() !== '') return value;
  return '';
}

function todoSummary(todos: readonly JsonValue[]): string {
  const done = todos.filter((todo) => asObject(todo)?.status === 'completed').length;
  return `${done} of ${todos.length} done`;
}
