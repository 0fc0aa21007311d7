// A todo list → one line each, the state told by its mark and not by colour alone.

import type { Todo } from '../../agent/tool.ts';
import { isArray, type JsonObject } from '../../base/json.ts';
import { oneLine } from '../../base/terminal-text.ts';
import { isTodo } from '../../format/tool-result.ts';
import type { Drawing } from './drawing.ts';

export type TodoView = Pick<Todo, 'content' | 'status'>;

export function todosOf({ todos }: JsonObject): readonly TodoView[] {
  const items = isArray(todos) ? todos.filter(isTodo) : [];
  return items.map(({ content, status }) => ({
    content,
    status: status === 'completed' || status === 'in_progress' ? status : 'pending',
  }));
}

export function todoLines(todos: readonly TodoView[], { style, columns }: Drawing): readonly string[] {
  const marks = { completed: style.ok('☒'), in_progress: style.accent('◐'), pending: style.muted('☐') };
  const paints = { completed: style.muted, in_progress: style.bold, pending: (text: string) => text };
  return todos.map(({ content, status }) => `  ${marks[status]} ${paints[status](oneLine(content, columns - 5))}`);
}
