// The TodoWrite tool: replaces the model's list of tasks, which the user sees.
import * as z from 'zod';
import type { JsonObject } from '../../base/json/json.ts';
import type { Todo, Tool } from '../contract/tool.ts';
import { defineTool } from './shared/define.ts';

const text = z.string().min(1, 'is empty').max(2000, 'is longer than 2000 characters');

const schema = z.object({
  todos: z
    .array(
      z.object({
        content: text.describe('What is to be done'),
        status: z.enum(['pending', 'in_progress', 'completed']),
        activeForm: text.describe('The same as something going on: "Running the tests"'),
      }),
    )
    .max(200, 'has more than 200 items')
    .describe('The whole list; it replaces the one before'),
});

export const todoWriteTool: Tool = defineTool({
  name: 'TodoWrite',
  description: [
    'Keeps a list of the steps of a larger piece of work, which the person sees.',
    '- For work of three steps or more, or several things asked at once; not for a single small one.',
    '- One item is in_progress at a time. Mark it completed as soon as it is done, and only if it is.',
    '- Give the whole list each time.',
  ].join('\n'),
  schema,
  isReadOnly: false,
  run: async ({ todos }, { workspace }) => {
    const oldTodos = workspace.todos;
    workspace.todos = todos;
    const open = todos.filter(({ status }) => status !== 'completed').length;
    return {
      content: `The list has been updated: ${open} of ${todos.length} to do. Go on with the present item, and keep the list current.`,
      isError: false,
      stored: { oldTodos: plain(oldTodos), newTodos: plain(todos) },
    };
  },
});

function plain(todos: readonly Todo[]): JsonObject[] {
  return todos.map(({ content, status, activeForm }) => ({ content, status, activeForm }));
}
