// A line of a planned transcript: its bytes, and where they come from. By the origin, the proof compares unchanged lines
// with their file.
import type { JsonObject } from '../../base/json/json.ts';
import { type Edit, editJson } from '../../format/bytes/edit.ts';
import type { LineOrigin } from '../request/bound-thinking.ts';

export interface OutLine extends LineOrigin {
  /** Without the newline. */
  readonly bytes: Buffer;
}

/** Splits after each newline. */
export function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    const next = end < 0 ? bytes.length : end + 1;
    lines.push(bytes.subarray(start, next));
    start = next;
  }
  return lines;
}

export function madeLine(entry: JsonObject): OutLine {
  return { bytes: Buffer.from(JSON.stringify(entry)), isEdited: false, isRenamed: false };
}

export function editLine(line: OutLine, edits: readonly Edit[], isRenaming = false): OutLine {
  if (edits.length === 0) return line;
  const bytes = editJson(line.bytes, edits);
  if (line.origin === undefined) return { ...line, bytes };
  const isOnlyRenamed = isRenaming && (!line.isEdited || line.isRenamed);
  return { ...line, bytes, isEdited: true, isRenamed: isOnlyRenamed };
}
