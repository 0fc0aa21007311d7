// Changed or misplaced thinking.
import type { JsonObject } from '../../../src/base/json/json.ts';
import { assistant, call, result, text, thought, user } from '../../support/api-request.ts';
import { signature } from '../../support/signature.ts';
import { bad, one, type RuleCase } from './rule-case.ts';

const unmodified = (path: string): string =>
  `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;

const cut = signature(300).slice(0, 100);
const loop = (...first: readonly JsonObject[]): readonly JsonObject[] => [
  user('a'),
  assistant(...first, call('t1')),
  user(result('t1')),
];

export const thinkingCases: readonly RuleCase[] = [
  one(
    'thinking without a signature',
    [user('a'), assistant({ type: 'thinking', thinking: 'hm' }, text('b')), user('c')],
    bad('thinking-unsigned', 'messages.1.content.0', 'messages.1.content.0.thinking.signature: Field required'),
  ),
  ...[thought({ signature: '' }), thought({ signature: cut })].flatMap((block) => [
    one(
      'an empty or cut signature in an earlier message',
      [user('a'), assistant(block, text('b')), user('c'), assistant('d'), user('e')],
      bad(
        'thinking-signature',
        'messages.1.content.0',
        'messages.1.content.0: Invalid `signature` in `thinking` block',
      ),
    ),
    one(
      'an empty or cut signature in the latest answer',
      [user('a'), assistant('b'), user('c'), assistant(thought(), block, text('d')), user('e')],
      bad('thinking-altered', 'messages.3.content.1', unmodified('messages.3.content.1')),
    ),
  ]),
  ...[{}, { data: '' }].map((more) =>
    one(
      'redacted thinking without data',
      [user('a'), assistant({ type: 'redacted_thinking', ...more }, text('b')), user('c')],
      bad(
        'redacted-thinking-data',
        'messages.1.content.0',
        'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
      ),
    ),
  ),
  one(
    'an answer that ends in thinking',
    [user('a'), assistant(text('b'), thought()), user('c')],
    bad(
      'thinking-last',
      'messages.1.content.1',
      'messages.1: The final block in an assistant message cannot be `thinking`.',
    ),
  ),
  one(
    'a tool loop without thinking while it is enabled',
    { thinking: { type: 'enabled', budget_tokens: 1024 }, messages: loop(text('b')) },
    bad(
      'thinking-first',
      'messages.1.content.0',
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking',
    ),
  ),
];
