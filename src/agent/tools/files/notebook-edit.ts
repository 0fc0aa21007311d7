// The NotebookEdit tool: replaces, inserts or deletes one cell of a notebook. Only the bytes of that cell change: numbers
// and the order of keys elsewhere would not survive reading and writing all of the JSON.
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { asString, type JsonObject } from '../../../base/json/index.ts';
import type { Tool } from '../../contract/index.ts';
import { defineTool, limits, pathSchema, resolvePath, ToolFailure } from '../shared/index.ts';
import { keptText, readSeenText, replaceText } from './change-file.ts';
import { idOf, isNotebook, joinText, type Notebook, parseNotebook } from './notebook.ts';
import { type CellList, findCells, insertCell, removeCell, replaceCell } from './notebook-text.ts';

const schema = z.object({
  notebook_path: pathSchema.describe('The absolute path of the notebook'),
  cell_id: z
    .string()
    .max(200)
    .optional()
    .describe('The id that Read shows; when inserting, the cell to insert after (the beginning if not given)'),
  new_source: z.string().max(limits.change.fileBytes, 'is too long').describe('The new source of the cell'),
  cell_type: z.enum(['code', 'markdown']).optional().describe('The type of the cell; needed to insert one'),
  edit_mode: z.enum(['replace', 'insert', 'delete']).optional().describe('replace if not given'),
});

type NotebookInput = z.infer<typeof schema>;
type EditMode = NonNullable<NotebookInput['edit_mode']>;

export const notebookEditTool: Tool = defineTool({
  name: 'NotebookEdit',
  description: [
    'Replaces, inserts or deletes one cell of a Jupyter notebook (.ipynb).',
    '- The notebook must have been read with Read, which shows the id of each cell.',
    '- insert puts a new cell after cell_id, or at the beginning without it, and needs cell_type.',
    '- A code cell that gets a new source loses its outputs.',
  ].join('\n'),
  schema,
  isReadOnly: false,
  run: async (input, context) => {
    const file = resolvePath(context.workspace, input.notebook_path);
    if (!isNotebook({ file })) throw new ToolFailure(`${file} is not a notebook (.ipynb). Use Edit for other files.`);
    const mode = input.edit_mode ?? 'replace';
    if (mode === 'insert' && input.cell_type === undefined)
      throw new ToolFailure('cell_type is needed to insert a cell: code or markdown.');
    if (mode !== 'insert' && input.cell_id === undefined)
      throw new ToolFailure(`cell_id is needed to ${mode} a cell; Read shows the ids.`);
    const seen = await readSeenText(context, file, 'must-be-seen');
    const notebook = parseNotebook(file, seen.text);
    const cells = findCells(seen.text);
    const { text, id, old } = changeCell(input, mode, file, notebook, cells);
    await replaceText(context, seen, text);
    const named = id === undefined ? 'a new cell' : `cell ${id}`;
    const did = { replace: 'Updated', insert: 'Inserted', delete: 'Deleted' }[mode];
    return {
      content: mode === 'delete' ? `${did} ${named}` : `${did} ${named} with ${input.new_source}`,
      isError: false,
      stored: {
        new_source: input.new_source,
        ...(old === undefined ? {} : { old_source: joinText(old.source) }),
        cell_type: input.cell_type ?? (old?.cell_type === 'markdown' ? 'markdown' : 'code'),
        language: notebook.language,
        edit_mode: mode,
        ...(id === undefined ? {} : { cell_id: id }),
        error: '',
        notebook_path: file,
        original_file: keptText(seen.text) ?? '',
        updated_file: keptText(text) ?? '',
      },
    };
  },
});

interface Change {
  readonly text: string;
  readonly id: string | undefined;
  /** The cell that was replaced or deleted. */
  readonly old?: JsonObject;
}

function changeCell(input: NotebookInput, mode: EditMode, file: string, notebook: Notebook, cells: CellList): Change {
  const index = input.cell_id === undefined ? -1 : findIndex(input.cell_id, file, notebook);
  const old = notebook.cells[index];
  if (mode === 'insert') {
    const hasIds = notebook.minorVersion >= 5;
    const id = hasIds ? randomBytes(4).toString('hex') : undefined;
    return { text: insertCell(cells, index + 1, newCell(input, id)), id };
  }
  if (old === undefined) throw new ToolFailure(`${file} has no cell ${input.cell_id}.`); // found above
  if (mode === 'delete') return { text: removeCell(cells, index), id: input.cell_id, old };
  return { text: replaceCell(cells, index, changedCell(input, old)), id: input.cell_id, old };
}

function findIndex(id: string, file: string, { cells }: Notebook): number {
  const index = cells.findIndex((cell) => asString(cell.id) === id);
  if (index >= 0) return index;
  const number = /^cell-(\d{1,9})$/.exec(id)?.[1];
  if (number !== undefined && Number(number) < cells.length) return Number(number);
  const known = cells.slice(0, shownIds).map((cell, i) => idOf(cell, i));
  const more = cells.length > shownIds ? ', …' : '';
  throw new ToolFailure(
    `${file} has no cell ${JSON.stringify(id)}. ${cells.length === 0 ? 'It has no cells: insert one.' : `Its cells: ${known.join(', ')}${more}.`}`,
  );
}

const shownIds = 30;

function newCell({ cell_type, new_source }: NotebookInput, id: string | undefined): JsonObject {
  const isCode = cell_type === 'code';
  return {
    cell_type: cell_type ?? 'code',
    ...(isCode ? { execution_count: null } : {}),
    ...(id === undefined ? {} : { id }),
    metadata: {},
    ...(isCode ? { outputs: [] } : {}),
    source: splitLines(new_source),
  };
}

/** With all keys of the old cell, but without results of the old source. */
function changedCell({ cell_type, new_source }: NotebookInput, old: JsonObject): JsonObject {
  const type = cell_type ?? asString(old.cell_type) ?? 'code';
  const { outputs: _, execution_count: __, ...rest } = old;
  const results = type === 'code' ? { execution_count: null, outputs: [] } : {};
  const base = type === 'code' ? { ...old, ...results } : rest;
  return { ...base, cell_type: type, source: splitLines(new_source) };
}

/** As Jupyter stores it: each line with its end. */
function splitLines(source: string): string[] {
  return source === '' ? [] : source.split(/(?<=\n)/);
}
