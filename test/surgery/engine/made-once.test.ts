// The lines of a result are made once: writing, comparing and counting them share what was made.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSource, type OperateOptions, operate, type Plan } from '../../../src/surgery/engine/index.ts';
import { planFork } from '../../../src/surgery/operations/index.ts';
import { benchWith } from '../../support/surgery-kit.ts';
import { transcript } from '../../support/transcript-builder.ts';

const sessionId = '11111111-1111-4111-8111-111111111111';

/** How often the lines of the main transcript are asked for. */
function counted(plan: Plan): { readonly plan: Plan; readonly times: () => number } {
  let times = 0;
  const results = plan.results.map((result) => ({
    ...result,
    files: result.files.map((file) => {
      const { content } = file;
      assert.ok('lines' in content);
      const lines = (): ReturnType<typeof content.lines> => {
        times++;
        return content.lines();
      };
      return { ...file, content: { lines } };
    }),
  }));
  return { plan: { ...plan, results }, times: () => times };
}

const options: Readonly<Record<string, OperateOptions>> = {
  'a dry run': { isDryRun: true },
  'an operation': {},
  'a portable operation': { isPortable: true },
};

for (const [name, option] of Object.entries(options)) {
  test(`${name} makes each line once`, async (context) => {
    const thinking = { type: 'thinking', thinking: 'so', signature: 'c2ln' };
    const text = transcript()
      .user('a')
      .assistant([thinking], { message: { id: 'm', model: 'claude-opus-5-5' } })
      .assistant('b', { message: { id: 'm', model: 'claude-opus-5-5' } })
      .text();
    const bench = benchWith(context, sessionId, text);
    const source = await loadSource(bench.main);
    const { plan, times } = counted(planFork(source));
    const outcome = await operate(plan, [source], { ...option, env: bench.env });
    // A portable session has no thinking that is bound to what was sent.
    const lines = option.isPortable === true ? 2 : 3;
    assert.deepEqual(outcome.proof.reachable, { loaded: lines, of: lines });
    assert.equal(times(), 1);
  });
}
