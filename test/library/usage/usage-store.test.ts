// What is kept of usage: how little is read and counted again after a change, and that damage, other processes and a disk
// that refuses never change a number.
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { createCalendar } from '../../../src/library/usage/calendar.ts';
import { cellsOf, makeCells, pricedMessages, type UsageCell } from '../../../src/library/usage/cells.ts';
import { makeReport, type ReportKind, reportKinds, sumUp } from '../../../src/library/usage/report.ts';
import { UsageStore, type UsageUpdate } from '../../../src/library/usage/usage-store.ts';
import { bundledPrices, PriceList } from '../../../src/models/price-list.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { answerLine, session1, session2 } from '../../support/usage-library.ts';

const prices = new PriceList(bundledPrices);

interface Place {
  readonly root: string;
  readonly state: string;
  file(name: string): string;
  /** A new process. */
  open(): UsageStore;
  update(): UsageUpdate & { readonly output: number };
}

function place(context: TestContext, files: Readonly<Record<string, string>>): Place {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'root');
  const state = path.join(folder, 'state');
  writeTree(
    root,
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`projects/-w-p/${name}.jsonl`, text])),
  );
  const open = (): UsageStore => new UsageStore({ folder: state, roots: [root] });
  return {
    root,
    state,
    file: (name) => path.join(root, `projects/-w-p/${name}.jsonl`),
    open,
    update: () => {
      const store = open();
      const update = store.update({ prices });
      return { ...update, output: sumUp(cellsOf(store)).outputTokens };
    },
  };
}

const line = (id: string, output: number): string => `${answerLine({ id, output })}\n`;
const usageFiles = (state: string): readonly string[] =>
  readdirSync(path.join(state, 'usage')).map((name) => path.join(state, 'usage', name));
const stateFile = (state: string): string => usageFiles(state).find((file) => file.endsWith('.state')) ?? '';
const rowsFile = (state: string): string => usageFiles(state).find((file) => file.endsWith('.rows')) ?? '';

test('after an append only the new line and the proof of the file are read', (context) => {
  const long = Array.from({ length: 400 }, (_, i) => line(`m${i}`, 1)).join('');
  const { update, file } = place(context, { [session1]: long, [session2]: line('x', 1000) });
  assert.deepEqual([update().output, update().bytesRead], [1400, 0]);
  const added = line('new', 5);
  appendFileSync(file(session1), added);
  const { output, bytesRead, filesRead } = update();
  // Twice the proof (4096 and 256 bytes): that the file is the same, and what the next update needs.
  assert.deepEqual(
    { output, bytesRead, filesRead },
    { output: 1405, bytesRead: added.length + 2 * 4352, filesRead: 1 },
  );
  assert.equal(update().bytesRead, 0);
});

test('rows of files that did not change are neither written nor read again', (context) => {
  const { update, file, state } = place(context, { [session1]: line('a', 1), [session2]: line('b', 10) });
  update();
  const before = readFileSync(rowsFile(state));
  appendFileSync(file(session1), line('c', 100));
  assert.equal(update().output, 111);
  const after = readFileSync(rowsFile(state));
  assert.deepEqual(after.subarray(0, before.length), before);
  assert.ok(after.length > before.length);
});

test('a session that grows for long does not leave its old rows behind', (context) => {
  const { update, file, state } = place(context, { [session1]: line('a', 1) });
  for (let i = 0; i < 60; i++) {
    appendFileSync(file(session1), line(`m${i}`, 1).repeat(40));
    update();
  }
  assert.equal(update().output, 61);
  assert.equal(usageFiles(state).filter((name) => name.endsWith('.rows')).length, 1);
  assert.ok(statSync(rowsFile(state)).size < 1024 * 1024 + 2 * 61 * 200);
});

