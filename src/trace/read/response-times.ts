// When an API response started and ended. Only 2.1.300 and later write when a request was sent; otherwise a response starts
// at the line that caused it: the prompt or the last result.
import type { TraceLine } from './trace-line.ts';

/** The times of the lines before a response. Plain JSON, stored between runs. */
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

export function causeAfter(line: TraceLine, before: Cause): Cause {
  const { timeMs } = line;
  if (timeMs === undefined) return before;
  return line.role === 'user' ? { lastMs: timeMs, inputMs: timeMs } : { ...before, lastMs: timeMs };
}

/** `lines`: the lines of the response. The cause is the state before the first of them. */
export function responseTimes(lines: readonly TraceLine[], { lastMs, inputMs }: Cause): ResponseTimes {
  const times = lines.flatMap((line) => line.timeMs ?? []);
  const sentMs = lines.find((line) => line.requestMs !== undefined)?.requestMs;
  if (times.length === 0) return { startMs: sentMs ?? lastMs, endMs: sentMs ?? lastMs };
  const endMs = Math.max(...times);
  // Two responses with the same time were requested together: the first did not cause the second.
  const causeMs = lastMs !== undefined && lastMs < endMs ? lastMs : inputMs;
  return { startMs: Math.min(sentMs ?? causeMs ?? endMs, ...times), endMs };
}
