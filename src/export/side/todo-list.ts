// Calls that change the to-do list → its state. TodoWrite gives the whole list; TaskCreate and TaskUpdate change one task
// each, and TaskList shows what the client has.
import { asObject, asString, isArray, type JsonObject } from '../../base/json/index.ts';
import type { CallItem } from '../../session/items/index.ts';
import type { TodoRow } from '../wire/index.ts';

export const todoTools: ReadonlySet<string> = new Set(['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskList']);

/** What one call does to the list. */
export type TodoChange =
  | { readonly kind: 'list'; readonly tasks: readonly Task[] }
  | { readonly kind: 'task'; readonly id: string; readonly content?: string; readonly status?: string };

export interface Task extends TodoRow {
  readonly id: string;
}

type Call = Pick<CallItem, 'tool' | 'input' | 'output' | 'state' | 'detail'>;

/** `undefined`: it failed, has no result yet, or has another shape. */
export function todoChange(call: Call): TodoChange | undefined {
  if (call.state !== 'done') return undefined;
  const input = asObject(call.input) ?? {};
  switch (call.tool) {
    case 'TodoWrite':
      return isArray(input.todos) ? { kind: 'list', tasks: tasksOf(input.todos, 'content') } : undefined;
    case 'TaskList':
      return listedTasks(call);
    case 'TaskCreate':
      return createdTask(input, call.output);
    case 'TaskUpdate':
      return updatedTask(input);
    default:
      return undefined;
  }
}

/** A task that is deleted leaves the list. */
export function applyChange(tasks: readonly Task[], change: TodoChange): readonly Task[] {
  if (change.kind === 'list') return change.tasks;
  const { id, content, status } = change;
  const known = tasks.find((task) => task.id === id);
  if (status === 'deleted') return tasks.filter((task) => task !== known);
  const next = { id, content: content ?? known?.content ?? `Task ${id}`, status: status ?? known?.status ?? 'pending' };
  return known === undefined ? [...tasks, next] : tasks.map((task) => (task === known ? next : task));
}

function tasksOf(values: readonly unknown[], name: 'content' | 'subject'): readonly Task[] {
  return values.flatMap((value, i) => {
    const task = asObject(value);
    const content = asString(task?.[name]);
    if (content === undefined) return [];
    return [{ id: asString(task?.id) ?? String(i + 1), content, status: asString(task?.status) ?? 'pending' }];
  });
}

/** The detail has what the client stored; without it, the text has a line for each task. */
function listedTasks({ output }: Call): TodoChange | undefined {
  const tasks = output.split('\n').flatMap((line) => {
    const [, id, status, content] = /^#(\S+) \[([a-z_]+)\] (.*)$/.exec(line) ?? [];
    return id === undefined || status === undefined || content === undefined ? [] : [{ id, status, content }];
  });
  if (tasks.length === 0 && !/no tasks/i.test(output)) return undefined;
  return { kind: 'list', tasks };
}

/** The client gives the number: `Task #1 created successfully: …`. */
function createdTask(input: JsonObject, output: string): TodoChange | undefined {
  const id = /^Task #(\S+) /.exec(output)?.[1];
  const content = asString(input.subject);
  return id === undefined || content === undefined ? undefined : { kind: 'task', id, content };
}

function updatedTask(input: JsonObject): TodoChange | undefined {
  const id = asString(input.taskId);
  const [content, status] = [asString(input.subject), asString(input.status)];
  if (id === undefined) return undefined;
  return {
    kind: 'task',
    id,
    ...(content === undefined ? {} : { content }),
    ...(status === undefined ? {} : { status }),
  };
}