test('damage to the files of the state is found, and everything is counted again', (context) => {
  const { update, state, file } = place(context, {
    [session1]: line('a', 1),
    [session2]: line('a', 1) + line('b', 10),
  });
  assert.equal(update().output, 11);
  const damages: readonly ((target: string) => void)[] = [
    (target) => truncateSync(target, Math.floor(statSync(target).size / 16) * 8),
    (target) => writeFileSync(target, ''),
    (target) => writeFileSync(target, Buffer.alloc(statSync(target).size)),
    (target) => writeFileSync(target, 'not what it was'),
    (target) => rmSync(target),
    (target) => {
      const bytes = readFileSync(target);
      const at = Math.floor(bytes.length / 2);
      bytes[at] = (bytes[at] as number) ^ 1;
      writeFileSync(target, bytes);
    },
  ];
  let expected = 11;
  for (const [i, damage] of damages.entries()) {
    for (const target of [stateFile, rowsFile]) {
      damage(target(state));
      // A change needs the rows.
      appendFileSync(file(session1), line(`${i} ${target.name}`, 100));
      expected += 100;
      assert.equal(update().output, expected, `${i} ${target.name}`);
      assert.equal(update().filesRead, 0);
    }
  }
});

test('each flipped byte of the state is found or changes nothing', (context) => {
  const { update, state } = place(context, { [session1]: line('a', 1), [session2]: line('a', 1) + line('b', 10) });
  assert.equal(update().output, 11);
  const whole = readFileSync(stateFile(state));
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ flip;
      writeFileSync(stateFile(state), bytes);
      assert.equal(update().output, 11);
    }),
    { numRuns: fuzzRuns(500) },
  );
});

test('two processes that update in turn count what one counts', (context) => {
  const { file, open, update } = place(context, { [session1]: line('a', 1), [session2]: line('b', 10) });
  const stores = [open(), open()];
  for (let i = 0; i < 6; i++) {
    appendFileSync(file(i % 3 === 0 ? session1 : session2), line(`m${i}`, 100));
    for (const store of i % 2 === 0 ? stores : stores.toReversed()) {
      store.update({ prices });
      assert.equal(sumUp(cellsOf(store)).outputTokens, 11 + 100 * (i + 1));
      assert.deepEqual(sumUp(makeCells(pricedMessages(store, prices))), sumUp(cellsOf(store)));
    }
    assert.deepEqual([update().output, update().filesRead], [11 + 100 * (i + 1), 0]);
  }
});

test('rows that another process wrote at the same time are not taken for our own', (context) => {
  const { file, open, update, state } = place(context, { [session1]: line('a', 1), [session2]: line('b', 10) });
  update();
  const store = open();
  store.update({ prices });
  appendFileSync(rowsFile(state), Buffer.alloc(120, 1));
  appendFileSync(file(session1), line('c', 100));
  store.update({ prices });
  assert.equal(sumUp(cellsOf(store)).outputTokens, 111);
  assert.equal(update().output, 111);
  // A process that was killed after it wrote rows leaves the same: what is counted must be kept again.
  assert.equal(update().filesRead, 0);
});

test('rows that another process has replaced since are read from the transcripts again', (context) => {
  const { open, update, state } = place(context, { [session1]: line('a', 1), [session2]: line('b', 10) });
  update();
  for (const damage of [(file: string) => rmSync(file), (file: string) => writeFileSync(file, 'other rows')]) {
    const store = open();
    assert.equal(store.update({ prices }).filesRead, 0);
    damage(rowsFile(state));
    assert.deepEqual(
      store.messages().map(({ usage }) => usage.outputTokens),
      [1, 10],
    );
    assert.equal([...store.lines()].length, 2);
  }
  assert.deepEqual([update().output, update().filesRead], [11, 0]);
});

test('without a disk that can be written, everything is counted in memory', (context) => {
  const { state, root, update } = place(context, { [session1]: line('a', 1) });
  writeFileSync(state, 'a file where the folder should be');
  const { output, saveError } = update();
  assert.equal(output, 1);
  assert.match(String(saveError?.message), /cannot be written \(E\w+\); set CLEW_HOME to a folder you may write to$/);
  const store = new UsageStore({ folder: undefined, roots: [root] });
  assert.equal(store.update({ prices }).saveError, undefined);
  assert.equal(sumUp(cellsOf(store)).outputTokens, 1);
});

