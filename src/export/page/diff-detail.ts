// A call that changed a file → its diff: the patch that the client stored, else the change that was asked for.
import { asObject, asString, isArray } from '../../base/json.ts';
import { isHunk } from '../../format/tool-result.ts';
import { type CallSource, inputRef, shortText } from './call-source.ts';
import type { DiffDetail, HunkView } from './detail.ts';
import { addedHunk, editHunks, isEdit } from './hunks.ts';
import { firstChars, refTo } from './text.ts';
import type { Ref } from './view.ts';

const maxLines = 240;
const lineChars = 1_000;

export function diffDetail(source: CallSource): DiffDetail {
  const { call, input } = source;
  const stored = asObject(source.stored);
  const patch = isArray(stored?.structuredPatch) ? stored.structuredPatch.filter(isHunk) : [];
  const file = shortText(input.file_path ?? input.notebook_path) ?? '';
  if (patch.length > 0 && call.result !== undefined) {
    return cutDiff(file, false, patch, refTo(call.result, 'toolUseResult', 'structuredPatch'));
  }
  if (isEdit(input)) return cutDiff(file, false, editHunks(input), inputRef(source));
  const key = input.new_source === undefined ? 'content' : 'new_source';
  const content = asString(input[key]) ?? '';
  return cutDiff(file, stored?.type !== 'update', content === '' ? [] : [addedHunk(content)], inputRef(source, key));
}

function cutDiff(file: string, isNew: boolean, hunks: readonly HunkView[], at: Ref): DiffDetail {
  let added = 0;
  let removed = 0;
  let left = maxLines;
  let more = 0;
  const kept: HunkView[] = [];
  for (const { oldStart, newStart, lines } of hunks) {
    for (const line of lines) {
      if (line.startsWith('+')) added++;
      else if (line.startsWith('-')) removed++;
    }
    const shown = lines.slice(0, left);
    left -= shown.length;
    more += lines.length - shown.length + shown.filter((line) => line.length > lineChars).length;
    if (shown.length > 0) kept.push({ oldStart, newStart, lines: shown.map((line) => firstChars(line, lineChars)) });
  }
  return { as: 'diff', file, isNew, hunks: kept, added, removed, more, at: more === 0 ? null : at };
}
