// Preserved thinking and the real client: after every operation on a session that it wrote itself, the client sends no
// thinking block that the API would refuse, leaves no gap, and still sends the blocks that fit.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { planGraft } from '../../src/surgery/operations/graft.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { shareOf } from '../support/fuzz-runs.ts';
import { type Bench, benchWith } from '../support/surgery-kit.ts';
import { compress, fork, move, type Operation, redact, rewind, split, strip } from '../surgery/operations-kit.ts';
import { type Recording, recordTurns, verdictOn, verdictOnBytes } from './bound-recording.ts';

const current = '2.1.325';

/** The first three turns, followed by the whole session: its own turns come after the same text as before. */
const graftOnBeginning: Operation = async (bench, file, options = {}) => {
  const { to } = await fork({ at: '3' })(bench, file);
  const sources = [await loadSource(to.path), await loadSource(file)] as const;
  return operate(planGraft(...sources), sources, { env: bench.env, ...options });
};

/** How many of the nine blocks each keeps: by hand, from where the recording has its first call, image and token. */
const table: readonly (readonly [string, Operation, number])[] = [
  ['fork', fork(), 9],
  ['fork --at 3', fork({ at: '3' }), 5],
  ['fork --to', fork({ to: '/srv' }), 9],
  ['rewind', rewind({ to: '3' }), 5],
  ['rewind --in-place', rewind({ to: '3', isInPlace: true }), 5],
  ['move', move('/srv'), 9],
  ['strip --thinking', strip({ thinking: true }), 0],
  ['strip --thinking --keep-last 2', strip({ thinking: true, keepLast: 2 }), 3],
  ['strip --tools', strip({ tools: [] }), 2],
  ['strip --tools Read', strip({ tools: ['Read'] }), 4],
  ['strip --truncate-results', strip({ truncateResults: 100 }), 2],
  ['strip --truncate-inputs', strip({ truncateInputs: 100 }), 2],
  ['strip --images', strip({ images: true }), 4],
  ['strip --images --in-place', strip({ images: true, isInPlace: true }), 4],
  ['strip --bookkeeping', strip({ bookkeeping: true }), 9],
  ['strip --bookkeeping --all', strip({ bookkeeping: true, prompt: true }), 0],
  ['compress', compress(2), 0],
  ['compress --drop-old', compress(2, true), 0],
  ['redact', redact(), 5],
  ['redact --keep-thinking', redact(true), 5],
  ['split', split('3'), 5],
  ['graft', graftOnBeginning, 9],
  ['--portable', fork({}, { isPortable: true }), 0],
];

test(
  `every operation on a session with nine signed blocks: ${current} sends no block that the API refuses`,
  { concurrency: availableParallelism() + 1 },
  async (t) => {
    const recording = await recordTurns(current);
    assert.deepEqual(await verdictOnBytes(current, recording), { sent: 9, refused: [], requests: 1 });
    await Promise.all(
      // Half of the operations; all of them with CLEW_LONG=1.
      shareOf(table, 0, 2).map(([name, operation, kept]) =>
        t.test(name, async (context) => {
          const { main, env } = benchOf(context, recording);
          const { to, others } = await operation({ env }, main);
          assert.deepEqual(await verdictOn(current, to.path), { sent: kept, refused: [], requests: 1 });
          for (const other of others)
            assert.deepEqual(await verdictOn(current, other.path), { sent: 0, refused: [], requests: 1 });
        }),
      ),
    );
    await t.test('bundle and import', async (context) => {
      const { main, env: all, root } = benchOf(context, recording);
      const env = { CLEW_HOME: all.CLEW_HOME };
      const [bundle, work] = [path.join(root, 'a.clew'), path.join(root, 'work')];
      mkdirSync(work);
      assert.equal(runClew(['bundle', main, '--output', bundle], { env }).status, 0);
      const options = { env, cwd: work };
      const imported = jsonOf(['import', bundle, '--json', '--root', root], options) as { to: { path: string } };
      assert.deepEqual(await verdictOn(current, imported.to.path), { sent: 0, refused: [], requests: 1 });
    });
  },
);

function benchOf(context: TestContext, { sessionId, bytes }: Recording): Bench {
  return benchWith(context, sessionId, bytes);
}
