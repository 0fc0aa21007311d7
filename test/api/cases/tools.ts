// Tool calls and results.
import { assistant, call, result, text, user } from '../../support/api-request.ts';
import { bad, one, type RuleCase } from './rule-case.ts';

const unanswered = (n: number, ids: string): string =>
  `messages.${n}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
const orphanText = (path: string, id: string): string =>
  `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;

export const toolCases: readonly RuleCase[] = [
  one(
    'a call without a result',
    [user('a'), assistant(text('b'), call('t1')), user('c')],
    bad('unanswered-tool', 'messages.1.content.1', unanswered(1, 't1'), { toolUseId: 't1' }),
  ),
  {
    what: 'two calls without results: each is reported, with the error for both',
    request: [user('a'), assistant(call('t1'), call('t2'), call('t3')), user(result('t2'))],
    violations: [
      bad('unanswered-tool', 'messages.1.content.0', unanswered(1, 't1, t3'), { toolUseId: 't1' }),
      bad('unanswered-tool', 'messages.1.content.2', unanswered(1, 't1, t3'), { toolUseId: 't3' }),
    ],
  },
  {
    what: 'a result one message late does not count',
    request: [user('a'), assistant(call('t1')), user('b'), assistant('c'), user(result('t1'))],
    violations: [
      bad('unanswered-tool', 'messages.1.content.0', unanswered(1, 't1'), { toolUseId: 't1' }),
      bad('orphan-result', 'messages.4.content.0', orphanText('messages.4.content.0', 't1'), { toolUseId: 't1' }),
    ],
  },
  {
    what: 'a result in an assistant message does not count',
    request: [user('a'), assistant(call('t1')), assistant(result('t1')), user('b')],
    violations: [
      bad('unanswered-tool', 'messages.1.content.0', unanswered(1, 't1'), { toolUseId: 't1' }),
      bad(
        'tool-role',
        'messages.2.content.0',
        'messages.2.content.0: `tool_result` blocks can only be in `user` messages',
      ),
    ],
  },
  {
    what: 'a call by the user cannot be answered',
    request: [user(call('t1')), user(result('t1'))],
    violations: [
      bad(
        'tool-role',
        'messages.0.content.0',
        'messages.0.content.0: `tool_use` blocks can only be in `assistant` messages',
      ),
      bad('orphan-result', 'messages.1.content.0', orphanText('messages.1.content.0', 't1'), { toolUseId: 't1' }),
    ],
  },
  one(
    'a result without a call',
    [user('a'), assistant('b'), user(result('t1'), text('c'))],
    bad('orphan-result', 'messages.2.content.0', orphanText('messages.2.content.0', 't1'), { toolUseId: 't1' }),
  ),
  one(
    'an id used twice',
    [user('a'), assistant(call('t1')), user(result('t1')), assistant(call('t1')), user(result('t1'))],
    bad('duplicate-tool-id', 'messages.3.content.0', 'messages.3.content.0: `tool_use` ids must be unique', {
      toolUseId: 't1',
    }),
  ),
  one(
    'two results for one call',
    [user('a'), assistant(call('t1')), user(result('t1'), result('t1'))],
    bad(
      'duplicate-result',
      'messages.2.content.1',
      'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: t1',
      { toolUseId: 't1' },
    ),
  ),
  one(
    'a text before a result',
    [user('a'), assistant(call('t1'), call('t2')), user(result('t1'), text('b'), result('t2'))],
    bad('results-first', 'messages.2.content.2', unanswered(1, 't2'), { toolUseId: 't2' }),
  ),
  one(
    'a call by the user',
    [user(call('t1'))],
    bad(
      'tool-role',
      'messages.0.content.0',
      'messages.0.content.0: `tool_use` blocks can only be in `assistant` messages',
    ),
  ),
  one(
    'a result by the assistant',
    [user('a'), assistant(result('t1')), user('b')],
    bad(
      'tool-role',
      'messages.1.content.0',
      'messages.1.content.0: `tool_result` blocks can only be in `user` messages',
    ),
  ),
  ...[null, 'x', [], undefined].map((input) =>
    one(
      'an input that is not an object',
      [user('a'), assistant({ ...call('t1'), input }), user(result('t1'))],
      bad(
        'tool-input',
        'messages.1.content.0',
        'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
        {
          toolUseId: 't1',
        },
      ),
    ),
  ),
  ...['', 'a b', 'x'.repeat(129), 5].map((name) =>
    one(
      'a name of other letters, or too long',
      [user('a'), assistant(call('t1', { name })), user(result('t1'))],
      bad(
        'tool-name',
        'messages.1.content.0',
        "messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        { toolUseId: 't1' },
      ),
    ),
  ),
  one(
    'an id of other letters',
    [user('a'), assistant(call('fn.Bash:0')), user(result('fn.Bash:0'))],
    bad(
      'tool-id',
      'messages.1.content.0',
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
      {
        toolUseId: 'fn.Bash:0',
      },
    ),
  ),
  one(
    'a result without an id',
    [user('a'), assistant('b'), user({ type: 'tool_result', content: 'c' })],
    bad('result-id', 'messages.2.content.0', 'messages.2.content.0.tool_result.tool_use_id: Field required'),
  ),
];
