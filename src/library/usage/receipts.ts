// Some messages of a report → their receipts: the line that counts, and every line that was dropped, with the reason.
// The transcripts are read again and counted by the same rule, so that a receipt does not depend on the index.

import { systemErrorCode } from '../../base/errors/index.ts';
import type { PriceList } from '../../models/index.ts';
import { countUsage, type DroppedLine, type UsageLine } from '../../session/usage/index.ts';
import type { DiskProblem } from '../../store/index.ts';
import { type Database, readRows } from '../index/index.ts';
import {
  linesOf,
  type PricedMessage,
  type UsagePart,
  type UsageScope,
  type UsageSession,
  usageParts,
} from './cells.ts';

export interface Receipt {
  readonly message: PricedMessage;
  readonly dropped: readonly DroppedLine[];
}

export interface Receipts {
  readonly receipts: readonly Receipt[];
  /** Lines that the client made itself: they belong to no message that counts. */
  readonly synthetic: readonly DroppedLine[];
  readonly problems: readonly DiskProblem[];
}

export interface ReceiptOptions {
  readonly scope: UsageScope;
  readonly prices: PriceList;
  /** Whether a line the client made itself is of interest. */
  readonly isWanted: (line: UsageLine, session: UsageSession) => boolean;
}

export function findReceipts(
  database: Database,
  messages: readonly PricedMessage[],
  { scope, prices, isWanted }: ReceiptOptions,
): Receipts {
  const wanted = new Set(messages.map(({ line }) => messageKey(line)));
  const sessions = new Map<string, UsageSession>();
  for (const part of usageParts(database, scope)) {
    if (sessions.has(part.file) || !concerns(part, wanted, isWanted)) continue;
    sessions.set(part.file, part.session);
  }
  const problems: DiskProblem[] = [];
  const count = countUsage(readLinesOf(sessions, problems));
  const sessionOf = (line: UsageLine): UsageSession => sessions.get(line.file) as UsageSession; // only these were read
  const receipts = count.messages
    .filter(({ line }) => wanted.has(messageKey(line)))
    .map((message) => {
      const costMicroUsd = prices.costOf(message.line.model, message.usage, message.line.time);
      return { message: { ...message, session: sessionOf(message.line), costMicroUsd }, dropped: [] as DroppedLine[] };
    });
  assign(count.dropped, receipts);
  const synthetic = count.dropped.filter(
    ({ line, reason }) => reason === 'synthetic' && isWanted(line, sessionOf(line)),
  );
  return { receipts, synthetic, problems };
}

function concerns(part: UsagePart, wanted: ReadonlySet<string>, isWanted: ReceiptOptions['isWanted']): boolean {
  for (const line of linesOf([part])) {
    if (wanted.has(messageKey(line))) return true;
    if (line.model === '<synthetic>' && isWanted(line, part.session)) return true;
  }
  return false;
}

function* readLinesOf(sessions: ReadonlyMap<string, UsageSession>, problems: DiskProblem[]): Generator<UsageLine> {
  for (const [file, { sessionId }] of sessions) {
    try {
      const { usage } = readRows({ path: file, sessionId, offset: 0, line: 0, maxBytes: Number.POSITIVE_INFINITY });
      for (const line of usage) yield { ...line, file, sessionId };
    } catch (error) {
      problems.push({ path: file, code: systemErrorCode(error) ?? 'EIO' });
    }
  }
}

/** Assigns every dropped line to its message: that of its request if two messages have the same id. */
function assign(
  dropped: readonly DroppedLine[],
  receipts: readonly { message: PricedMessage; dropped: DroppedLine[] }[],
): void {
  const byKey = new Map<string, (typeof receipts)[number][]>();
  for (const receipt of receipts) {
    const key = messageKey(receipt.message.line);
    byKey.set(key, [...(byKey.get(key) ?? []), receipt]);
  }
  for (const drop of dropped) {
    const candidates = drop.reason === 'synthetic' ? undefined : byKey.get(messageKey(drop.line));
    const own = candidates?.find(({ message }) => message.line.requestId === drop.line.requestId) ?? candidates?.[0];
    own?.dropped.push(drop);
  }
}

function messageKey({ messageId, uuid, file, line }: UsageLine): string {
  return messageId ?? uuid ?? `${file}:${line}`;
}
