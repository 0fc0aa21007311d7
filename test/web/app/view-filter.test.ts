// Which blocks a view shows, which parts it asks for, and how it is written in the address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionHead } from '../../../src/export/page/head.ts';
import { turnViews } from '../../../src/export/page/turn-view.ts';
import type { Item, TurnView } from '../../../src/export/wire/view.ts';
import type { Session } from '../../../src/session/load/session.ts';
import { readAddress, writeQuery } from '../../../src/web/app/session/source/source.ts';
import { plainFilter, type ViewFilter } from '../../../src/web/app/session/source/view-filter.ts';
import { hiddenBlocks, isShown, mayShow, showsAnything } from '../../../src/web/app/session/view/shown.ts';
import { findStep } from '../../../src/web/app/session/view/stepping.ts';
import {
  type TranscriptBuilder,
  text,
  thinking,
  toolResult,
  toolUse,
  transcript,
} from '../../support/transcript-builder.ts';

const view = (name: ViewFilter['view'], ...tools: string[]): ViewFilter => ({ view: name, tools });
const views = (session: Session): readonly TurnView[] => turnViews(session, { from: 0, to: 1_000 });
const itemsOf = (session: Session): readonly Item[] => views(session).flatMap(({ items }) => items);

const failed = { message: { content: [toolResult('c1', 'no', { is_error: true })] } };

/** One block of each kind, and whether the conversation shows it. */
const kinds: readonly { readonly what: string; readonly item: () => Item | undefined; readonly isShown: boolean }[] = [
  { what: 'an answer', item: () => only(transcript().user('p').assistant('yes')), isShown: true },
  {
    what: 'readable thinking',
    item: () =>
      only(
        transcript()
          .user('p')
          .assistant([thinking('hm')]),
      ),
    isShown: true,
  },
  {
    what: 'unreadable thinking',
    item: () =>
      only(
        transcript()
          .user('p')
          .assistant([thinking('')]),
      ),
    isShown: false,
  },
  { what: 'a call', item: () => only(transcript().user('p').call('c1')), isShown: true },
  { what: 'a failed call', item: () => only(transcript().user('p').call('c1').result('c1', failed)), isShown: true },
  { what: 'hook success', item: () => only(transcript().user('p').attachment('hook_success')), isShown: false },
  {
    what: 'a hook that failed',
    item: () => only(transcript().user('p').attachment('hook_blocking_error')),
    isShown: true,
  },
  { what: 'a list of skills', item: () => only(transcript().user('p').attachment('skill_listing')), isShown: false },
  { what: 'a task reminder', item: () => only(transcript().user('p').attachment('task_reminder')), isShown: false },
  { what: 'a file that the user named', item: () => only(transcript().user('p').attachment('file')), isShown: true },
  {
    what: 'a reminder',
    item: () => only(transcript().user('p').user('<system-reminder>mind</system-reminder>', { isMeta: true })),
    isShown: false,
  },
  {
    what: 'the duration of a turn',
    item: () => only(transcript().user('p').system('turn_duration')),
    isShown: false,
  },
  {
    what: "the client's filler",
    item: () =>
      only(
        transcript()
          .user('p')
          .assistant('No response requested.', { message: { model: '<synthetic>', id: 'm' } }),
      ),
    isShown: false,
  },
  {
    what: 'a warning of the client',
    item: () => only(transcript().user('p').system('odd_notice', { level: 'warning', content: 'mind this' })),
    isShown: true,
  },
  {
    what: 'an interruption',
    item: () => only(transcript().user('p').user('[Request interrupted by user]')),
    isShown: true,
  },
  {
    what: 'a compaction',
    item: () => itemsOf(transcript().user('p').boundary().user('q').session()).at(-1),
    isShown: true,
  },
];

function only(builder: TranscriptBuilder): Item | undefined {
  // A branch ends with a message.
  return itemsOf(builder.assistant('after').session())[0];
}

for (const { what, item, isShown: shown } of kinds)
  test(`the conversation ${shown ? 'shows' : 'hides'} ${what}, and All shows it`, () => {
    const block = item();
    assert.ok(block !== undefined);
    assert.deepEqual([isShown(block, plainFilter), isShown(block, view('all'))], [shown, true]);
  });

test('each entry of the list of hidden blocks hides one of them', () => {
  const hidden = kinds.filter((each) => !each.isShown).map(({ item }) => item());
  const used = hiddenBlocks.map(({ is }) => hidden.filter((item) => item !== undefined && is(item)).length);
  assert.deepEqual(used, [1, 5, 1]);
});

const mixed = (): Session =>
  transcript()
    .user('one')
    .assistant([text('words'), toolUse('c1', 'Bash'), toolUse('c2', 'Read')])
    .result('c1', failed)
    .result('c2')
    .user('two')
    .assistant('only words')
    .user('three')
    .call('c3')
    .session();

