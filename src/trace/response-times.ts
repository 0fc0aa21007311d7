// When a response of the API began and ended. Only 2.1.300 and later write when a request was sent, so a response begins
// where the line before it was written: the prompt or the last result, which is what caused it.
import type { TraceLine } from './trace-line.ts';

/** The times of the lines before a response: plain JSON, kept between two runs. */
export interface Cause {
  /** Of the last line. */
  readonly lastMs?: number;
  /** Of the last line that a user, a tool or the client wrote. */
  readonly inputMs?: number;
}

export interface ResponseTimes {
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

/** What causes the lines after `line`. */
export function causeAfter(line: TraceLine, before: Cause): Cause {
  const { timeMs } = line;
  if (timeMs === undefined) return before;
  return line.role === 'user' ? { lastMs: timeMs, inputMs: timeMs } : { ...before, lastMs: timeMs };
}

/** `lines` are those of the response, `cause` is what was written before the first of them. */
export function responseTimes(lines: readonly TraceLine[], { lastMs, inputMs }: Cause): ResponseTimes {
  const times = lines.flatMap((line) => line.timeMs ?? []);
  const sentMs = lines.find((line) => line.requestMs !== undefined)?.requestMs;
  if (times.length === 0) return { startMs: sentMs ?? lastMs, endMs: sentMs ?? lastMs };
  const endMs = Math.max(...times);
  // Two responses of the same moment were asked for together: the second one was not caused by the first.
  const causeMs = lastMs !== undefined && lastMs < endMs ? lastMs : inputMs;
  return { startMs: Math.min(sentMs ?? causeMs ?? endMs, ...times), endMs };
}
