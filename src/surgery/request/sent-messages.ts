// The messages that resuming a session sends, complete, one at a time: the request is made of shortened texts, and each
// message gets its texts back from its lines when it is needed. So a session of any length needs the memory of one message.
import { restoreText } from '../../base/digest/index.ts';
import { isArray, isObject, type JsonValue } from '../../base/json/index.ts';
import type { ResumeMessage, WireBlock } from '../../session/resume/messages/index.ts';
import { type ResumeOptions, traceMessages } from '../../session/resume/request/index.ts';
import type { Node } from '../../session/transcript/index.ts';
import { type LeanSource, leanEntry, leanTranscript, mapMembers } from './request.ts';

export interface SentMessages {
  /** With shortened texts. */
  readonly lean: readonly ResumeMessage[];
  /** A lean message as it is sent. */
  complete(message: ResumeMessage): ResumeMessage;
}

export function sentMessages(
  { transcript }: { readonly transcript: LeanSource },
  options: ResumeOptions,
): SentMessages | { readonly refused: string } {
  const traced = traceMessages({ transcript: leanTranscript(transcript) }, undefined, options);
  if ('refused' in traced) return traced;
  return {
    lean: traced.messages,
    complete: (message) => {
      const hidden = new Map<string, string>();
      for (const line of message.lines) collectHidden(transcript, line, hidden);
      const restore = (text: string): string =>
        restoreText(text, (digest) => hidden.get(digest) ?? findHidden(transcript, digest));
      // A block stays a block: only its texts change.
      return { ...message, content: message.content.map((block) => restoreTexts(block, restore) as WireBlock) };
    },
  };
}

function collectHidden(transcript: LeanSource, line: Node, hidden: Map<string, string>): void {
  leanEntry(transcript.read(line, 'sent'), undefined, (digest, text) => hidden.set(digest, text));
}

/** Of a text that is in none of the lines of its message. */
function findHidden(transcript: LeanSource, digest: string): string {
  for (const line of transcript.nodes) {
    const hidden = new Map<string, string>();
    collectHidden(transcript, line, hidden);
    const found = hidden.get(digest);
    if (found !== undefined) return found;
  }
  throw new TypeError('a shortened text is in no line of the session');
}

function restoreTexts(value: JsonValue, restore: (text: string) => string): JsonValue {
  if (typeof value === 'string') return restore(value);
  if (isArray(value)) return value.map((item) => restoreTexts(item, restore));
  return isObject(value) ? mapMembers(value, (inner) => restoreTexts(inner, restore)) : value;
}
