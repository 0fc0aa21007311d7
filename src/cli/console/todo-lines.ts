// A todo list → one line each, the state told by its mark and not by colour alone.
import type { Todo } from '../../agent/tool.ts';
import { oneLine } from '../../base/terminal-text.ts';
import type { Drawing } from './drawing.ts';

export type TodoView = Pick<Todo, 'content' | 'status'>;

export function todoLines(todos: readonly TodoView[], { style, columns }: Drawing): readonly string[] {
  const marks = { completed: style.ok('☒'), in_progress: style.accent('◐'), pending: style.muted('☐') };
  const paints = { completed: style.muted, in_progress: style.bold, pending: (text: string) => text };
  return todos.map(({ content, status }) => `  ${marks[status]} ${paints[status](oneLine(content, columns - 5))}`);
}
