// Text from a transcript → lines behind a mark or a bar, neutralised and wrapped to the width.
import { neutralise } from '../base/terminal-text.ts';
import type { Paint, Style } from './terminal/style.ts';
import { wrapSpans } from './terminal/wrap.ts';

export interface HangingOptions {
  readonly mark: string;
  readonly width: number;
  readonly paintMark: Paint;
  readonly paint: Paint;
}

/** The mark before the first line, the others below its text. */
export function hanging(text: string, { mark, width, paintMark, paint }: HangingOptions): string {
  const lines = wrapSpans([{ text: neutralise(text), paint, keepSpaces: true }], width - 2);
  return lines.map((line, i) => `${i === 0 ? paintMark(mark) : ' '} ${line.text}`.trimEnd()).join('\n');
}

/** A text as a person typed it. */
export function quoted(text: string, mark: string, { style, width }: { style: Style; width: number }): string {
  return hanging(text.trim(), { mark, width, paintMark: style.accent, paint: style.bold });
}

/** The bar before every line. Lines stay as they are where `width` is not given: output is copied, not read. */
export function barred(text: string, bar: string, paint: Paint, width: number = Number.POSITIVE_INFINITY): string {
  const lines = wrapSpans([{ text: neutralise(text).trimEnd(), paint, keepSpaces: true }], width - bar.length);
  return lines.map((line) => `${paint(bar)}${line.text}`.trimEnd()).join('\n');
}

export function indentLines(text: string, columns: number): string {
  return text.replace(/^(?!$)/gm, ' '.repeat(columns));
}
