// The answers of a scripted model in tests of the agent, and readers for its events, requests and sessions.
import assert from 'node:assert/strict';
import type { AgentEvent } from '../../src/agent/contract/event.ts';
import type { ToolOutcome } from '../../src/agent/contract/tool.ts';
import type { ReplyBlock, ScriptedReply } from '../../src/api/server/script.ts';
import { asObject, isArray, type JsonObject, type JsonValue } from '../../src/base/json/json.ts';
import { loadSession } from '../../src/session/load/session.ts';
import type { WireMessage } from '../../src/session/resume/messages/draft.ts';
import { isReminder } from '../../src/session/resume/messages/normalise.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import type { AgentKit } from './agent-kit.ts';

export function says(text: string): ScriptedReply {
  return { blocks: [{ type: 'text', text }] };
}

export function calls(...made: readonly (readonly [string, JsonObject])[]): ScriptedReply {
  return { blocks: made.map(([name, input]): ReplyBlock => ({ type: 'tool_use', name, input })) };
}

export function results(events: readonly AgentEvent[]): ToolOutcome[] {
  return events.flatMap((event) => (event.type === 'result' ? [event.outcome] : []));
}

export function messagesOf(body: JsonValue | undefined): readonly JsonValue[] {
  const messages = asObject(body)?.messages;
  return isArray(messages) ? messages : [];
}

export function toolNames(body: JsonObject): unknown[] {
  return isArray(body.tools) ? body.tools.map((tool) => asObject(tool)?.name) : [];
}

/** The texts of a request's messages, joined per message, without the environment that Clew adds. */
export function texts(body: { readonly messages?: unknown } | undefined): string[] {
  const messages = isArray(body?.messages) ? body.messages : [];
  return messages.flatMap((message) => {
    const content = asObject(message)?.content;
    const blocks = isArray(content) ? content.filter((block) => !isReminder(block)) : [];
    const said = blocks.flatMap((block) => asObject(block)?.text ?? []);
    // Clew ends a prompt with a newline if another text follows.
    return said.length === 0 ? [] : [said.join('').trimEnd()];
  });
}

/** The last request is the beginning of what a resume of the file would send. */
export async function assertSame({ agent, bodies }: AgentKit): Promise<readonly WireMessage[]> {
  const sent = requestMessages(await loadSession(agent.state.file));
  assert.ok(!('refused' in sent));
  const last = JSON.stringify(bodies().at(-1)?.messages).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
  const plain = JSON.parse(last) as JsonObject[];
  assert.deepEqual(sent.messages.slice(0, plain.length), plain);
  assert.ok(sent.messages.length > plain.length);
  return sent.messages;
}
