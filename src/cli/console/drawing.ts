// What every part of the console's screen is drawn with, and the few ways lines are made safe and made to fit.
import { reveal } from '../../base/revealed-text.ts';
import { displayWidth, neutralise, truncate } from '../../base/terminal-text.ts';
import type { Style } from '../terminal/style.ts';
import { wrapSpans } from '../terminal/wrap.ts';

export interface Drawing {
  readonly style: Style;
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  /** Paths below it are shown without it. */
  readonly cwd: string;
}

/** Lines of a tool's output or a file: each cut to the width, spaces kept. */
export function safeLines(text: string, width: number): string[] {
  return neutralise(text)
    .split('\n')
    .map((line) => truncate(line.replaceAll('\t', '    ').trimEnd(), width));
}

/** All of the text that a person decides about: wrapped, never cut, and with nothing in it that cannot be seen. */
export function wholeLines(text: string, width: number): string[] {
  const span = { text: reveal(text).replaceAll('\t', '    '), paint: (part: string) => part, keepSpaces: true };
  return wrapSpans([span], Math.max(1, width), true).map((line) => line.text);
}

/** The first `rows` lines, the last of them saying how many are left out. */
export function firstLines(lines: readonly string[], rows: number, say: (text: string) => string): string[] {
  if (lines.length <= rows) return [...lines];
  if (rows <= 0) return [];
  return [...lines.slice(0, rows - 1), say(`… ${lines.length - rows + 1} more lines`)];
}

/** The facts that fit, from the first on, with dots between. */
export function fitFacts(facts: readonly string[], width: number): string {
  let line = '';
  for (const fact of facts) {
    const longer = line === '' ? fact : `${line} · ${fact}`;
    if (displayWidth(longer) > width) break;
    line = longer;
  }
  return line;
}
