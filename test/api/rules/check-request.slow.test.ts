// // Random requests against the rules of the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apiRules, checkRequest } from '../../../src/api/rules/check-request.ts';

const types = ['text', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result', 'image', 'document', 7, null];

const anything = fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' });

const oddBlock = fc.letrec((tie) => ({
  block: fc.oneof(
    anything,
    fc.record(
      {
        type: fc.constantFrom(...types),
        text: fc.oneof(anything, fc.constantFrom('', ' ', 'a', '\ud800')),
        thinking: anything,
        signature: anything,
        data: anything,
        id: fc.constantFrom<unknown>('a', 'b', 1, null),
        tool_use_id: fc.constantFrom<unknown>('a', 'b', 1, null),
        name: anything,
        input: anything,
        content: fc.oneof({ maxDepth: 2 }, anything, fc.array(tie('block'), { maxLength: 3 })),
        source: fc.oneof(
          anything,
          fc.record({ type: fc.constantFrom('base64', 'url'), media_type: anything, data: anything }),
        ),
        cache_control: fc.oneof(anything, fc.constant({})),
      },
      { requiredKeys: [] },
    ),
  ),
})).block;

const oddMessage = fc.oneof(
  anything,
  fc.record(
    {
      role: fc.constantFrom<unknown>('user', 'assistant', 'system', 'tool', 1),
      content: fc.oneof(anything, fc.array(oddBlock, { maxLength: 4 })),
    },
    { requiredKeys: [] },
  ),
);

const oddRequest = fc.oneof(
  fc.array(oddMessage, { maxLength: 5 }),
  fc.record(
    {
      model: fc.oneof(anything, fc.constantFrom('claude-opus-5-5', 'claude-3-7-sonnet', 'claude-haiku-4-5')),
      messages: fc.oneof(anything, fc.array(oddMessage, { maxLength: 5 })),
      system: fc.oneof(anything, fc.array(oddBlock, { maxLength: 2 })),
      tools: fc.oneof(anything, fc.array(oddBlock, { maxLength: 2 })),
      thinking: fc.oneof(anything, fc.constantFrom({ type: 'enabled' }, { type: 'disabled' })),
    },
    { requiredKeys: ['messages'] },
  ),
);

test('a request of any shape is checked without an exception, in whole sentences', () => {
  const codes = new Set(apiRules.map(({ code }) => code));
  const seen = new Set<string>();
  fc.assert(
    fc.property(oddRequest, (request) => {
      for (const violation of checkRequest(request)) {
        assert.ok(codes.has(violation.rule));
        assert.doesNotMatch(violation.message, /\{(?!1,128)\w*\}|undefined/);
        seen.add(violation.rule);
      }
    }),
    { numRuns: 3000 },
  );
  assert.ok(seen.size > 15, `the random requests broke only ${[...seen].join(', ')}`);
});
