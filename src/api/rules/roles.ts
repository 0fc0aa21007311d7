// Roles: the conversation begins with the user and, on current models, ends with the user.
import { takesSystemRole } from '../../models/client-models.ts';
import { type ApiRule, makeRule, requestPlace } from './rule.ts';

export const roleRules: readonly ApiRule[] = [
  makeRule({
    code: 'no-messages',
    what: 'there is at least one message',
    errorText: 'messages: at least one message is required',
    find: ({ messages }) => (messages.length === 0 ? [{ place: { ...requestPlace, path: 'messages' } }] : []),
  }),
  makeRule({
    code: 'unknown-role',
    what: 'a message is an object whose role is `user` or `assistant`',
    errorText: "{path}.role: Input should be 'user' or 'assistant'",
    find: ({ messages }) => messages.filter(({ role }) => role !== 'user' && role !== 'assistant' && role !== 'system'),
  }),
  makeRule({
    code: 'system-role',
    what: 'only models from Opus 4.8 on accept messages of the role `system`',
    errorText:
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    find: ({ messages, model }) =>
      model === undefined || takesSystemRole(model) ? [] : messages.filter(({ role }) => role === 'system'),
  }),
  makeRule({
    code: 'first-role',
    what: 'the first message is from the user',
    errorText: 'messages: first message must use the "user" role',
    // Accepted by Anthropic but not by Bedrock in 2024: anthropics/anthropic-sdk-typescript#622.
    isFormer: true,
    find: ({ turns }) => turns.slice(0, 1).filter(({ role }) => role === 'assistant'),
  }),
  makeRule({
    code: 'prefill',
    what: 'the last message is from the user, on models without prefill (4.6 and later)',
    errorText: 'This model does not support assistant message prefill. The conversation must end with a user message.',
    find: ({ turns, facts }) =>
      facts === undefined || facts.takesPrefill ? [] : turns.slice(-1).filter(({ role }) => role === 'assistant'),
  }),
];
