// Lines that are neither prompt nor answer → the words for what a reader should know of them: failed requests,
// compactions, what a local command put out.
import { counted, formatTokens } from '../base/human.ts';
import { asObject, asString, type JsonObject } from '../base/json.ts';
import { oneLine } from '../base/terminal-text.ts';
import type { Compaction } from './compaction.ts';

/** The client shows these system lines to the person too; the others are its bookkeeping. */
export const shownSubtypes: ReadonlySet<string> = new Set(['local_command', 'informational', 'away_summary']);

/** `compacted (auto)`, `155k → 12.3k tokens`, `3 entries kept`, as far as the file says so. */
export function compactionFacts(compaction: Compaction | undefined): string[] {
  const sizes = [compaction?.preTokens, compaction?.postTokens].flatMap((count) =>
    count === undefined ? [] : [formatTokens(count)],
  );
  const kept = compaction?.preservedUuids.length ?? 0;
  return [
    `compacted${compaction?.trigger === undefined ? '' : ` (${oneLine(compaction.trigger, 20)})`}`,
    ...(sizes.length === 0 ? [] : [`${sizes.join(' → ')} tokens`]),
    ...(kept === 0 ? [] : [`${counted(kept, 'entry', 'entries')} kept`]),
  ];
}

/** `API error 529: Overloaded, retry 2 of 10`, as far as the entry says so. */
export function apiErrorText(entry: JsonObject): string {
  const error = asObject(entry.error);
  const inner = asObject(asObject(error?.error)?.error);
  const status = typeof error?.status === 'number' && error.status > 0 ? ` ${error.status}` : '';
  const message = asString(error?.message) ?? asString(inner?.message) ?? '';
  const { retryAttempt, maxRetries } = entry;
  const retry = typeof retryAttempt === 'number' && retryAttempt > 0 ? `, retry ${retryAttempt} of ${maxRetries}` : '';
  return `API error${status}${message === '' ? '' : `: ${message}`}${retry}`;
}

/** Without the tags that the client wraps the words of commands in. */
export function withoutTags(text: string): string {
  return text.replace(/<\/?[a-z-]+>/g, ' ');
}
