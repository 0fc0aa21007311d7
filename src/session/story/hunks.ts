// A change of a file → its hunks: those that the client stored, else computed from what the model asked for. A text that
// is too different for a quick comparison is all removed and all added.
import { structuredPatch } from 'diff';
import { asString, isArray, isObject, type JsonObject } from '../../base/json/index.ts';
import type { Change, HunkView } from '../items/index.ts';

const maxChanges = 600;
const maxComparedChars = 200_000;

export function hunksOf(change: Change): readonly HunkView[] {
  switch (change.from) {
    case 'patch':
      return change.hunks;
    case 'edits':
      return editHunks(change.input);
    case 'content':
      return change.content === null || change.content === '' ? [] : [addedHunk(change.content)];
  }
}

/** An input of Edit or MultiEdit. */
export function isEdit(value: unknown): boolean {
  if (!isObject(value)) return false;
  return isArray(value.edits) || typeof value.old_string === 'string' || typeof value.new_string === 'string';
}

export function editHunks(input: JsonObject): readonly HunkView[] {
  const edits = isArray(input.edits) ? input.edits.filter(isObject) : [input];
  return edits.flatMap((edit) => compareTexts(asString(edit.old_string) ?? '', asString(edit.new_string) ?? ''));
}

/** The changes from one text to another. */
export function compareTexts(before: string, after: string): readonly HunkView[] {
  if (before === after) return [];
  const isSmall = before !== '' && after !== '' && before.length + after.length <= maxComparedChars;
  const patch = isSmall
    ? structuredPatch('', '', before, after, '', '', { context: 3, maxEditLength: maxChanges })
    : undefined;
  if (patch === undefined)
    return [{ oldStart: 1, newStart: 1, lines: [...marked('-', before), ...marked('+', after)] }];
  return patch.hunks.map(({ oldStart, newStart, lines }) => ({
    oldStart,
    newStart,
    lines: lines.filter((line) => !line.startsWith('\\')),
  }));
}

function addedHunk(content: string): HunkView {
  return { oldStart: 0, newStart: 1, lines: marked('+', content.endsWith('\n') ? content.slice(0, -1) : content) };
}

function marked(mark: string, text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => mark + line);
}

export function diffText(hunks: readonly HunkView[]): string {
  return hunks
    .map(({ oldStart, newStart, lines }) => {
      const removed = lines.filter((line) => !line.startsWith('+')).length;
      const added = lines.filter((line) => !line.startsWith('-')).length;
      return [`@@ -${oldStart},${removed} +${newStart},${added} @@`, ...lines].join('\n');
    })
    .join('\n');
}
