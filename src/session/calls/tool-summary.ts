// A tool call → its input summary: the part of its input that says most to a reader.
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';

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
