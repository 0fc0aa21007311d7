// What a resume sends, in a short form for tests: each message as its role and a word for each block.
import { isArray, type JsonValue } from '../../src/base/json/json.ts';
import { texts } from '../../src/session/resume/client/client.ts';
import type { WireBlock, WireMessage } from '../../src/session/resume/messages/draft.ts';
import type { ClientHost } from '../../src/session/resume/messages/for-request.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import type { TranscriptBuilder } from './transcript-builder.ts';

export type OutlineMessage = { readonly user: readonly string[] } | { readonly assistant: readonly string[] };

/** What the client sends with the prompt `next`, by default behind a gateway, or why it refuses. */
export function sent(builder: TranscriptBuilder, host: ClientHost = 'gateway'): readonly OutlineMessage[] | string {
  const request = requestMessages({ transcript: builder.transcript() }, 'next', { host });
  return 'refused' in request ? request.refused : outline(request.messages);
}

/** The history alone: without the prompt's own message, for sessions that end with an answer. */
export function history(builder: TranscriptBuilder, host: ClientHost = 'gateway'): readonly OutlineMessage[] | string {
  const request = requestMessages({ transcript: builder.transcript() }, undefined, { host });
  return 'refused' in request ? request.refused : outline(request.messages);
}

export function outline(messages: readonly WireMessage[]): readonly OutlineMessage[] {
  return messages.map(({ role, content }) =>
    role === 'user' ? { user: content.map(word) } : { assistant: content.map(word) },
  );
}

function word(block: WireBlock): string {
  switch (block.type) {
    case 'text':
      return String(block.text);
    case 'tool_use':
      return `call ${block.id}${block.name === 'Read' ? '' : ` ${block.name}`}`;
    case 'tool_result':
      return `${block.tool_use_id} → ${resultWord(block)}`;
    case 'thinking':
      return `thinking ${block.thinking}`;
    default:
      return `[${block.type}]`;
  }
}

function resultWord({ content }: WireBlock): string {
  if (content === texts.interrupted) return '(interrupted)';
  if (content === texts.missingResult) return '(missing)';
  if (!isArray(content)) return String(content);
  return content.map((item: JsonValue) => word(item as WireBlock)).join(' + ');
}
