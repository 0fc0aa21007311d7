// Some messages of a report → their receipts: the line that counts, and every line that was dropped, with the reason.
// The transcripts are read again and counted by the same rule, so that a receipt does not depend on what was kept.

import { systemErrorCode } from '../../base/errors/index.ts';
import type { PriceList } from '../../models/index.ts';
import { countUsage, type DroppedLine, type UsageLine } from '../../session/usage/index.ts';
import type { DiskProblem } from '../../store/index.ts';
import { readUsageLines } from '../rows/index.ts';
import { type PricedMessage, sessionsByFile, type UsageSession } from './cells.ts';
import type { UsageStore } from './usage-store.ts';

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
  readonly prices: PriceList;
  /** Whether a line the client made itself is of interest. */
  readonly isWanted: (line: UsageLine, session: UsageSession) => boolean;
}

export function findReceipts(
  store: UsageStore,
  messages: readonly PricedMessage[],
  { prices, isWanted }: ReceiptOptions,
): Receipts {
  const wanted = new Set(messages.map(({ line }) => messageKey(line)));
  const sessionOfFile = sessionsByFile(store);
  const sessions = new Map<string, UsageSession>();
  for (const line of store.lines()) {
    const session = sessionOfFile.get(line.file);
    if (session === undefined || sessions.has(line.file)) continue;
    const isOfClient = line.model === '<synthetic>' && isWanted(line, session);
    if (isOfClient || wanted.has(messageKey(line))) sessions.set(line.file, session);
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

function* readLinesOf(sessions: ReadonlyMap<string, UsageSession>, problems: DiskProblem[]): Generator<UsageLine> {
  for (const [file, { sessionId }] of sessions) {
    try {
      for (const line of readUsageLines(file, { sessionId }).usage) yield { ...line, file, sessionId };
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