test('a copy with zeros and an id of its own does not count', (context) => {
  const top = { forkedFrom: { sessionId: session2, messageUuid: 'u' } };
  const copy = `${answerLine({ id: 'copied', output: 0, input: 0, top })}\n`;
  const { open } = place(context, { [session1]: copy + line('a', 1) });
  const store = open();
  store.update({ prices });
  assert.equal(sumUp(cellsOf(store)).messages, 1);
});

test('with a limit the newest transcripts are read first, and the rest later', (context) => {
  const { open, file } = place(context, { [session1]: line('a', 1), [session2]: line('b', 10) });
  const size = statSync(file(session1)).size;
  const store = open();
  const first = store.update({ prices, maxBytes: 3 * size, first: file(session1) });
  assert.equal(sumUp(cellsOf(store)).outputTokens, 11);
  assert.equal(first.unreadUntilMs, Number.NEGATIVE_INFINITY);
  appendFileSync(file(session1), line('c', 100));
  appendFileSync(file(session2), line('d', 1000));
  const second = store.update({ prices, maxBytes: 1, first: file(session1) });
  assert.equal(sumUp(cellsOf(store)).outputTokens, 111);
  assert.equal(second.unreadUntilMs, statSync(file(session2)).mtimeMs);
  store.update({ prices });
  assert.equal(sumUp(cellsOf(store)).outputTokens, 1111);
});

/** Files that get lines, lose them, share ids and vanish: few ids, so that they often meet. */
const changes = fc.array(
  fc.record({
    file: fc.constantFrom(session1, session2, 'third', 'agent-flat'),
    kind: fc.constantFrom('append', 'append', 'append', 'replace', 'remove', 'nothing'),
    lines: fc.array(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c', 'd', undefined),
        output: fc.nat(9),
        input: fc.constantFrom(0, 10),
        requestId: fc.constantFrom('r', 's', undefined),
        stop: fc.constantFrom('end_turn', null),
        model: fc.constantFrom('claude-opus-4-6', '<synthetic>', 'claude-zeta-9'),
        time: fc.constantFrom('2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z', 'never'),
        sessionId: fc.constantFrom(session1, session2),
        isCopy: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
  }),
  { maxLength: 8 },
);

function rowsOf(cells: readonly UsageCell[], kind: ReportKind): readonly object[] {
  const { rows } = makeReport(cells, { kind, calendar: createCalendar('UTC'), nowMs: 0 });
  return rows.map(({ cells: _, ...row }) => row);
}

/** Lines of a response that were read together are one row, whose stop reason may be of any of them. */
function messagesOf(store: UsageStore): readonly object[] {
  return pricedMessages(store, prices).map(({ line: counted, ...message }) => {
    const { stopReason: _, ...rest } = counted;
    return { ...message, line: rest };
  });
}

test('after any changes, what is kept is what a first count counts', (context) => {
  fc.assert(
    fc.property(changes, (steps) => {
      const { file, open, root } = place(context, {});
      for (const { file: name, kind, lines } of steps) {
        const text = lines
          .map(({ isCopy, ...fields }) => {
            const top = isCopy ? { forkedFrom: { sessionId: session2, messageUuid: 'u' } } : {};
            return `${answerLine({ ...fields, top })}\n`;
          })
          .join('');
        writeTree(root, { 'projects/-w-p/keep.txt': '' });
        if (kind === 'append') appendFileSync(file(name), text);
        else if (kind === 'replace') writeFileSync(file(name), text);
        else if (kind === 'remove') rmSync(file(name), { force: true });
        const store = open();
        store.update({ prices });
        const fresh = new UsageStore({ folder: undefined, roots: [root] });
        fresh.update({ prices });
        assert.deepEqual(messagesOf(store), messagesOf(fresh));
        const expected = makeCells(pricedMessages(fresh, prices));
        for (const kind of reportKinds) assert.deepEqual(rowsOf(cellsOf(store), kind), rowsOf(expected, kind));
        assert.deepEqual(cellsOf(store), cellsOf(fresh));
      }
    }),
    { numRuns: fuzzRuns(1000) },
  );
});
