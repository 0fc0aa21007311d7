// Text from a transcript → lines after a mark or a bar, neutralised and wrapped to the width.

import type { JsonValue } from '../../base/json/index.ts';
import { displayWidth, neutralise, oneLine } from '../../base/text/index.ts';
import { type FinishedCall, outcomeOf, summariseInput, withoutFolder } from '../../session/calls/index.ts';
import type { Paint, Style } from '../terminal/index.ts';
import { wrapSpans } from './wrap.ts';

export interface HangingOptions {
  readonly mark: string;
  readonly width: number;
  readonly paintMark: Paint;
  readonly paint: Paint;
}

/** The mark before the first line; the other lines are aligned with its text. */
export function hanging(text: string, { mark, width, paintMark, paint }: HangingOptions): string {
  const lines = wrapSpans([{ text: neutralise(text), paint, keepSpaces: true }], width - 2);
  return lines.map((line, i) => `${i === 0 ? paintMark(mark) : ' '} ${line.text}`.trimEnd()).join('\n');
}

export function quoted(text: string, mark: string, { style, width }: { style: Style; width: number }): string {
  return hanging(text.trim(), { mark, width, paintMark: style.accent, paint: style.bold });
}

/** The bar before every line. Without a width lines are not wrapped, so that tool output can be copied. */
export function barred(text: string, bar: string, paint: Paint, width?: number): string {
  const safe = neutralise(text).trimEnd();
  const lines =
    width === undefined
      ? safe.split('\n').map(paint)
      : wrapSpans([{ text: safe, paint, keepSpaces: true }], width - bar.length).map((line) => line.text);
  return lines.map((line) => `${paint(bar)}${line}`.trimEnd()).join('\n');
}

/** `── 1 ── 2026-03-04 19:40 ────`: as many facts as fit, in a line across the width. */
export function rule(stroke: string, facts: readonly string[], width: number): string {
  let label = '';
  for (const fact of facts) {
    const longer = `${label}${stroke}${stroke} ${fact} `;
    if (displayWidth(longer) > width) break;
    label = longer;
  }
  return `${label}${stroke.repeat(Math.max(0, width - displayWidth(label)))}`;
}

export function indentLines(text: string, columns: number): string {
  return text.replace(/^(?!$)/gm, ' '.repeat(columns));
}

/** The first facts that fit, joined by dots. */
export function fitFacts(facts: readonly string[], width: number): string {
  let line = '';
  for (const fact of facts) {
    const longer = line === '' ? fact : `${line} · ${fact}`;
    if (displayWidth(longer) > width) break;
    line = longer;
  }
  return line;
}

/** The first visible row, moved only as far as needed to show the selected one. */
export function scrollTo(top: number, selected: number, rows: number, count: number): number {
  if (selected < top) return selected;
  if (selected >= top + rows) return selected - rows + 1;
  return Math.max(0, Math.min(top, count - rows));
}

export interface LineCall extends FinishedCall {
  readonly name: string;
  readonly input: JsonValue | undefined;
  /** Its input summary and its outcome, if the caller knows more than the input and the result say. */
  readonly summary?: string;
  readonly outcome?: string;
  /** The user declined or interrupted it, so it did not fail. */
  readonly isRefused?: boolean;
}

export interface CallLineOptions {
  readonly style: Style;
  readonly width: number;
  /** Paths below it are shown relative to it. */
  readonly cwd: string | undefined;
}

export function callLine(call: LineCall, result: string, { style, width, cwd }: CallLineOptions): string {
  const name = oneLine(call.name, Math.max(10, width - 30));
  const room = Math.max(10, width - displayWidth(name) - 3);
  const summary = oneLine(call.summary ?? withoutFolder(summariseInput(call.name, call.input), cwd), room);
  const outcome = oneLine(call.outcome ?? outcomeOf(call, result, summary), room);
  const [summaryWidth, outcomeWidth] = share(room - gap.length, displayWidth(summary), displayWidth(outcome));
  const mark = call.result === undefined ? style.yellow('?') : markOf(call, style);
  const paint = call.isRefused === true ? style.yellow : call.isError ? style.error : style.muted;
  const painted = paint(oneLine(outcome, outcomeWidth));
  const line = [`${mark} ${style.bold(name)}`, oneLine(summary, summaryWidth)].filter((part) => part !== '').join(' ');
  return painted === '' ? line : `${line}${gap}${painted}`;
}

function markOf({ isError, isRefused }: LineCall, style: Style): string {
  if (isRefused === true) return style.yellow('⊘');
  return isError ? style.error('✗') : style.ok('✓');
}

const gap = '  ';

/** Both in full if they fit; otherwise the outcome gets a third, or what the summary leaves. */
function share(room: number, summary: number, outcome: number): readonly [number, number] {
  const forOutcome = Math.min(outcome, Math.max(room - summary, Math.floor(room / 3)));
  return [Math.max(0, room - forOutcome), forOutcome];
}
