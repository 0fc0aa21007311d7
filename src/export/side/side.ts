// A session and a turn → what the right side of the page shows: files with their added and removed lines, the changes of
// one file in order, and the to-do list as it was after the turn.
import type { Session } from '../../session/load/index.ts';
import { Story } from '../../session/story/index.ts';
import { branchNumbered, cutDiff, firstChars, linePlace } from '../page/index.ts';
import type { FileEdit, FileEdits, SideView, TodoState, TouchedFile } from '../wire/index.ts';
import { callItems, type ProgressCall, readProgress } from './progress.ts';
import { applyChange, type Task } from './todo-list.ts';

export interface SideOptions {
  /** From 1, the active branch unless it is given. */
  readonly branch?: number;
  /** From 1; the last unless it is given. */
  readonly turn?: number;
}

const maxFiles = 300;
const maxEdits = 50;
const maxTodos = 200;
const pathChars = 1_000;

export async function sideView(session: Session, { branch = 1, turn }: SideOptions): Promise<SideView> {
  const calls = await readProgress(session, branchNumbered(session, branch));
  const last = turn ?? Number.POSITIVE_INFINITY;
  const before = calls.filter((call) => call.turn.index <= last);
  const files = filesOf(before);
  return {
    turn: turn ?? new Story(session, { branch: branchNumbered(session, branch) }).turns.length,
    files: files.toSorted((a, b) => b.turn - a.turn || b.file - a.file).slice(0, maxFiles),
    fileCount: files.length,
    todos: todosOf(before),
  };
}

/** `undefined`: there is no such file. */
export async function fileEdits(
  session: Session,
  { branch = 1, turn = Number.POSITIVE_INFINITY, file }: SideOptions & { readonly file: number },
): Promise<FileEdits | undefined> {
  const shown = branchNumbered(session, branch);
  const calls = await readProgress(session, shown);
  const path = pathsOf(calls)[file];
  if (path === undefined) return undefined;
  const own = calls.filter((call) => call.edit?.file === path && call.turn.index <= turn);
  const story = new Story(session, { branch: shown });
  const edits = own.slice(0, maxEdits).flatMap((call) => editView(story, call));
  return { path: firstChars(path, pathChars), edits, more: Math.max(0, own.length - maxEdits) };
}

function editView(story: Story, { turn, at, id }: ProgressCall): readonly FileEdit[] {
  return callItems(story, turn, at).flatMap((call) => {
    const { detail, node, tool, state } = call;
    if (call.id !== id || detail.as !== 'diff') return [];
    return [{ place: linePlace(node), turn: turn.index, tool: firstChars(tool, 100), state, diff: cutDiff(detail) }];
  });
}

/** In the order of their first change. */
function pathsOf(calls: readonly ProgressCall[]): readonly string[] {
  return [...new Set(calls.flatMap(({ edit }) => edit?.file ?? []))];
}

function filesOf(calls: readonly ProgressCall[]): readonly TouchedFile[] {
  const files = new Map<string, { -readonly [Key in keyof TouchedFile]: TouchedFile[Key] }>();
  for (const { edit, state, turn } of calls) {
    if (edit === undefined) continue;
    const path = firstChars(edit.file, pathChars);
    const known = files.get(edit.file);
    const file = known ?? { file: files.size, path, added: 0, removed: 0, edits: 0, failed: 0, turn: turn.index };
    if (known === undefined) files.set(edit.file, file);
    file.turn = turn.index;
    if (state === 'failed') file.failed++;
    if (state !== 'done') continue;
    file.edits++;
    file.added += edit.added;
    file.removed += edit.removed;
  }
  return [...files.values()];
}

/** Parallel calls take effect in the order of their results. */
function todosOf(calls: readonly ProgressCall[]): TodoState | null {
  const changes = calls.filter(({ todo }) => todo !== undefined).toSorted((a, b) => a.order - b.order);
  let tasks: readonly Task[] = [];
  for (const { todo } of changes) if (todo !== undefined) tasks = applyChange(tasks, todo);
  const last = changes.at(-1);
  if (last === undefined) return null;
  const todos = tasks.slice(0, maxTodos).map(({ content, status }) => ({
    content: firstChars(content, 500),
    status: firstChars(status, 40),
  }));
  return { todos, line: last.node.line };
}
