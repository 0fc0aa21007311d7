// Extracts the cells of a Jupyter notebook and the text of their outputs. The JSON itself is mostly escapes and base64
// and would fill the context window.
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../../base/json/json.ts';

/** Returns `undefined` if the text is not a notebook. */
export function readNotebook(text: string): string | undefined {
  const cells = asObject(parseJson(text))?.cells;
  if (!isArray(cells)) return undefined;
  return cells
    .filter(isObject)
    .map((cell, i) => showCell(cell, i))
    .join('\n');
}

function showCell(cell: JsonObject, index: number): string {
  const id = asString(cell.id) ?? `cell-${index}`;
  const head = `<cell id="${id}" type="${asString(cell.cell_type) ?? 'unknown'}">`;
  const outputs = isArray(cell.outputs) ? cell.outputs.filter(isObject).flatMap(showOutput) : [];
  const shown = outputs.length === 0 ? [] : ['<output>', ...outputs, '</output>'];
  return [head, joinText(cell.source), ...shown, '</cell>'].join('\n');
}

function showOutput(output: JsonObject): string[] {
  if (output.output_type === 'error')
    return [`${asString(output.ename) ?? 'Error'}: ${asString(output.evalue) ?? ''}`, joinText(output.traceback)];
  const data = asObject(output.data);
  if (data === undefined) return [joinText(output.text)];
  const pictures = Object.keys(data).filter((type) => type.startsWith('image/'));
  return [joinText(data['text/plain']), ...pictures.map((type) => `[${type}, not shown]`)];
}

/** Text is a string or a list of lines. */
function joinText(value: JsonValue | undefined): string {
  if (isArray(value)) return value.filter((line) => typeof line === 'string').join('');
  return asString(value) ?? '';
}
