// // Random sessions against the rules of the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Session } from '../../src/session/load/session.ts';
import type { WireBlock, WireMessage } from '../../src/session/resume/messages/draft.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { randomTranscript } from '../support/random-transcript.ts';

test('a resume is refused, or sends messages that the API accepts', () => {
  fc.assert(
    fc.property(randomTranscript, (builder) => {
      const request = requestMessages(builder.session(), 'next');
      if ('refused' in request) return;
      assert.deepEqual(complaints(request.messages, bareStrings(builder.session())), []);
    }),
    { numRuns: 4000 },
  );
});

/** Contents that are sent as they are, also blank. */
function bareStrings({ transcript }: Session): ReadonlySet<unknown> {
  const contents = transcript.nodes.map((node) => transcript.read(node).message as { content?: unknown } | undefined);
  return new Set(contents.map((message) => message?.content).filter((content) => typeof content === 'string'));
}

function complaints(messages: readonly WireMessage[], bare: ReadonlySet<unknown>): string[] {
  const said: string[] = [];
  for (const [i, { role, content }] of messages.entries()) {
    if (role !== 'user' && role !== 'assistant') said.push(`${i}: role ${role}`);
    if (content.length === 0) said.push(`${i}: empty`);
    const others = content.filter((block) => block.type !== 'tool_result');
    const isBare = role === 'user' && others.length === 1 && bare.has(others[0]?.text);
    if (!isBare && content.some((block) => isBlankText(block, role))) said.push(`${i}: blank text`);
    const calls = idsOf(content, 'tool_use', 'id');
    const answers = idsOf(messages[i + 1]?.content ?? [], 'tool_result', 'tool_use_id');
    if (calls.join() !== [...new Set(calls)].join()) said.push(`${i}: a call twice`);
    if ([...calls].sort().join() !== [...answers].sort().join()) said.push(`${i}: calls ${calls}, answers ${answers}`);
  }
  if (idsOf(messages[0]?.content ?? [], 'tool_result', 'tool_use_id').length > 0) said.push('0: starts with a result');
  if (messages.at(-1)?.content.at(-1)?.text !== 'next') said.push('the prompt is not last');
  return said;
}

/** Rule 57: next to other text, white space of an assistant stays; only the empty text goes. */
function isBlankText(block: WireBlock, role: string): boolean {
  if (block.type !== 'text' || typeof block.text !== 'string') return false;
  return role === 'assistant' ? block.text === '' : block.text.trim() === '';
}

function idsOf(content: readonly WireBlock[], type: string, key: string): unknown[] {
  return content.filter((block) => block.type === type).map((block) => block[key]);
}
