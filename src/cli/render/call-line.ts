// A tool call and the text of its result → one line with its input summary and its outcome, for `clew show` and the
// console.
import type { JsonValue } from '../../base/json/json.ts';
import { displayWidth, oneLine } from '../../base/text/terminal-text.ts';
import { type FinishedCall, outcomeOf, withoutFolder } from '../../session/calls/call-result.ts';
import { summariseInput } from '../../session/calls/tool-summary.ts';
import type { Style } from '../terminal/style.ts';

export interface LineCall extends FinishedCall {
  readonly name: string;
  readonly input: JsonValue | undefined;
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
  const summary = oneLine(withoutFolder(summariseInput(call.name, call.input), cwd), room);
  const outcome = oneLine(outcomeOf(call, result, summary), room);
  const [summaryWidth, outcomeWidth] = share(room - gap.length, displayWidth(summary), displayWidth(outcome));
  const mark = call.result === undefined ? style.yellow('?') : call.isError ? style.error('✗') : style.ok('✓');
  const painted = (call.isError ? style.error : style.muted)(oneLine(outcome, outcomeWidth));
  const line = [`${mark} ${style.bold(name)}`, oneLine(summary, summaryWidth)].filter((part) => part !== '').join(' ');
  return painted === '' ? line : `${line}${gap}${painted}`;
}

const gap = '  ';

/** Both in full if they fit; otherwise the outcome gets a third, or what the summary leaves. */
function share(room: number, summary: number, outcome: number): readonly [number, number] {
  const forOutcome = Math.min(outcome, Math.max(room - summary, Math.floor(room / 3)));
  return [Math.max(0, room - forOutcome), forOutcome];
}
