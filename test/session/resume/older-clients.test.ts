// Rules of older clients that the vectors do not reach. The expected messages were seen when these sessions were resumed
// by the versions named here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { normalise } from '../../../src/session/resume/messages/normalise.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { type TranscriptBuilder, text, transcript } from '../../support/transcript-builder.ts';

/** `U one · A first`: the texts of the messages, other blocks by their kind and id. */
function sent(builder: TranscriptBuilder, client: string): string {
  const request = requestMessages(builder.session(), 'next', { host: 'gateway', client });
  assert.ok('messages' in request);
  const outline = ({ type, text, id, tool_use_id }: JsonObject): string =>
    type === 'text' ? String(text).replaceAll('\n', '⏎') : [type, id ?? tool_use_id ?? []].flat().join(' ');
  return normalise(request.messages)
    .map(({ role, content }) => `${role === 'user' ? 'U' : 'A'} ${content.map(outline).join(' + ')}`)
    .join(' · ');
}

function check(builder: TranscriptBuilder, expected: Readonly<Record<string, string>>): void {
  for (const [version, messages] of Object.entries(expected)) assert.equal(sent(builder, version), messages, version);
}

const goOn = 'Continue from where you left off. · A No response requested. · U next';

test('an attachment at the end makes an open turn of an answer up to 2.1.150, of a prompt up to 2.1.260', () => {
  const edited = (builder: TranscriptBuilder) =>
    builder.attachment('edited_text_file', undefined, { attachment: { type: 'edited_text_file', snippet: '1 x' } });
  check(edited(transcript().user('one').assistant('first')), {
    '2.1.325': 'U one · A first · U next',
    '2.1.260': 'U one · A first · U next',
    '2.1.200': 'U one · A first · U next',
    '2.1.150': `U one · A first · U ${goOn}`,
  });
  check(
    edited(
      transcript()
        .user('one')
        .assistant('first')
        .user([text('[Request interrupted by user]')]),
    ),
    {
      '2.1.260': 'U one · A first · U [Request interrupted by user]⏎ + next',
      '2.1.150': `U one · A first · U [Request interrupted by user]⏎ + ${goOn}`,
    },
  );
  check(edited(transcript().user('one').assistant('first').user('typed')), {
    '2.1.260': `U one · A first · U typed⏎ + ${goOn}`,
    '2.1.150': `U one · A first · U typed⏎ + ${goOn}`,
  });
});

test('an API error at the end does not hide an open turn up to 2.1.260', () => {
  const failed = transcript()
    .user('one')
    .call('t1')
    .result('t1')
    .assistant('API Error: 529', { isApiErrorMessage: true, message: { model: '<synthetic>' } });
  check(failed, { '2.1.260': `U one · A tool_use t1 · U tool_result t1 + ${goOn}` });
});

test('a result next to the chain comes in the order of the file from 2.1.300 on, before in front', () => {
  const message = { id: 'both' };
  const parallel = transcript()
    .user('one')
    .call('t1', { message })
    .call('t2', { message })
    .result('t2')
    .from('a1')
    .result('t1')
    .from('r1')
    .assistant('done');
  const after = 'A done · U next';
  check(parallel, {
    '2.1.325': `U one · A tool_use t1 + tool_use t2 · U tool_result t2 + tool_result t1 · ${after}`,
    '2.1.300': `U one · A tool_use t1 + tool_use t2 · U tool_result t2 + tool_result t1 · ${after}`,
    '2.1.260': `U one · A tool_use t1 + tool_use t2 · U tool_result t1 + tool_result t2 · ${after}`,
    '2.1.200': `U one · A tool_use t1 + tool_use t2 · U tool_result t1 + tool_result t2 · ${after}`,
    '2.1.150': `U one · A tool_use t1 + tool_use t2 · U tool_result t1 + tool_result t2 · ${after}`,
  });
});

const thought = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };

