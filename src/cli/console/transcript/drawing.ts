// The drawing context of the screen, and helpers that make lines safe and fit them to the width.

import { structuredPatch } from 'diff';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../../base/json/index.ts';
import { neutralise, reveal, truncate } from '../../../base/text/index.ts';
import { type Hunk, isHunk } from '../../../format/entry/index.ts';
import { wrapSpans } from '../../render/index.ts';
import type { Style } from '../../terminal/index.ts';

export interface Drawing {
  readonly style: Style;
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  /** Paths inside this folder are shown relative to it. */
  readonly cwd: string;
}

/** Lines of tool output or of a file, each cut to the width, with spaces kept. */
export function safeLines(text: string, width: number): string[] {
  return neutralise(text)
    .split('\n')
    .map((line) => truncate(line.replaceAll('\t', '    ').trimEnd(), width));
}

/** The whole text for a decision of the user: wrapped, never cut, with invisible characters shown. */
export function wholeLines(text: string, width: number): string[] {
  const span = { text: reveal(text).replaceAll('\t', '    '), paint: (part: string) => part, keepSpaces: true };
  return wrapSpans([span], Math.max(1, width), true).map((line) => line.text);
}

/** The first `rows` lines; the last one says how many are left out. */
export function firstLines(lines: readonly string[], rows: number, say: (text: string) => string): string[] {
  if (lines.length <= rows) return [...lines];
  if (rows <= 0) return [];
  return [...lines.slice(0, rows - 1), say(`… ${lines.length - rows + 1} more lines`)];
}

export interface DiffOptions {
  readonly style: Style;
  readonly width: number;
  /** If not set, the change is not in a file yet, and lines have no numbers. */
  readonly isPlaced: boolean;
  /** For a decision of the user: long lines wrap, and invisible characters are shown. */
  readonly isWhole?: boolean;
}

/** The change in the stored result of a call; empty if no file was changed. */
export function storedHunks(stored: JsonValue): readonly Hunk[] {
  const result = asObject(stored);
  const patch = result?.structuredPatch;
  const hunks = isArray(patch) ? patch.filter(isHunk) : [];
  const content = asString(result?.content);
  if (hunks.length > 0 || result?.type !== 'create' || content === undefined) return hunks;
  return hunksBetween('', content);
}

/** The change that an Edit, MultiEdit or Write requests. The file is not read. */
export function askedHunks(name: string, input: JsonObject): readonly Hunk[] {
  if (name === 'Write') return hunksBetween('', asString(input.content) ?? '');
  const edits = isArray(input.edits) ? input.edits.filter(isObject) : [input];
  return edits.flatMap(({ old_string, new_string }) =>
    typeof old_string === 'string' && typeof new_string === 'string' ? hunksBetween(old_string, new_string) : [],
  );
}

export function countChanges(hunks: readonly Hunk[]): { readonly added: number; readonly removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines.filter((line) => typeof line === 'string'));
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

export function diffLines(hunks: readonly Hunk[], { style, width, isPlaced, isWhole = false }: DiffOptions): string[] {
  const last = hunks.at(-1);
  const digits = isPlaced && last !== undefined ? String(last.oldStart + last.oldLines + last.newLines).length : 0;
  return hunks.flatMap((hunk, i) => [
    ...(i === 0 ? [] : [style.muted(`${' '.repeat(digits)} ⋯`)]),
    ...hunkLines(hunk, { style, width, digits, isWhole }),
  ]);
}

/** Above this size the comparison would be slow; everything is shown as removed and added. */
const maxDiffChars = 200_000;

function hunksBetween(before: string, after: string): readonly Hunk[] {
  if (before.length + after.length > maxDiffChars) {
    return [
      wholeHunk([...withoutEnd(before).map((line) => `-${line}`), ...withoutEnd(after).map((line) => `+${line}`)]),
    ];
  }
  return structuredPatch('', '', before, after, '', '', { context: 2 }).hunks;
}

function withoutEnd(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function wholeHunk(lines: readonly string[]): Hunk {
  return { oldStart: 1, oldLines: lines.length, newStart: 1, newLines: lines.length, lines };
}

function hunkLines(
  hunk: Hunk,
  {
    style,
    width,
    digits,
    isWhole,
  }: { readonly style: Style; readonly width: number; readonly digits: number; readonly isWhole: boolean },
): string[] {
  let oldLine = hunk.oldStart;
  let newLine = hunk.newStart;
  const room = width - (digits === 0 ? 2 : digits + 3);
  const gutter = (number: number): string => (digits === 0 ? '' : `${String(number).padStart(digits)} `);
  return hunk.lines.flatMap((line) => {
    if (typeof line !== 'string' || line.startsWith('\\')) return [];
    const [text = '', ...more] = isWhole ? wholeLines(line.slice(1), room) : safeLines(line.slice(1), room).slice(0, 1);
    const rest = more.map((each) => `${' '.repeat(digits === 0 ? 0 : digits + 1)}  ${each}`);
    if (line.startsWith('-')) return [`${gutter(oldLine++)}- ${text}`, ...rest].map(style.red);
    if (line.startsWith('+')) return [`${gutter(newLine++)}+ ${text}`, ...rest].map(style.green);
    oldLine += 1;
    return [`${style.muted(gutter(newLine++))}  ${text}`.trimEnd(), ...rest];
  });
}
