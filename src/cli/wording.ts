// Facts about a session → the few words that several commands print for them.
import { formatCount, formatTokens } from '../base/human.ts';
import type { UsageTotals } from '../session/usage.ts';

/** `1 turn`, `2,300 turns`. */
export function counted(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** `43.5k in, 574 out`; cached input counts as input, and a lower bound is marked. */
export function usageText(usage: UsageTotals): string {
  const read = usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  return `${formatTokens(read)} in, ${outputText(usage)}`;
}

export function outputText(usage: UsageTotals): string {
  return `${usage.outputIsLowerBound ? '≥ ' : ''}${formatTokens(usage.outputTokens)} out`;
}

/** In the reader's time zone, in the one order that needs no explanation. */
export function localTime(timeMs: number): string {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `14:03:22`, for lines that are printed as things happen. */
export function clockTime(timeMs: number): string {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return '';
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** The end of an operation's id, which `clew undo` takes as well: its beginning is only the time. */
export function shortOperation(id: string): string {
  return id.slice(id.lastIndexOf('-') + 1);
}
