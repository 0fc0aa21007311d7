// The request as a whole: bytes, tokens, cache marks, Unicode.
import { assistant, call, result, text, user } from '../../support/api-request.ts';
import { bad, one, type RuleCase } from './rule-case.ts';

const mark = { cache_control: { type: 'ephemeral' } };

const surrogate = 'The request body is not valid JSON: no low surrogate in string';

export const sizeCases: readonly RuleCase[] = [
  one(
    'a body over 32 MB',
    [user('é'.repeat(16 * 1024 * 1024))],
    bad('request-bytes', '', 'request_too_large: Request exceeds the maximum allowed number of bytes.', {
      status: 413,
    }),
  ),
  one(
    'a prompt over the context, by estimate',
    { model: 'claude-haiku-4-5', messages: [user('abc '.repeat(200_001))] },
    bad('prompt-tokens', '', 'prompt is too long: 200001 tokens > 200000 maximum', { isEstimate: true }),
  ),
  one(
    'a fifth cache mark',
    {
      tools: [{ name: 'a', ...mark }],
      system: [{ ...text('a'), ...mark }],
      messages: [
        user({ ...text('a'), ...mark }),
        assistant(call('t1')),
        user({ ...result('t1', [{ ...text('b'), ...mark }]), ...mark }),
      ],
    },
    bad(
      'cache-marks',
      'messages.2.content.0.tool_result.content.0',
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ),
  ),
  one(
    'half a surrogate in a text',
    [user(text('a'), text('\ud83d'))],
    bad('lone-surrogate', 'messages.0.content.1', surrogate),
  ),
  one(
    'half a surrogate in a key deep inside',
    [user('a'), assistant(call('t1', { input: { a: [{ '\udc00': 1 }] } })), user(result('t1'))],
    bad('lone-surrogate', 'messages.1.content.0', surrogate),
  ),
  one(
    'half a surrogate in the system prompt',
    { system: 'a\ud800', messages: [user('b')] },
    bad('lone-surrogate', 'system', surrogate),
  ),
  one(
    'half a surrogate in a tool',
    { tools: [{ name: 'a', description: '\ud800' }], messages: [user('b')] },
    bad('lone-surrogate', 'tools', surrogate),
  ),
];
