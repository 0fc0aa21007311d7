// What a call did, in a form in which the client's calls and Clew's can be compared: whether it failed, the kinds of its
// blocks, the keys and types of its stored result, the data that come from the files, and the file that it changed. The
// wording of messages is left out.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../../../src/base/json/json.ts';
import type { ParityCall } from './calls.ts';

export interface Observation {
  readonly isError: boolean;
  readonly blocks: string;
  readonly stored: JsonValue;
  readonly data?: JsonValue;
  readonly effect?: JsonValue;
}

export interface CallResult {
  readonly isError: boolean;
  readonly content: JsonValue | undefined;
  readonly stored: JsonValue | undefined;
}

export function observe(
  call: ParityCall,
  { isError, content, stored }: CallResult,
  effect: JsonValue | undefined,
  folders: Readonly<Record<string, string>>,
): Observation {
  const data = isError ? undefined : dataOf(call.tool, stored, asString(call.input.file_path) ?? '');
  return neutral(
    {
      isError,
      blocks: isArray(content) ? content.map((block) => asString(asObject(block)?.type)).join(' ') : 'text',
      stored: isError ? typeof stored : shapeOf(stored),
      ...(data === undefined ? {} : { data }),
      ...(effect === undefined ? {} : { effect }),
    },
    folders,
  );
}

/** What the file of the call holds now: cells of a notebook, or the text. */
export function effectOf(call: ParityCall, project: string): JsonValue | undefined {
  if (call.effect === undefined) return undefined;
  const file = path.join(project, call.effect);
  if (!existsSync(file)) return null;
  const text = readFileSync(file, 'utf8');
  if (!file.endsWith('.ipynb')) return text;
  try {
    const { cells } = JSON.parse(text) as { cells: readonly JsonObject[] };
    return cells.map((cell) => ({
      type: cell.cell_type ?? null,
      id: /^[0-9a-f]{8}$/.test(asString(cell.id) ?? '') ? '<new>' : (cell.id ?? null),
      source: isArray(cell.source) ? cell.source.join('') : (cell.source ?? null),
      outputs: isArray(cell.outputs) && cell.cell_type === 'code' ? cell.outputs.length : 0,
    }));
  } catch {
    return text;
  }
}

function dataOf(tool: string, stored: JsonValue | undefined, name: string): JsonValue | undefined {
  if (!isObject(stored)) return undefined;
  const file = asObject(stored.file);
  switch (tool) {
    case 'Read': {
      if (file === undefined) return undefined;
      if (isArray(file.cells)) return file.cells;
      const { content = '', numLines = 0, startLine = 0, totalLines = 0, count = 0, originalSize = 0 } = file;
      // Long texts by their length and ends.
      if (stored.type === 'text') return { content: brief(String(content)), numLines, startLine, totalLines };
      return name.endsWith('.pdf') ? { count, originalSize } : undefined;
    }
    case 'Glob':
    case 'Grep': {
      const { durationMs: _, ...rest } = stored;
      const ordered = tool === 'Grep' && rest.mode !== 'files_with_matches' ? sortLines(rest) : rest;
      return Object.fromEntries(Object.entries(ordered).map(([k, v]) => [k, typeof v === 'string' ? brief(v) : v]));
    }
    case 'Bash': {
      const { stdout = '', stderr = '', isImage = false, returnCodeInterpretation = '' } = stored;
      return { stdout: brief(String(stdout)), stderr, isImage, returnCodeInterpretation };
    }
    case 'Edit':
    case 'Write':
      return { patch: stored.structuredPatch ?? null, original: brief(String(stored.originalFile)) };
    case 'NotebookEdit': {
      const { cell_type = '', language = '', edit_mode = '', old_source = '' } = stored;
      return { cell_type, language, edit_mode, old_source };
    }
    default:
      return undefined;
  }
}

/** The client prints the files of a search in any order. */
function sortLines(stored: JsonObject): JsonObject {
  const { content } = stored;
  const isPage = stored.appliedLimit !== undefined;
  if (typeof content !== 'string') return stored;
  // The lines of a page depend on that order.
  return { ...stored, content: isPage ? `${content.split('\n').length} lines` : content.split('\n').sort().join('\n') };
}

function brief(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 60)}…${text.length} characters…${text.slice(-60)}`;
}

function shapeOf(value: JsonValue | undefined): JsonValue {
  if (isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (!isObject(value)) return value === null ? 'null' : typeof value;
  const entries = Object.entries(value).map(
    ([key, inner]) => [key, key === 'cells' ? 'list' : shapeOf(inner)] as const,
  );
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function neutral<T>(value: T, folders: Readonly<Record<string, string>>): T {
  let text = JSON.stringify(value);
  for (const [name, folder] of Object.entries(folders)) text = text.replaceAll(folder, name);
  return JSON.parse(text) as T; // the same shape
}
