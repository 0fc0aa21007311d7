// Sessions as requests: what the Messages API takes, and what OpenAI's chat format asks for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson } from '../../src/base/json/json.ts';
import { exportAnthropic, exportOpenai } from '../../src/export/requests.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../support/session-text.ts';
import { sourceFrom, textFrom } from './kit.ts';

test('calls, results and pictures are where the chat format wants them', async (context) => {
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
  const source = await sourceFrom(
    context,
    sessionText([
      user([{ type: 'text', text: 'look' }, picture]),
      assistant([
        { type: 'thinking', thinking: 'hm', signature: 'x' },
        { type: 'text', text: 'I read.' },
        toolUse('toolu_1', 'Read', { file_path: 'a.png' }),
      ]),
      user([toolResult('toolu_1', [{ type: 'text', text: 'here' }, picture])]),
      assistant('done'),
    ]),
  );
  const url = 'data:image/png;base64,aGk=';
  assert.deepEqual(parseJson(await textFrom(exportOpenai(source))), {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url } },
        ],
      },
      {
        role: 'assistant',
        content: 'I read.',
        tool_calls: [
          { id: 'toolu_1', type: 'function', function: { name: 'Read', arguments: '{"file_path":"a.png"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'here' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
      { role: 'assistant', content: 'done' },
    ],
  });
});

test('a session without a message has nothing to send, and says so', async (context) => {
  const source = await sourceFrom(context, sessionText([{ type: 'summary', summary: 'x', leafUuid: 'y' }]));
  assert.throws(() => [...exportAnthropic(source)], {
    name: 'UserError',
    message: /^there is nothing to send of 3f2b8c1e/,
  });
});