test('Errors, Prompts and the chips of tools show only their blocks', () => {
  const names = (filter: ViewFilter): readonly string[] =>
    itemsOf(mixed())
      .filter((item) => isShown(item, filter))
      .map((item) => (item.kind === 'call' ? item.id : item.kind));
  assert.deepEqual(names(view('errors')), ['c1']);
  assert.deepEqual(names(view('prompts')), []);
  assert.deepEqual(names(view('conversation', 'Read')), ['c2', 'c3']);
  assert.deepEqual(names(view('errors', 'Read')), []);
  assert.deepEqual(names(view('all', 'Bash', 'Read')), ['c1', 'c2', 'c3']);
});

test('a view asks for the parts that have its blocks, and for no others', () => {
  const session = mixed();
  const { turns, tools } = sessionHead(session);
  assert.deepEqual(tools, [
    { name: 'Bash', calls: 1, errors: 1 },
    { name: 'Read', calls: 2, errors: 0 },
  ]);
  const asked = (filter: ViewFilter): readonly number[] => {
    const chosen = filter.tools.length === 0 ? null : new Set(filter.tools.map((name) => (name === 'Bash' ? 0 : 1)));
    return turns.flatMap(({ index, partBits, partTools }) =>
      mayShow(filter, chosen, partBits[0] ?? 0, partTools[0] ?? []) ? [index] : [],
    );
  };
  assert.deepEqual(asked(view('all')), [1, 2, 3]);
  assert.deepEqual(asked(view('prompts')), [1, 2, 3]);
  assert.deepEqual(asked(view('errors')), [1]);
  assert.deepEqual(asked(view('conversation', 'Read')), [1, 3]);
  assert.deepEqual(asked(view('conversation', 'Bash')), [1]);
  assert.deepEqual(asked(view('errors', 'Read')), [1], 'only the loaded part says which call failed');
  const [first] = views(session);
  assert.ok(first !== undefined);
  assert.equal(showsAnything(first, view('errors', 'Read')), false);
  assert.equal(showsAnything(first, view('errors', 'Bash')), true);
});

test('a part of bookkeeping alone has no row in the conversation', () => {
  const builder = transcript().user('p');
  for (let i = 0; i < 40; i++) builder.attachment('hook_success');
  const { turns } = sessionHead(builder.user('q').assistant('yes').session());
  assert.deepEqual(
    turns.map(({ partBits }) => partBits.map((bits) => mayShow(plainFilter, null, bits, []))),
    [[true, false], [true]],
  );
});

test('the address has the view and the tools, and nothing of the default', () => {
  assert.deepEqual(readAddress('?view=errors&tool=Bash&tool=Read&at=end').filter, view('errors', 'Bash', 'Read'));
  assert.equal(readAddress('?at=end').at, 'end');
  assert.deepEqual(readAddress('?view=nonsense').filter, plainFilter);
  assert.deepEqual(readAddress('?view=prompts&tool=Bash').filter, view('prompts'));
  assert.equal(
    writeQuery({ turn: 3, filter: view('errors', 'Bash', 'mcp__x y') }),
    'turn=3&view=errors&tool=Bash&tool=mcp__x+y',
  );
  assert.equal(writeQuery({ turn: 3, filter: plainFilter }), 'turn=3');
});

test('steps go to the next and the previous block, and load only parts that can have one', async () => {
  const builder = transcript().user('one').call('c1').result('c1', failed).call('c2').result('c2');
  for (let i = 0; i < 5; i++) builder.user(`talk ${i}`).assistant('words');
  const session = builder.user('last').call('c9').boundary().summary('short').session();
  const head = sessionHead(session);
  const all = views(session);
  const loaded: number[] = [];
  const load = async (part: number): Promise<TurnView | undefined> => {
    loaded.push(part);
    return all[part];
  };
  const step = (kind: 'error' | 'call' | 'compaction', by: 1 | -1, part: number, line: number | null) =>
    findStep(head, load, { kind, by, from: { part, line } });
  assert.deepEqual(await step('call', 1, 0, null), { part: 0, line: 2 });
  assert.deepEqual(await step('call', 1, 0, 2), { part: 0, line: 4 });
  loaded.length = 0;
  assert.deepEqual(await step('call', 1, 0, 4), { part: 6, line: 17 });
  assert.deepEqual(loaded, [0, 6], 'turns without a call are not loaded');
  assert.deepEqual(await step('call', -1, 6, 17), { part: 0, line: 4 });
  assert.deepEqual(await step('error', 1, 0, null), { part: 0, line: 2 });
  assert.equal(await step('error', 1, 0, 2), undefined);
  assert.deepEqual(await step('compaction', 1, 0, null), { part: 6, line: 18 });
  assert.deepEqual(await step('error', -1, 6, null), { part: 0, line: 2 });
});
