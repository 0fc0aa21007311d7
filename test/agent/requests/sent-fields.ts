// A request as it was sent → its fields in the form of the recording.
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../../src/base/json/json.ts';
import type { SentFields } from './request-settings.ts';

export function sentFields(body: JsonObject, beta: string | undefined, asked: string): SentFields {
  const { model, max_tokens, thinking, output_config, context_management, temperature, messages } = body;
  const last = isArray(messages) ? asObject(messages.at(-1)) : undefined;
  const effort = asString(asObject(output_config)?.effort);
  const messageEffort = asString(asObject(last?.output_config)?.effort);
  return {
    ...(model === asked.replace(/\[1m\]$/, '') ? {} : { model: String(model) }),
    max_tokens: Number(max_tokens),
    ...(isObject(thinking) ? { thinking } : {}),
    ...(effort === undefined ? {} : { effort }),
    ...(messageEffort === undefined ? {} : { messageEffort }),
    ...(isObject(context_management) ? { context_management } : {}),
    ...(temperature === undefined ? {} : { temperature: Number(temperature) }),
    marks: marksOf(body),
    betas: (beta ?? '')
      .split(',')
      .filter((name) => name !== '')
      .sort(),
  };
}

/** `system -1`, `messages -1 -1 1h`: counted from the end. */
function marksOf({ tools, system, messages }: JsonObject): readonly string[] {
  const found: string[] = [];
  const walk = (list: JsonValue | undefined, place: string): void => {
    for (const [i, each] of (isArray(list) ? list : []).entries()) {
      if (!isObject(each)) continue;
      const at = `${place} ${i - (isArray(list) ? list.length : 0)}`;
      const mark = asObject(each.cache_control);
      if (mark !== undefined) found.push([at, mark.ttl, mark.scope].filter((word) => word !== undefined).join(' '));
      walk(each.content, at);
    }
  };
  walk(tools, 'tools');
  walk(system, 'system');
  walk(messages, 'messages');
  return found;
}
