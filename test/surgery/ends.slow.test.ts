// Every session that the real client wrote is renamed, rewound and split, and undo restores its bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBoundary } from '../../src/session/transcript/node.ts';
import { turnsOf } from '../../src/session/turns/turns.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource, type Source } from '../../src/surgery/engine/plan.ts';
import { planRename } from '../../src/surgery/operations/rename.ts';
import { planRewind, planSplit } from '../../src/surgery/operations/rewind.ts';
import { type Bench, benchOf, contentsOf, someRealSessions, undoLast } from '../support/surgery-kit.ts';

test('real sessions are renamed, rewound and split as their turns allow, and undo restores their bytes', async (context) => {
  const counts = { rewound: 0, split: 0 };
  for (const file of someRealSessions(1)) {
    const bench = benchOf(context, file);
    const before = contentsOf(bench.folder);
    await run(bench, (source) => planRename(source, 'renamed'));
    await undoLast(bench);
    assert.deepEqual(contentsOf(bench.folder), before, file);
    const { session } = await loadSource(bench.main);
    const turns = turnsOf(session);
    if (turns.length < 2) continue;
    const at = String(turns.length - 1);
    // Both are proved by the operation itself: a promise that does not hold is an error.
    await run(bench, (source) => planRewind(source, { to: at }));
    counts.rewound++;
    if (turns.at(-1)?.nodes.some(isBoundary)) continue;
    try {
      await run(bench, (source) => planSplit(source, { at }));
      counts.split++;
    } catch (error) {
      assert.match(String(error), /was typed during an answer/, file);
    }
  }
  context.diagnostic(JSON.stringify(counts));
  assert.ok(counts.rewound > 10 && counts.split > 10, JSON.stringify(counts));
});

async function run(bench: Bench, plan: (source: Source) => ReturnType<typeof planRename>): ReturnType<typeof operate> {
  const source = await loadSource(bench.main);
  return operate(plan(source), [source], { env: bench.env });
}