test('2.1.150 sends the thinking of other models and knows no mark', () => {
  const switched = transcript()
    .user('one')
    .assistant([thought, text('first')], { message: { model: 'claude-sonnet-4-5-20250929' } })
    .user('two')
    .assistant('second');
  check(switched, {
    '2.1.325': 'U one · A first · U two · A second · U next',
    '2.1.200': 'U one · A first · U two · A second · U next',
    '2.1.150': 'U one · A thinking + first · U two · A second · U next',
  });
  const marked = transcript()
    .user('one')
    .assistant([thought, text('first')])
    .attachment('thinking_stripped')
    .user('two');
  check(marked.assistant('second'), {
    '2.1.260': 'U one · A first · U two · A second · U next',
    '2.1.150': 'U one · A thinking + first · U two · A second · U next',
  });
});

test('a model that a version does not offer is replaced by the default of that version', () => {
  const modelOf = (model: string, client: string): string => {
    const session = transcript().user('one').assistant('first', { message: { model } }).session();
    const request = requestMessages(session, 'next', { host: 'gateway', client });
    return 'model' in request ? request.model : request.refused;
  };
  const seen: Readonly<Record<string, readonly [asked: string, taken: string][]>> = {
    '2.1.325': [
      ['claude-fable-5-2', 'claude-fable-5-2'],
      ['not-a-model', 'claude-opus-5-5'],
    ],
    '2.1.300': [
      ['claude-fable-5-2', 'claude-opus-5-5'],
      ['claude-fable-5-1', 'claude-fable-5-1'],
      ['claude-haiku-5-5', 'claude-haiku-5-5'],
    ],
    '2.1.260': [
      ['claude-opus-5', 'claude-opus-5'],
      ['claude-opus-5-5', 'claude-opus-5'],
      ['claude-sonnet-5-5', 'claude-opus-5'],
      ['claude-fable-5-1', 'claude-fable-5-1'],
      ['claude-fable-5-2', 'claude-opus-5'],
    ],
    '2.1.200': [
      ['claude-opus-5', 'claude-opus-4-8'],
      ['claude-sonnet-5-5', 'claude-sonnet-5-5'],
      ['claude-haiku-5-5', 'claude-opus-4-8'],
      ['claude-fable-5-2', 'claude-fable-5-2'],
    ],
    '2.1.150': [
      ['claude-opus-4-7', 'claude-opus-4-7'],
      ['claude-opus-4-8', 'claude-opus-4-7'],
      ['claude-sonnet-5', 'claude-opus-4-7'],
    ],
    '2.1.45': [['claude-opus-4-5-20251101', 'claude-sonnet-4-6']],
  };
  for (const [client, models] of Object.entries(seen)) {
    for (const [asked, taken] of models) assert.equal(modelOf(asked, client), taken, `${client} ${asked}`);
  }
});

test('references to tools, reports of tasks and blank lines of answers', () => {
  const reference = {
    type: 'tool_result',
    tool_use_id: 't1',
    content: [{ type: 'tool_reference', tool_name: 'Bash' }],
  };
  const found = transcript().user('one').call('t1').user([reference]).assistant('done').session();
  const results = (client: string): unknown => {
    const request = requestMessages(found, 'next', { host: 'gateway', client });
    return 'messages' in request ? request.messages[2]?.content[0]?.content : request;
  };
  assert.deepEqual(results('2.1.325'), reference.content);
  assert.deepEqual(results('2.1.260'), [text('[Tool references removed - tool search not enabled]')]);

  const reported = transcript()
    .user('one')
    .assistant('first')
    .user('<task-notification>done</task-notification>', { origin: { kind: 'task-notification' } })
    .assistant('second');
  check(reported, {
    '2.1.260': 'U one · A first · A second · U next',
    '2.1.200': 'U one · A first · U <task-notification>done</task-notification> · A second · U next',
  });

  const message = { id: 'both' };
  const blank = transcript()
    .user('one')
    .assistant('', { message })
    .call('t1', { message })
    .result('t1')
    .assistant('done');
  check(blank, {
    '2.1.300': 'U one · A tool_use t1 · U tool_result t1 · A done · U next',
    '2.1.260': 'U one · A  + tool_use t1 · U tool_result t1 · A done · U next',
  });
});
