// Counted messages → blocks of five hours, the windows in which a subscription's limits are counted: a block begins at
// the full hour (UTC) of its first message; the first message that is five hours or more behind that begins the next.
import type { PricedMessage } from './library-usage.ts';

export interface UsageBlock {
  /** When it begins, as ISO 8601; empty for the messages without a time. */
  readonly key: string;
  readonly endsAt: number;
  /** Messages of now still go into it. */
  readonly isActive: boolean;
  readonly messages: readonly PricedMessage[];
}

const hourMs = 60 * 60 * 1000;
const blockMs = 5 * hourMs;

export function blocksOf(messages: readonly PricedMessage[], nowMs: number): readonly UsageBlock[] {
  const timed = messages.filter(({ line }) => !Number.isNaN(line.time)).sort((a, b) => a.line.time - b.line.time);
  const groups: { start: number; messages: PricedMessage[] }[] = [];
  for (const message of timed) {
    const { time } = message.line;
    const current = groups.at(-1);
    // A pause of five hours always ends a block: a block is no longer than that itself.
    if (current !== undefined && time < current.start + blockMs) current.messages.push(message);
    else groups.push({ start: Math.floor(time / hourMs) * hourMs, messages: [message] });
  }
  const blocks = groups.map(({ start, messages: own }) => ({
    key: new Date(start).toISOString(),
    endsAt: start + blockMs,
    isActive: start <= nowMs && nowMs < start + blockMs,
    messages: own,
  }));
  const untimed = messages.filter(({ line }) => Number.isNaN(line.time));
  return untimed.length === 0
    ? blocks
    : [{ key: '', endsAt: Number.NaN, isActive: false, messages: untimed }, ...blocks];
}
