// A Jupyter notebook (.ipynb) as the model sees it: each cell with its id, its source and its outputs; images of outputs
// as image blocks.
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../../base/json/index.ts';
import type { ToolOutcome } from '../../contract/index.ts';
import { fitImage } from '../../media/index.ts';
import { limits, ToolFailure } from '../shared/index.ts';
import type { FoundFile } from './file-access.ts';

export function isNotebook({ file }: Pick<FoundFile, 'file'>): boolean {
  return /\.ipynb$/i.test(file);
}

export interface Notebook {
  readonly language: string;
  readonly minorVersion: number;
  readonly cells: readonly JsonObject[];
}

export function parseNotebook(file: string, text: string): Notebook {
  const value = parseJson(text);
  if (value === undefined)
    throw new ToolFailure(
      `${file} is not a notebook: it is not valid JSON, so it may be cut off, damaged or just being written. Look at it with Bash: head -c 500, or jq.`,
    );
  const notebook = asObject(value) ?? {};
  const { cells } = notebook;
  if (!isArray(cells) || !cells.every((cell) => isObject(cell) && isText(cell.source)))
    throw new ToolFailure(
      `${file} is not a notebook: its "cells" must be a list of cells, each with a "source". Look at it with Bash: jq.`,
    );
  const metadata = asObject(notebook.metadata) ?? {};
  return {
    language: asString(asObject(metadata.language_info)?.name) ?? 'python',
    minorVersion: Number(notebook.nbformat) === 4 ? Number(notebook.nbformat_minor ?? 0) : 0,
    cells: cells.filter(isObject),
  };
}

/** Notebooks before version 4.5 have no ids: `cell-0`, `cell-1`, … */
export function idOf(cell: JsonObject, index: number): string {
  return asString(cell.id) ?? `cell-${index}`;
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === 'string' || (isArray(value) && value.every((line) => typeof line === 'string'));
}

/** Text is a string or a list of lines. */
export function joinText(value: JsonValue | undefined): string {
  if (isArray(value)) return value.filter((line) => typeof line === 'string').join('');
  return asString(value) ?? '';
}

export async function showNotebook(found: FoundFile, text: string): Promise<ToolOutcome> {
  const notebook = parseNotebook(found.file, text);
  const budget = { images: limits.read.notebookImages };
  const content = new Content();
  const cells: JsonObject[] = [];
  for (const [index, cell] of notebook.cells.entries()) {
    const outputs = await readOutputs(cell, index, found.file, budget);
    if (index > 0 && !content.fits(cell, outputs)) {
      content.add(
        `(The result was full: cells ${index} to ${notebook.cells.length - 1} are left out. Use Bash: jq '.cells[${index}:]' ${JSON.stringify(found.file)})`,
      );
      break;
    }
    cells.push(storedCell(cell, index, notebook, outputs));
    content.add(showCell(cell, index, notebook));
    for (const output of outputs) content.addOutput(output);
  }
  return {
    content: content.blocks,
    isError: false,
    stored: { type: 'notebook', file: { filePath: found.file, cells } },
  };
}

interface Output {
  readonly type: string;
  readonly text?: string;
  readonly image?: { readonly data: string; readonly type: string };
}

function showCell(cell: JsonObject, index: number, { language }: Notebook): string {
  const id = idOf(cell, index);
  const type = asString(cell.cell_type) ?? 'code';
  const kind = type === 'code' ? '' : `<cell_type>${type}</cell_type>`;
  const spoken = type === 'code' && language !== 'python' ? `<language>${language}</language>` : '';
  return `<cell id="${id}">${kind}${spoken}${joinText(cell.source)}</cell id="${id}">`;
}

function storedCell(cell: JsonObject, index: number, { language }: Notebook, outputs: readonly Output[]): JsonObject {
  const cellType = asString(cell.cell_type) ?? 'code';
  const isCode = cellType === 'code';
  return {
    cellType,
    source: joinText(cell.source),
    ...(typeof cell.execution_count === 'number' ? { execution_count: cell.execution_count } : {}),
    cell_id: idOf(cell, index),
    ...(isCode ? { language } : {}),
    ...(outputs.length === 0 ? {} : { outputs: outputs.map(storedOutput) }),
  };
}

function storedOutput({ type, text, image }: Output): JsonObject {
  return {
    output_type: type,
    ...(text === undefined ? {} : { text }),
    ...(image === undefined ? {} : { image: { image_data: image.data, media_type: image.type } }),
  };
}

async function readOutputs(
  cell: JsonObject,
  index: number,
  file: string,
  budget: { images: number },
): Promise<readonly Output[]> {
  const outputs: Output[] = [];
  for (const output of isArray(cell.outputs) ? cell.outputs.filter(isObject) : [])
    outputs.push(await readOutput(output, budget));
  const chars = outputs.reduce((sum, { text = '' }) => sum + text.length, 0);
  if (chars <= limits.read.outputChars) return outputs;
  const text = `Its outputs have ${chars} characters and are left out. Use Bash: jq '.cells[${index}].outputs' ${JSON.stringify(file)}`;
  return [
    { type: 'stream', text },
    ...outputs.flatMap(({ type, image }) => (image === undefined ? [] : { type, image })),
  ];
}

async function readOutput(output: JsonObject, budget: { images: number }): Promise<Output> {
  const type = asString(output.output_type) ?? 'stream';
  if (type === 'error') {
    const traceback = isArray(output.traceback) ? output.traceback.filter((line) => typeof line === 'string') : [];
    const head = `${asString(output.ename) ?? 'Error'}: ${asString(output.evalue) ?? ''}`;
    return { type, text: [head, ...traceback].join('\n').toWellFormed() };
  }
  const data = asObject(output.data);
  if (data === undefined) return { type, text: joinText(output.text).toWellFormed() };
  const text = joinText(data['text/plain']).toWellFormed();
  const base64 = joinText(data['image/png'] ?? data['image/jpeg']).replace(/\s/g, '');
  if (base64 === '') return { type, text };
  if (--budget.images < 0) return { type, text: `${text}\n[an image: more than fit into one result]` };
  const image = await fitImage(Buffer.from(base64, 'base64'));
  if (image === undefined) return { type, text: `${text}\n[an image that cannot be read]` };
  if ('problem' in image) return { type, text: `${text}\n[an image that is not shown: ${image.problem}]` };
  return { type, text, image: { data: image.bytes.toString('base64'), type: image.type } };
}

/** Adjacent texts are one block. */
class Content {
  readonly blocks: JsonObject[] = [];
  private chars = 0;

  fits(cell: JsonObject, outputs: readonly Output[]): boolean {
    const texts = outputs.reduce((sum, { text = '' }) => sum + text.length, 0);
    return this.chars + joinText(cell.source).length + texts <= limits.read.totalChars;
  }

  add(text: string): void {
    this.chars += text.length;
    const last = this.blocks.at(-1);
    if (last?.type === 'text') this.blocks[this.blocks.length - 1] = textBlock(`${asString(last.text) ?? ''}\n${text}`);
    else this.blocks.push(textBlock(text));
  }

  addOutput({ text, image }: Output): void {
    if (text !== undefined) this.add(`\n${text}`);
    if (image !== undefined)
      this.blocks.push({ type: 'image', source: { type: 'base64', media_type: image.type, data: image.data } });
  }
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text: text.toWellFormed() };
}
