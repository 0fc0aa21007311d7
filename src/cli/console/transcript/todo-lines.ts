// Renders a todo list, with a mark for each state in addition to colour.
import type { Todo } from '../../../agent/contract/tool.ts';
import { oneLine } from '../../../base/text/terminal-text.ts';
import type { Drawing } from './drawing.ts';

export type TodoView = Pick<Todo, 'content' | 'status'>;

export function todoLines(todos: readonly TodoView[], { style, columns }: Drawing): readonly string[] {
  const marks = { completed: style.ok('☒'), in_progress: style.accent('◐'), pending: style.muted('☐') };
  const paints = { completed: style.muted, in_progress: style.bold, pending: (text: string) => text };
  return todos.map(({ content, status }) => `  ${marks[status]} ${paints[status](oneLine(content, columns - 5))}`);
}
