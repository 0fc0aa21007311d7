// A tool call and the text of its result → one line with what it did and what came of it, as `clew show` and the
// console print it.
import type { JsonValue } from '../base/json.ts';
import { displayWidth, oneLine } from '../base/terminal-text.ts';
import { type FinishedCall, outcomeOf, withoutFolder } from '../session/call-result.ts';
import { summariseInput } from '../session/tool-summary.ts';
import type { Style } from './terminal/style.ts';

export interface LineCall extends FinishedCall {
  readonly name: string;
  readonly input: JsonValue | undefined;
}

export interface CallLineOptions {
  readonly style: Style;
  readonly width: number;
  /** Paths below it are shown without it. */
  readonly cwd: string | undefined;
}

export function callLine(call: LineCall, result: string, { style, width, cwd }: CallLineOptions): string {
  const name = oneLine(call.name, Math.max(10, width - 30));
  const room = Math.max(10, width - displayWidth(name) - 3);
  const did = oneLine(withoutFolder(summariseInput(call.name, call.input), cwd), room);
  const came = oneLine(outcomeOf(call, result, did), room);
  const [didWidth, cameWidth] = share(room - gap.length, displayWidth(did), displayWidth(came));
  const mark = call.result === undefined ? style.yellow('?') : call.isError ? style.error('✗') : style.ok('✓');
  const outcome = (call.isError ? style.error : style.muted)(oneLine(came, cameWidth));
  const line = [`${mark} ${style.bold(name)}`, oneLine(did, didWidth)].filter((part) => part !== '').join(' ');
  return outcome === '' ? line : `${line}${gap}${outcome}`;
}

const gap = '  ';

/** Both in full where they fit; else the outcome has a third, or what the input leaves. */
function share(room: number, did: number, came: number): readonly [number, number] {
  const forOutcome = Math.min(came, Math.max(room - did, Math.floor(room / 3)));
  return [Math.max(0, room - forOutcome), forOutcome];
}
