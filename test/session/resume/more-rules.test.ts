// The rules that the first recordings did not reach (R1–R14). Every expected value was seen with client 2.1.325.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonValue } from '../../../src/base/json/json.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { draftLines, isOwnReminder } from '../../../src/session/resume/messages/draft.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { history, outline, sent } from '../../support/outline.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import {
  type Fields,
  type TranscriptBuilder,
  text,
  thinking,
  toolResult,
  transcript,
} from '../../support/transcript-builder.ts';
import { attached } from './attached.ts';

const m = { message: { id: 'm' } };
const asked = { user: ['q'] };
const noResponse = { assistant: ['No response requested.'] };
const next = { user: ['next'] };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } };

function parallel(): TranscriptBuilder {
  return transcript().user('q').call('t1', m).call('t2', m).from('a1').result('t1');
}

const parallelSent = [
  asked,
  { assistant: ['call t1', 'call t2'] },
  { user: ['t1 → out t1', 't2 → out t2'] },
  { assistant: ['done'] },
  next,
];

test('R1: a pin on a result next to the chain is passed when the end of the file continues', () => {
  assert.deepEqual(sent(parallel().lastPrompt('r1').from('a2').result('t2').assistant('done')), parallelSent);
});

test('R1: so is a pin on a note below such a result, and an explicit pin is not', () => {
  const noted = parallel().system('turn_duration').lastPrompt('s1').from('a2').result('t2').assistant('done');
  assert.deepEqual(sent(noted), parallelSent);
  const explicit = parallel().from('a2').result('t2').assistant('done').lastPrompt('r1', { explicit: true });
  assert.deepEqual(sent(explicit), [
    asked,
    { assistant: ['call t1', 'call t2'] },
    { user: ['t1 → out t1', 't2 → out t2'] },
    noResponse,
    next,
  ]);
});

test('R1: a pin on a line that leads to no such result stays', () => {
  const builder = transcript().user('q').assistant('a').user('other').from('u1').assistant('b').lastPrompt('u2');
  assert.deepEqual(sent(builder), [asked, { assistant: ['a'] }, { user: ['other'] }, noResponse, next]);
});

test('R2: other lines of a message go after the last of its lines that is before them in the file', () => {
  const aside = transcript().user('q').assistant('1', m).assistant('aside', m).from('a1').assistant('2', m);
  assert.deepEqual(history(aside)[1], { assistant: ['1', 'aside', '2'] });
  const last = transcript().user('q').assistant('1', m).assistant('2', m).from('a1').assistant('aside', m);
  assert.deepEqual(history(last.from('a2').user('q2').assistant('z'))[1], { assistant: ['1', '2', 'aside'] });
  const first = transcript().user('q').assistant('aside', m).from('u1').assistant('1', m).assistant('2', m);
  assert.deepEqual(history(first)[1], { assistant: ['1', 'aside', '2'] });
});

test('R2: also where results are between its lines', () => {
  const builder = transcript()
    .user('q')
    .call('t1', m)
    .from('a1')
    .call('t2', m)
    .from('a1')
    .result('t1')
    .call('t3', m)
    .from('a2')
    .result('t2')
    .from('a3')
    .result('t3')
    .assistant('done');
  assert.deepEqual(sent(builder).slice(1, 3), [
    { assistant: ['call t1', 'call t2', 'call t3'] },
    { user: ['t1 → out t1', 't2 → out t2', 't3 → out t3'] },
  ]);
});

test('R3: a fallback block is not sent, and alone it leaves "(no content)"', () => {
  const fallback = { type: 'fallback', model: 'x' };
  assert.deepEqual(
    history(
      transcript()
        .user('q')
        .assistant([fallback, text('a')]),
    ),
    [asked, { assistant: ['a'] }],
  );
  assert.deepEqual(history(transcript().user('q').assistant([fallback])), [asked, { assistant: ['(no content)'] }]);
});

test('R4: a call of a server tool without its result is not sent', () => {
  const call = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
  const result = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] };
  const said = (...blocks: object[]): unknown =>
    history(
      transcript()
        .user('q')
        .assistant(blocks as Parameters<TranscriptBuilder['assistant']>[0]),
    );
  assert.deepEqual(said(call, result, text('a')), [
    asked,
    { assistant: ['[server_tool_use]', '[web_search_tool_result]', 'a'] },
  ]);
  assert.deepEqual(said(call, text('a')), [asked, { assistant: ['a'] }]);
  assert.deepEqual(said(call), [asked, { assistant: ['[Tool use interrupted]'] }]);
  assert.deepEqual(said({ ...call, type: 'mcp_tool_use' }), [asked, { assistant: ['[Tool use interrupted]'] }]);
});

