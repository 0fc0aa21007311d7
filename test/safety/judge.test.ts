// What the explorer calls wrong, on small hand-made cases: each kind of fault is found, and a sound outcome has none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Expected, judgePoint, type Observed } from './judge.ts';

const id = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const old = `home/projects/old/${id}.jsonl`;
const moved = `home/projects/new/${id}.jsonl`;
const history = 'home/history.jsonl';
const before = new Map([
  ['home/projects/old/', ''],
  [old, '{"cwd":"old"}\n'],
  [history, '{"project":"old"}\n'],
]);
const after = new Map([
  ['home/projects/new/', ''],
  [moved, '{"cwd":"new"}\n'],
  [history, '{"project":"new"}\n'],
]);
const expected: Expected = { before, after, listedBefore: [id], listedAfter: [id], undone: before };
const command = { name: 'move', before: [], line: 'move', isRecorded: true, isUndo: false };
const fine = { status: 0, stdout: '', stderr: '' };
const line = '{"uuid":"appended-0"}\n';
const appended = [{ name: old, mark: 'appended-0', line: line.trimEnd(), isLate: false }];

interface Case {
  readonly what?: string;
  readonly run?: Partial<Observed['run']>;
  readonly tree?: ReadonlyMap<string, string>;
  readonly state?: string;
  readonly undone?: ReadonlyMap<string, string>;
  readonly undo?: Partial<typeof fine>;
  readonly appended?: Observed['appended'];
  readonly leftovers?: readonly string[];
  readonly next?: Partial<typeof fine>;
  readonly listed?: readonly string[];
}

/** The kinds of the faults. */
function judge({ what = 'kill', tree = after, state = 'done', undone = before, ...more }: Case): readonly string[] {
  const faults = judgePoint(command, expected, {
    what,
    run: { ...fine, isReached: true, ...more.run },
    tree,
    appended: more.appended ?? [],
    followed: {
      next: { ...fine, ...more.next },
      history: state === '' ? [] : [{ id: '1', operation: 'move', state }],
      listed: more.listed ?? [id],
      archived: '',
      tree: [...tree],
      leftovers: more.leftovers ?? [],
      undo: { ...fine, ...more.undo, tree: [...undone], history: [{ id: '1', operation: 'move', state: 'undone' }] },
    },
  });
  return faults.map((fault) => fault.split(':')[0] ?? '');
}

const refused = { status: 3, stderr: 'clew: x has changed since; see it\n' };
const failed = { status: 2, stderr: 'clew: cannot write x (ENOSPC); make room\n' };
const already = { status: 3, stderr: 'clew: operation 1 is already undone; see `clew history`\n' };

test('a sound outcome has no fault', () => {
  assert.deepEqual(judge({}), []);
  assert.deepEqual(judge({ tree: before, state: 'undone', undo: already, run: failed }), []);
  const live = new Map([...after, [moved, `{"cwd":"new"}\n${line}`]]);
  const back = new Map([...before, [old, `{"cwd":"old"}\n${line}`]]);
  assert.deepEqual(judge({ tree: live, appended, undone: back }), []);
});

test('each kind of harm is named', () => {
  const half = new Map([...after, [history, '{"project":"old"}\n']]);
  const without = new Map([...after].filter(([name]) => name !== moved));
  const own = new Map([...after, [old, line]]);
  const temp = new Map([...after, ['home/projects/gone/', '']]);
  assert.deepEqual(
    {
      torn: judge({ tree: half, run: { status: null } }),
      lost: judge({ tree: without, run: { status: null } }),
      unfinished: judge({ state: 'begun' }),
      untrue: judge({ tree: before, run: failed }),
      unrecorded: judge({ state: '' }),
      stuck: judge({ next: refused }),
      refused: judge({ undo: refused }),
      inexact: judge({ undone: half }),
      early: judge({ tree: before, state: 'undone', undo: already }),
      late: judge({ run: failed }),
      bug: judge({ run: { status: 70, stderr: 'clew: this is a bug: x; y' } }),
      twoLines: judge({ tree: before, state: 'undone', undo: already, run: { status: 1, stderr: 'one\ntwo\n' } }),
      line: judge({ appended }),
      ownFile: judge({ tree: own, appended, undone: before }),
      leftover: judge({ leftovers: ['x.tmp'] }),
      folder: judge({ tree: temp }),
      twice: judge({ listed: [id, id] }),
    },
    {
      torn: ['torn'],
      lost: ['lost', 'torn'],
      unfinished: ['lie'],
      untrue: ['lie'],
      unrecorded: ['lie'],
      stuck: ['stuck'],
      refused: ['undo'],
      inexact: ['undo'],
      early: ['exit'],
      late: ['exit'],
      bug: ['bug'],
      twoLines: ['message'],
      line: ['line'],
      ownFile: ['line'],
      leftover: ['leftover'],
      folder: ['leftover'],
      twice: ['list'],
    },
  );
});
