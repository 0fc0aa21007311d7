// Roles and content.
import { assistant, text, user } from '../../support/api-request.ts';
import { bad, one, type RuleCase } from './rule-case.ts';

export const roleCases: readonly RuleCase[] = [
  one('no messages', [], bad('no-messages', 'messages', 'messages: at least one message is required')),
  one(
    'messages that are not messages',
    { messages: 'hello' },
    bad('no-messages', 'messages', 'messages: at least one message is required'),
  ),
  one(
    'an unknown role',
    [user('a'), { role: 'tool', content: 'b' }, user('c')],
    bad('unknown-role', 'messages.1', "messages.1.role: Input should be 'user' or 'assistant'"),
  ),
  one(
    'a message that is not an object',
    [user('a'), null],
    bad('unknown-role', 'messages.1', "messages.1.role: Input should be 'user' or 'assistant'"),
  ),
  one(
    'the role system on a model that does not take it',
    { model: 'claude-sonnet-4-5', messages: [user('a'), { role: 'system', content: 'b' }] },
    bad(
      'system-role',
      'messages.1',
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    ),
  ),
  one(
    'the assistant first',
    [assistant('a'), user('b')],
    bad('first-role', 'messages.0', 'messages: first message must use the "user" role', { isFormer: true }),
  ),
  one(
    'the assistant last on a model without prefill',
    { model: 'claude-opus-4-6', messages: [user('a'), assistant('b ')] },
    bad(
      'prefill',
      'messages.1',
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    ),
  ),
];

export const contentCases: readonly RuleCase[] = [
  ...[null, 7, undefined, {}].map((content) =>
    one(
      `a content that is ${typeof content}`,
      [{ role: 'user', content }],
      bad('content-shape', 'messages.0.content', 'messages.0.content: Input should be a valid list'),
    ),
  ),
  one(
    'a block that is a string',
    [{ role: 'user', content: [text('a'), 'b'] }],
    bad('content-shape', 'messages.0.content.1', 'messages.0.content.1: Input should be a valid dictionary'),
  ),
  ...['', []].map((content) =>
    one(
      'a user message without content',
      [user('a'), assistant('b'), { role: 'user', content }],
      bad('empty-user', 'messages.2', 'messages.2: user messages must have non-empty content'),
    ),
  ),
  one(
    'an assistant message without content',
    [user('a'), { role: 'assistant', content: [] }, user('b')],
    bad(
      'empty-assistant',
      'messages.1',
      'messages.1: all messages must have non-empty content except for the optional final assistant message',
      { isFormer: true },
    ),
  ),
  one(
    'an empty text',
    [user(text('a'), text(''))],
    bad('empty-text', 'messages.0.content.1', 'messages: text content blocks must be non-empty'),
  ),
  one(
    'an empty text in the system prompt',
    { messages: [user('a')], system: [text('b'), text('')] },
    bad('empty-text', 'system.1', 'system: text content blocks must be non-empty'),
  ),
  one(
    'a blank message',
    [user(text(' \n'), text('\t'))],
    bad('blank-text', 'messages.0.content.0', 'messages: text content blocks must contain non-whitespace text'),
  ),
  one(
    'a blank string',
    [user(' \n')],
    bad('blank-text', 'messages.0.content', 'messages: text content blocks must contain non-whitespace text'),
  ),
  one(
    'a blank system prompt',
    { messages: [user('a')], system: '  ' },
    bad('blank-text', 'system', 'system: text content blocks must contain non-whitespace text'),
  ),
  one(
    'white space at the end of a prefill',
    [user('a'), assistant(text('b'), text('\n'))],
    bad(
      'trailing-space',
      'messages.1.content.1',
      'messages: final assistant content cannot end with trailing whitespace',
    ),
  ),
];
