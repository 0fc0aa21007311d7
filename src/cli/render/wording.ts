// Short texts that several commands print: times, folders, operations.
import { homedir } from 'node:os';
import { counted } from '../../base/text/index.ts';
import type { UsageSum } from '../../library/usage/index.ts';

/** `2026-03-04 19:40`, in the local time zone. */
export function localTime(timeMs: number): string {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `14:03:22`. */
export function clockTime(timeMs: number): string {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return '';
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** The end of an operation's id, which `clew undo` accepts; the start is only the time. */
export function shortOperation(id: string): string {
  return id.slice(id.lastIndexOf('-') + 1);
}

/** With `~` for the home directory. */
export function shortFolder(folder: string): string {
  const home = homedir();
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}

/** `unpriced`, or the cost, marked if it is a lower bound. */
export function costText(sum: UsageSum): string {
  if (sum.costMicroUsd === undefined) return 'unpriced';
  return `${sum.outputIsLowerBound || sum.unpricedMessages > 0 ? '≥ ' : ''}${formatCost(sum.costMicroUsd)}`;
}

/** `+ 1,234 tokens without a price`; empty if every token has one. */
export function unpricedText({ unpricedTokens, costMicroUsd }: UsageSum): string {
  if (unpricedTokens === 0 || costMicroUsd === undefined) return '';
  return `+ ${counted(unpricedTokens, 'token')} without a price`;
}

export function formatCost(microUsd: number): string {
  const isTiny = microUsd > 0 && microUsd < 10_000;
  const text = (microUsd / 1_000_000).toFixed(isTiny ? (microUsd < 100 ? 6 : 4) : 2);
  return `$${text.replace(/\B(?=(?:\d{3})+\.)/g, ',')}`;
}

export function shortIds(ids: Iterable<string>): ReadonlyMap<string, string> {
  const sorted = Array.from(new Set(ids), (id) => ({ id, lower: id.toLowerCase() })).sort((a, b) =>
    a.lower < b.lower ? -1 : 1,
  );
  return new Map(
    sorted.map(({ id, lower }, i) => {
      const shared = Math.max(sharedLength(lower, sorted[i - 1]?.lower), sharedLength(lower, sorted[i + 1]?.lower));
      return [id, id.slice(0, Math.max(minLength, shared + 1))];
    }),
  );
}

const minLength = 8;

function sharedLength(a: string, b = ''): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** Dollars for JSON; sums of them are exact only in millionths. */
export function usdOf(microUsd: number | undefined): number | null {
  return microUsd === undefined ? null : microUsd / 1e6;
}
