// A `move` that is killed after all its copies are written, and what a sensible person does then: look at the history, undo,
// star a session, delete one of the two copies by hand, continue to work. No session and no new memory is lost.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { encodeSlug } from '../../src/store/roots.ts';
import type { Endable } from '../support/after-test.ts';
import { type Run, runClew } from '../support/clew.ts';
import { skipWithout } from '../support/terminal.ts';
import { type ExploredPlace, explored, makeExploredPlace, readPlace } from './explored-place.ts';
import { Explorer } from './explorer.ts';

const skip = skipWithout('strace');

/** What is done between the kill and the next operation, and which files are deleted by hand. */
interface Way {
  readonly name: string;
  readonly lines: readonly string[];
  readonly deletes?: 'old' | 'new';
  readonly next: string;
}

const ways: readonly Way[] = [
  { name: 'the history, then another operation', lines: ['history'], next: 'star {other}' },
  { name: 'an undo, then the old copies are deleted', lines: ['undo'], deletes: 'old', next: 'star {other}' },
  { name: 'a star, then the old copies are deleted', lines: ['star {subject}'], deletes: 'old', next: 'star {other}' },
  {
    name: 'history, undo and star, then the old copies are deleted',
    lines: ['history', 'undo', 'star {subject}'],
    deletes: 'old',
    next: 'tag {other} later',
  },
  { name: 'the old copies are deleted at once', lines: [], deletes: 'old', next: 'star {other}' },
  { name: 'the new copies are deleted at once', lines: [], deletes: 'new', next: 'star {other}' },
  { name: 'the move is run again', lines: ['move {work} {moved}'], next: 'star {other}' },
];

for (const { name, lines, deletes, next } of ways)
  test(`a killed move: ${name}`, { skip, timeout: 600_000 }, async (context) => {
    const { place, before } = await killedMove(context, 'first');
    const said = lines.map((line) => clew(place, line));
    if (deletes !== undefined) deleteCopies(place, deletes);
    said.push(clew(place, next));
    assert.deepEqual({ lost: lostSessions(place, before), bugs: bugsIn(said) }, { lost: [], bugs: [] });
    assert.deepEqual(listed(place), [...new Set(Object.values(explored))].sort(), 'each session is listed once');
    const last = said.at(-1);
    assert.equal(last?.status, 0, last?.stderr);
  });

for (const [next, at] of [
  ['star {other}', 'first'],
  ['star {other}', 'memory'],
  ['undo', 'memory'],
  ['ls', 'memory'],
] as const)
  test(
    `a move killed after its ${at} removal: memory written since is kept by ${next}`,
    { skip, timeout: 600_000 },
    async (context) => {
      const { place, before } = await killedMove(context, at);
      const text = 'what the agent has learned since, in ';
      for (const folder of ['work', 'moved'] as const) {
        mkdirSync(path.join(projectFolder(place, folder), 'memory'), { recursive: true });
        writeFileSync(path.join(projectFolder(place, folder), 'memory/MEMORY.md'), text + folder);
      }
      const said = [clew(place, next), clew(place, 'star {other}')];
      const kept = ['work', 'moved'].filter((folder) =>
        [...readPlace(place).values()].some((bytes) => bytes.includes(text + folder)),
      );
      assert.deepEqual(
        { lost: lostSessions(place, before), bugs: bugsIn(said), kept },
        { lost: [], bugs: [], kept: ['work', 'moved'] },
      );
    },
  );

/** Killed at the first removal of an old file, or right after that of the memory. */
async function killedMove(
  context: Endable,
  at: 'first' | 'memory',
): Promise<{ readonly place: ExploredPlace; readonly before: ReadonlyMap<string, string> }> {
  const place = makeExploredPlace(context);
  const command = { name: 'move', before: [], line: 'move {work} {moved}', isRecorded: true, isUndo: false };
  const explorer = new Explorer(place, command);
  const { calls } = await explorer.runClean();
  place.reset();
  const before = readPlace(place);
  const removals = calls.filter(
    ({ name, path: file }) =>
      /^(?:rename|unlink)/.test(name) && file.includes('/projects/{slug}-work/') && !file.endsWith('.tmp'),
  );
  const memory = removals.find(({ path: file }) => file.endsWith('/memory/MEMORY.md'));
  const removal = at === 'first' ? removals[0] : memory && calls[calls.indexOf(memory) + 1];
  assert.ok(removal !== undefined, 'the move removes the old files');
  assert.ok(await explorer.killAt(removal), 'it was killed there');
  return { place, before };
}

function clew({ env, work, words }: ExploredPlace, line: string): Run {
  const args = line.split(' ').map((word) => word.replaceAll(/\{(\w+)\}/g, (_, name: string) => words[name] ?? name));
  return runClew(args, { env, cwd: work, isAlone: true });
}

function projectFolder({ root, top }: ExploredPlace, name: 'work' | 'moved'): string {
  return path.join(root, 'projects', encodeSlug(path.join(top, name)));
}

/** As a user does it: `rm` of one of the two folders, if both have the session. */
function deleteCopies(place: ExploredPlace, which: 'old' | 'new'): void {
  const folders = { old: projectFolder(place, 'work'), new: projectFolder(place, 'moved') };
  const isTwice = Object.values(folders).every((folder) => existsSync(path.join(folder, `${explored.subject}.jsonl`)));
  if (isTwice) rmSync(folders[which], { recursive: true });
}

/** A line of a session that no file of the root has any more; working directories may be the new ones. */
function lostSessions(place: ExploredPlace, before: ReadonlyMap<string, string>): readonly string[] {
  const { work, moved } = { work: String(place.words.work), moved: String(place.words.moved) };
  const asMoved = (line: string): string =>
    line.replaceAll(work, moved).replaceAll(encodeSlug(work), encodeSlug(moved));
  const now = [...readPlace(place)].filter(([name]) => name.endsWith('.jsonl')).map(([, bytes]) => bytes);
  const lines = new Set(now.flatMap((bytes) => bytes.split('\n')));
  const normal = new Set([...lines].map(asMoved));
  return [...before]
    .filter(([name]) => name.endsWith('.jsonl'))
    .filter(([, bytes]) => bytes.split('\n').some((line) => !normal.has(asMoved(line))))
    .map(([name]) => name);
}

function bugsIn(runs: readonly Run[]): readonly string[] {
  return runs.filter(({ status }) => status === 70).map(({ stderr }) => stderr);
}

function listed(place: ExploredPlace): readonly string[] {
  const rows = JSON.parse(clew(place, 'ls --json').stdout) as readonly { readonly sessionId: string }[];
  return rows.map(({ sessionId }) => sessionId).sort();
}