test('R5: where the result of a call that failed holds more than texts, its texts are joined and the rest is dropped', () => {
  const answered = (isError: boolean, content: JsonValue[], ...notes: string[]): unknown => {
    const result = toolResult('t1', content, { is_error: isError });
    const builder = transcript().user('q').call('t1').user([result]);
    return history((notes.length > 0 ? builder.attachment('custom', notes) : builder).assistant('a'))[2];
  };
  assert.deepEqual(answered(false, [text('x'), image]), { user: ['t1 → x + [image]'] });
  assert.deepEqual(answered(true, [text('x'), image]), { user: ['t1 → x'] });
  assert.deepEqual(answered(true, [text('x'), text('y')]), { user: ['t1 → x + y'] });
  assert.deepEqual(answered(true, [image]), { user: ['t1 → '] });
  assert.deepEqual(answered(true, [text('x'), image], 'note'), { user: ['t1 → x\n\nnote'] });
  assert.deepEqual(answered(true, [text('x'), text('y')], 'note'), { user: ['t1 → x + y\n + note'] });
  assert.deepEqual(answered(true, [{ type: 'tool_reference', tool_name: 'Bash' }]), {
    user: ['t1 → ', 'Tool loaded.'],
  });
});

test('R6: some attachments without a text of their own are worded by the client, all others are silent', () => {
  const isWorded = (type: string): boolean | undefined => {
    const { nodes, read } = transcript().attachment(type).transcript();
    return draftLines(nodes, read)[0]?.content.some(isOwnReminder);
  };
  assert.equal(isWorded('queued_command'), true);
  assert.equal(isWorded('hook_success'), true);
  assert.equal(isWorded('todo'), false);
  assert.equal(isWorded('not_known_to_anybody'), false);
});

test('R6: images of a file and of a queued prompt are user content', () => {
  const file = { type: 'image', file: { base64: 'iVBO', type: 'image/png' } };
  assert.deepEqual(history(attached({ type: 'file', content: file }))[2], { user: ['[image]', 'q2'] });
  const queued = history(attached({ type: 'queued_command', prompt: [text('see'), image] }))[2];
  assert.deepEqual(queued, { user: ['[image]', 'q2'] });
  const inResult = transcript()
    .user('q')
    .call('t1')
    .result('t1')
    .attachment('file', undefined, { attachment: { type: 'file', content: file } })
    .assistant('b');
  assert.deepEqual(history(inResult)[2], { user: ['t1 → out t1', '[image]'] });
});

test('R7: the task list is a tool of the models without system messages', () => {
  const loaded = (model: string): unknown =>
    history(
      transcript()
        .user('q')
        .call('t1', { message: { model } })
        .user([toolResult('t1', [{ type: 'tool_reference', tool_name: 'TaskCreate' }])])
        .assistant('a', { message: { model } }),
    )[2];
  assert.deepEqual(loaded('claude-sonnet-4-5-20250929'), { user: ['t1 → [tool_reference]', 'Tool loaded.'] });
  assert.deepEqual(loaded('claude-opus-5-5'), {
    user: ['t1 → [Tool references removed - tools no longer available]'],
  });
});

test('R8: an interruption at the end with an attachment after it gets no answer', () => {
  const interrupted = (): TranscriptBuilder =>
    transcript().user('q').assistant('a').user('[Request interrupted by user]');
  assert.deepEqual(sent(interrupted()).slice(2), [{ user: ['[Request interrupted by user]'] }, noResponse, next]);
  assert.deepEqual(sent(interrupted().attachment('custom', ['see'])).slice(2), [
    { user: ['see', '[Request interrupted by user]\n', 'next'] },
  ]);
});

test('R9: system notes below a result next to the chain come along', () => {
  const builder = parallel().system('local_command', { content: 'ran' }).from('a2').result('t2').assistant('done');
  assert.deepEqual(sent(builder).slice(2, 3), [{ user: ['t1 → out t1', 't2 → out t2', 'ran'] }]);
});

test('R10: a line of thinking and blank text counts as thinking alone', () => {
  const builder = transcript()
    .user('q')
    .assistant([thinking('1'), text(' ')])
    .user('q2')
    .assistant('a');
  assert.deepEqual(history(builder), [{ user: ['q\n', 'q2'] }, { assistant: ['a'] }]);
});

test('R11: where only calls follow the last result, all calls since the prompt that are open count', () => {
  const builder = transcript().user('q').call('t0').call('t1').result('t1').call('t2');
  assert.deepEqual(sent(builder), [
    asked,
    { assistant: ['call t0'] },
    { user: ['t0 → (missing)'] },
    { assistant: ['call t1'] },
    { user: ['t1 → out t1'] },
    { assistant: ['call t2'] },
    { user: ['t2 → (interrupted)'] },
    noResponse,
    next,
  ]);
});

test('R11: where a text is after the last result, only the calls of the last message count', () => {
  const builder = transcript().user('q').call('t0').call('t1').result('t1').assistant('x', m).call('t2', m);
  assert.deepEqual(sent(builder), [
    asked,
    { assistant: ['call t1'] },
    { user: ['t1 → out t1'] },
    { assistant: ['x', 'call t2'] },
    { user: ['t2 → (interrupted)'] },
    noResponse,
    next,
  ]);
});

