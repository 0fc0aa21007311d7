// The blocks of a request as texts to compare, without what the client adds or removes depending on the neighbours:
// fillers, blank texts, the newline between two lines.
import { asString } from '../../base/json/json.ts';
import { texts } from '../../session/resume/client/client.ts';
import type { WireBlock } from '../../session/resume/messages/draft.ts';
import { isThinking } from '../../session/resume/messages/filter.ts';
import { normalise } from '../../session/resume/messages/normalise.ts';
import type { ResumeMessage } from '../../session/resume/messages/repair.ts';

export interface OutlineOptions {
  readonly skips?: (block: WireBlock, message: ResumeMessage) => boolean;
  /** Maps a block before it is compared. */
  readonly forms?: (block: WireBlock) => WireBlock;
}

export function outlineOf(messages: readonly ResumeMessage[], { skips, forms }: OutlineOptions = {}): string[] {
  return messages.flatMap((message) => {
    const counted = message.content.filter((block) => skips?.(block, message) !== true);
    // Mapped first, because a text that was cut may end inside a reminder.
    const content = forms === undefined ? counted : counted.map(forms);
    return normalise([{ role: message.role, content }])
      .flatMap((normal) => normal.content)
      .filter((block) => !isFiller(block))
      .map((block) => `${message.role} ${JSON.stringify(plain(block))}`);
  });
}

const fillers: ReadonlySet<string> = new Set([
  texts.noContent,
  texts.noResponse,
  texts.orphanedResult,
  texts.repeatedCall,
  texts.toolLoaded,
]);

function isFiller(block: WireBlock): boolean {
  const text = block.type === 'text' ? asString(block.text) : undefined;
  return text !== undefined && (text.trim() === '' || fillers.has(text.replace(/\n$/, '')));
}

function plain(block: WireBlock): WireBlock {
  return block.type === 'text' ? { ...block, text: asString(block.text)?.replace(/\n$/, '') } : block;
}

/** Describes the first difference of two outlines; `undefined` if they are equal. */
export function describeDifference(expected: readonly string[], actual: readonly string[]): string | undefined {
  const at = expected.findIndex((block, i) => block !== actual[i]);
  const place = at < 0 ? expected.length : at;
  if (at < 0 && expected.length === actual.length) return undefined;
  return `block ${place + 1} would be ${excerpt(actual[place])} instead of ${excerpt(expected[place])}`;
}

function excerpt(block: string | undefined): string {
  return block === undefined ? 'missing' : block.slice(0, 120);
}

export function thinkingKey(block: WireBlock): string | undefined {
  return isThinking(block) ? JSON.stringify([block.thinking, block.signature, block.data]) : undefined;
}
