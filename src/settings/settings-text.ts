// Changes single values in the text of a settings file of Claude Code (settings.json, .claude.json). Everything else,
// with its order, indentation, line ends and byte order mark, stays as it is.
import { UserError } from '../base/errors/index.ts';
import { asObject, type JsonObject, parseJson } from '../base/json/index.ts';
import { type Edit, editJson, layoutLike } from '../format/bytes/index.ts';

/** `text`: `undefined` if there is no file. */
export function parseSettings(text: string | undefined, name: string): JsonObject {
  if (isBlank(text)) return {};
  const settings = asObject(parseJson(text.replace(byteOrderMark, '')));
  if (settings === undefined)
    throw new UserError(`${name} is not a JSON object`, 'correct it first; nothing was changed');
  return settings;
}

/** The text must be that of an object (`parseSettings`). Without an edit it stays the same text. */
export function editSettings(text: string | undefined, edits: readonly Edit[]): string {
  if (edits.length === 0) return text ?? '';
  const mark = byteOrderMark.exec(text ?? '')?.[0] ?? '';
  const bytes = Buffer.from(isBlank(text) ? '{}\n' : text.slice(mark.length));
  return `${mark}${editJson(bytes, edits, layoutLike(bytes)).toString('utf8')}`;
}

function isBlank(text: string | undefined): text is undefined {
  return text === undefined || text.replace(byteOrderMark, '').trim() === '';
}

const byteOrderMark = /^\uFEFF/;
