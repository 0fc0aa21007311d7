// Messages for the program that started Clew, next to those of the conversation: the permission mode and what hooks say.
import { randomUUID } from 'node:crypto';
import type { AgentEvent } from '../../../agent/contract/index.ts';
import type { JsonObject } from '../../../base/json/index.ts';

export function hostMessage(event: AgentEvent, sessionId: string): JsonObject | undefined {
  const common = { uuid: randomUUID(), session_id: sessionId };
  if (event.type === 'mode')
    return { type: 'system', subtype: 'status', status: null, permissionMode: event.mode, ...common };
  if (event.type !== 'notice' || event.isOfHook !== true) return undefined;
  const level = event.level === 'info' ? 'notice' : 'warning';
  return { type: 'system', subtype: 'informational', content: event.text, level, ...common };
}