test('R11: the last message is the one that starts last, because lines join the first line of their message', () => {
  const n = { message: { id: 'n' } };
  const builder = transcript().user('q').call('t0', m).call('t1', n).assistant('a', m);
  assert.deepEqual(sent(builder), [
    asked,
    { assistant: ['call t1'] },
    { user: ['t1 → (missing)'] },
    { assistant: ['a'] },
    { user: ['(no content)'] },
    noResponse,
    next,
  ]);
});

test('R12: a refusal on the chain that takes messages back takes all of them', () => {
  const refused = (uuids: readonly string[]): TranscriptBuilder =>
    transcript()
      .user('q')
      .assistant('partial')
      .attachment('custom', ['see'])
      .system('model_refusal_fallback', { retractedMessageUuids: [...uuids] })
      .system('local_command', { content: 'ran' })
      .user('q2')
      .assistant('a');
  assert.deepEqual(sent(refused(['a1'])), [{ user: ['ran\n', 'next'] }]);
  assert.equal(sent(refused([])).length, 5);
});

test('R13: lines with a request id and without a message id are one message', () => {
  const line = (requestId: string): Fields => ({ requestId, message: { id: undefined } });
  const builder = transcript().user('q').assistant('a', line('1')).assistant('b', line('2'));
  assert.deepEqual(history(builder), [asked, { assistant: ['a', 'b'] }]);
});

test('R14: lines inside an array that ends, or that the end of the file cuts, are not read', async (context) => {
  const folder = path.join(temporaryFolder(context), 'sessions');
  mkdirSync(folder, { recursive: true });
  const lines = transcript().user('q').assistant('a').user('q2').text().trimEnd().split('\n');
  const [first, second, third] = lines;
  let count = 0;
  const sentOf = async (...written: (string | undefined)[]): Promise<unknown> => {
    const file = path.join(folder, `${count++}.jsonl`);
    writeFileSync(file, `${written.join('\n')}\n`);
    const request = requestMessages(await loadSession(file));
    return 'refused' in request ? 'refused' : outline(request.messages);
  };
  const talk = [asked, { assistant: ['a'] }];
  const all = [...talk, { user: ['q2'] }, noResponse];
  assert.deepEqual(await sentOf('[', first), 'refused');
  assert.deepEqual(await sentOf('[', `${first},`, second, ']'), 'refused');
  assert.deepEqual(await sentOf(first, second, '[', third), talk);
  assert.deepEqual(await sentOf(first, second, '['), talk);
  // Two records without a comma between them break the array: only the line with the bracket is lost.
  assert.deepEqual(await sentOf('[', ...lines), all);
  assert.deepEqual(await sentOf(first, '[1, 2]', second, third), all);
});

test('R14: a value over several lines swallows the records in it, unless it is broken', async (context) => {
  const folder = path.join(temporaryFolder(context), 'sessions');
  mkdirSync(folder, { recursive: true });
  const [first = '', second = '', third = '', fourth = ''] = transcript()
    .user('q')
    .assistant('a')
    .user('q2')
    .assistant('a2')
    .text()
    .split('\n');
  let count = 0;
  /** The messages after the first exchange. */
  const sentOf = async (written: readonly string[]): Promise<unknown> => {
    const file = path.join(folder, `${count++}.jsonl`);
    writeFileSync(file, `${[first, second, ...written].join('\n')}\n`);
    const request = requestMessages(await loadSession(file));
    return 'refused' in request ? 'refused' : outline(request.messages).slice(1);
  };
  const [one, two] = [{ assistant: ['a'] }, { assistant: ['a2'] }];
  const all = [one, { user: ['q2'] }, two];
  const swallowed: readonly (readonly string[])[] = [
    ['[', '', third, '', '  ]', fourth],
    ['  [', third, '] x', fourth],
    ['[', `${third}]`, fourth],
    ['[', '[', third, ']', ']', fourth],
    // The array outside is broken, the one inside is not.
    ['[', '[', third, ']', fourth],
    ['{"a":', third, '}', fourth],
    ['{"a"', ':', third, '}', fourth],
    ['[{"a":', third, '}', ']', fourth],
  ];
  for (const lines of swallowed) assert.deepEqual(await sentOf(lines), [one, two], lines.join('\n'));
  // What follows on the line of the end is not read either.
  for (const lines of [
    ['[', `${third}]${fourth}`],
    ['{"a":', third],
    ['{"a":[', third],
    ['[', '[', third],
  ])
    assert.deepEqual(await sentOf(lines), [one], lines.join('\n'));
  const broken: readonly (readonly string[])[] = [
    ['[', '{not json', third, ']', fourth],
    ['[', `${third},`, ']', fourth],
    ...['nul', '01', '-', '"\\q"', '"\u0001"'].map((bad) => [`[${bad},`, third, ']', fourth]),
    ['{"a":', third, fourth],
    ['{"a":1,', third, fourth],
    ['{', third, fourth],
    ['{"a" 1,"b":', third, '}', fourth],
    ['["abc', third, '"]', fourth],
    ['{"x":1}[', third, ']', fourth],
    ['[', '1', '][', third, ']', fourth],
  ];
  for (const lines of broken) assert.deepEqual(await sentOf(lines), all, lines.join('\n'));
});
