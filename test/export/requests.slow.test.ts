// The requests of all real sessions.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { checkRequest } from '../../src/api/rules/check-request.ts';
import { type JsonObject, parseJson } from '../../src/base/json/json.ts';
import { exportAnthropic, exportOpenai } from '../../src/export/requests.ts';
import type { WireMessage } from '../../src/session/resume/messages/draft.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { isMessage } from '../../src/session/transcript/node.ts';
import { healthyFiles, realFolder } from '../support/healthy.ts';
import { sourceOf, textFrom } from './kit.ts';

interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
}

test('what healthy sessions of real clients send passes the API, in both formats', async () => {
  // Left out: empty files, and files of snapshots or bookkeeping alone, which hold nothing that anybody said.
  const empty: string[] = [];
  const broken: unknown[] = [];
  let sent = 0;
  for (const file of healthyFiles().filter((each) => statSync(each).size > 0)) {
    const source = await sourceOf(file);
    const plain = requestMessages(source.session);
    if ('refused' in plain || plain.messages.length === 0) {
      if (source.session.transcript.nodes.some(isMessage)) empty.push(path.relative(realFolder, file));
      continue;
    }
    sent++;
    const request = parseJson(await textFrom(exportAnthropic(source))) as unknown as typeof plain; // as it was written
    assert.deepEqual(request, { model: plain.model, messages: plain.messages });
    const asked = { ...request, messages: withQuestion(request.messages) };
    for (const { rule } of checkRequest(asked)) broken.push([path.relative(realFolder, file), rule]);
    broken.push(...chatFaults(await textFrom(exportOpenai(source))));
  }
  assert.deepEqual(broken, []);
  assert.deepEqual(empty, []);
  assert.ok(sent > 50);
});

/** A session that has come to an end ends with an answer, and newer models take no request that does. */
function withQuestion(messages: readonly WireMessage[]): readonly WireMessage[] {
  return messages.at(-1)?.role === 'assistant'
    ? [...messages, { role: 'user', content: [{ type: 'text', text: 'next' }] }]
    : messages;
}

/** Calls without an answer directly after them, answers without a call, arguments that are not a JSON object. */
function chatFaults(line: string): unknown[] {
  const { messages } = JSON.parse(line) as { messages: readonly ChatMessage[] };
  const faults: unknown[] = [];
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? '')) faults.push(['no such call', message.tool_call_id]);
      continue;
    }
    if (open.size > 0) faults.push(['unanswered', ...open]);
    open = new Set(message.tool_calls?.map(({ id }) => id));
    for (const call of message.tool_calls ?? []) {
      const value = parseJson(call.function.arguments) as JsonObject | undefined;
      if (typeof value !== 'object') faults.push(['arguments', call.id]);
    }
  }
  return open.size > 0 ? [...faults, ['unanswered', ...open]] : faults;
}
