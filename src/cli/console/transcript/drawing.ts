// The drawing context of the screen, and helpers that make lines safe and fit them to the width.

import { neutralise } from '../../../base/text/hostile-text.ts';
import { reveal } from '../../../base/text/revealed-text.ts';
import { truncate } from '../../../base/text/terminal-text.ts';
import { wrapSpans } from '../../render/wrap.ts';
import type { Style } from '../../terminal/style.ts';

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
