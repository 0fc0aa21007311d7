// A line of a transcript → its user and assistant records and compaction marks, parsed, with their heads. All other
// records are skipped after the scan, so that they cost no parsing.
import { asObject, asString } from '../../base/json/json.ts';
import { asEntry, type Entry, roleOf } from '../../format/entry/entry.ts';
import { parseLine } from '../../format/line/line.ts';
import type { Head } from '../../format/scan/head.ts';
import { scanRecord } from '../../format/scan/scan.ts';
import type { Line } from '../../store/lines.ts';

export interface TraceLine {
  readonly number: number;
  readonly offset: number;
  readonly length: number;
  readonly role: 'user' | 'assistant' | 'compaction';
  readonly entry: Entry;
  readonly head: Head;
  readonly timeMs: number | undefined;
  /** When the client sent the request that this line answers (2.1.300 and later); set by line-order.ts. */
  readonly requestMs?: number;
  /** The uuid of the nearest message line above it, if that line was read before. */
  readonly parent?: string;
}

export function traceLinesOf(line: Line): readonly TraceLine[] {
  // The bytes of a line that is too long to hold are incomplete.
  if (line.bytes.length < line.length) return [];
  const head = scanRecord(line.bytes);
  if (head !== undefined && !mayBeMessage(head)) return [];
  const found: TraceLine[] = [];
  for (const { entry, bytes } of parseLine(line.bytes).pieces) {
    const role = entry === undefined ? undefined : traceRoleOf(entry);
    if (entry === undefined || role === undefined) continue;
    const own = bytes.length === line.bytes.length ? head : scanRecord(bytes);
    if (own === undefined) continue;
    found.push({
      number: line.number,
      offset: line.offset,
      length: line.length,
      role,
      entry: asEntry(entry) ?? {},
      head: own,
      timeMs: timeOf(entry),
    });
  }
  return found;
}

/** The id of the request that a line answers (2.1.300 and later). */
export function requestRefOf(line: TraceLine): string | undefined {
  return asString((line.entry as { readonly requestRef?: unknown }).requestRef);
}

/** The id and time of an `api-request` line. */
export function requestOf(line: Line): { readonly id: string; readonly timeMs: number } | undefined {
  const entry = parseLine(line.bytes).pieces[0]?.entry;
  const id = asString((entry as { readonly id?: unknown } | undefined)?.id);
  const timeMs = entry === undefined ? undefined : timeOf(entry);
  return id === undefined || timeMs === undefined ? undefined : { id, timeMs };
}

function mayBeMessage(head: Head): boolean {
  if (head.type === 'system') return head.subtype === 'compact_boundary';
  return head.type === 'user' || head.type === 'assistant' || head.type === '';
}

function traceRoleOf(entry: Entry): TraceLine['role'] | undefined {
  const { type, subtype } = entry as { readonly type?: unknown; readonly subtype?: unknown };
  if (type === 'system' && subtype === 'compact_boundary') return 'compaction';
  const role = roleOf(entry);
  return role === 'user' || role === 'assistant' ? role : undefined;
}

function timeOf(entry: Entry): number | undefined {
  const { timestamp, message } = entry as { readonly timestamp?: unknown; readonly message?: unknown };
  const time = Date.parse(asString(timestamp ?? asObject(message)?.timestamp) ?? '');
  return Number.isNaN(time) ? undefined : time;
}
