// A line of a planned transcript: its bytes, and where they come from. The origin lets the proof compare what was not
// to be changed with the file it was read from.
import type { JsonObject } from '../base/json.ts';
import { type Edit, editJson } from '../format/edit.ts';
import type { LineOrigin } from './bound-thinking.ts';

export interface OutLine extends LineOrigin {
  /** Without the newline. */
  readonly bytes: Buffer;
}

export function madeLine(entry: JsonObject): OutLine {
  return { bytes: Buffer.from(JSON.stringify(entry)), isEdited: false, isRenamed: false };
}

/** The line with these edits; a line that is no JSON object stays as it is. */
export function editLine(line: OutLine, edits: readonly Edit[], isRenaming = false): OutLine {
  if (edits.length === 0) return line;
  const bytes = editJson(line.bytes, edits);
  if (line.origin === undefined) return { ...line, bytes };
  const isOnlyRenamed = isRenaming && (!line.isEdited || line.isRenamed);
  return { ...line, bytes, isEdited: true, isRenamed: isOnlyRenamed };
}
