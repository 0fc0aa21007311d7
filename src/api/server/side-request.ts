// Requests of a client outside of the conversation (a title, the topic, the quota, a summary of a page), and answers
// that let the client continue.
import { asString, isArray, isObject, type JsonObject } from '../../base/json/json.ts';
import type { ScriptedReply } from './script.ts';

/**
 * Whether a request is a side question of Claude Code and not part of the conversation: it has no tools, asks for
 * one token, or only searches the web.
 */
export function isSideRequest(body: JsonObject): boolean {
  const { tools } = body;
  if (body.max_tokens === 1 || !isArray(tools) || tools.length === 0) return true;
  return tools.every((tool) => isObject(tool) && (asString(tool.type) ?? '').startsWith('web_'));
}

export function sideReply(body: JsonObject): ScriptedReply {
  return { blocks: [{ type: 'text', text: sideText(body) }] };
}

function sideText(body: JsonObject): string {
  if (body.max_tokens === 1) return '#';
  const schema = safeText([body.output_config, body.output_format]);
  if (schema.includes('"title"')) return '{"title":"Replayed session"}';
  return safeText(body.system).includes('isNewTopic') ? '{"isNewTopic":false,"title":null}' : 'OK.';
}

/** Whether the client requests the summary for a compaction. */
export function asksForSummary(newestText: string): boolean {
  return /detailed summary of (the|this) (conversation|recent|portion)|summary of the (recent )?portion/i.test(
    newestText,
  );
}

function safeText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return ''; // nested deeper than the stack
  }
}
