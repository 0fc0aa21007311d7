// Forks of real sessions that continued differently are joined again.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { turnsOf } from '../../../src/session/turns/turns.ts';
import { type Outcome, operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { planFork } from '../../../src/surgery/operations/fork.ts';
import { type GraftOptions, planGraft } from '../../../src/surgery/operations/graft.ts';
import { type Bench, benchOf, entriesOf, realSessions, sentBy } from '../../support/surgery-kit.ts';

test('forks of real sessions that went different ways are joined', async (context) => {
  let joined = 0;
  for (const file of realSessions()) {
    const bench = benchOf(context, file);
    const source = await loadSource(bench.main);
    const turns = turnsOf(source.session);
    if (turns.length < 2) continue;
    const { to } = await operate(planFork(source, { at: String(turns.length - 1) }), [source], { env: bench.env });
    const at = new Date(Date.parse('2030-01-01T00:00:00Z')).toISOString();
    const last = entriesOf(to.path).findLast(({ type }) => type === 'assistant' || type === 'user');
    const pin = entriesOf(to.path).at(-1);
    const typed = {
      ...last,
      type: 'user',
      uuid: crypto.randomUUID(),
      parentUuid: pin?.leafUuid ?? null,
      timestamp: at,
      message: { role: 'user', content: 'another way' },
      toolUseResult: undefined,
      forkedFrom: undefined,
      isApiErrorMessage: undefined,
    };
    const reply = {
      ...typed,
      type: 'assistant',
      uuid: crypto.randomUUID(),
      parentUuid: typed.uuid,
      message: {
        id: 'msg_other',
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [{ type: 'text', text: 'gone' }],
      },
    };
    writeFileSync(to.path, `${readFileSync(to.path, 'utf8')}${JSON.stringify(typed)}\n${JSON.stringify(reply)}\n`);
    try {
      const outcome = await graftFiles(bench, bench.main, to.path);
      assert.deepEqual((await sentBy(outcome.to.path)).slice(-2), ['another way', 'gone'], file);
      joined++;
    } catch (error) {
      assert.match(
        String(error),
        /compacted after|have no turn in common|middle of an answer|gaps or repetitions/,
        file,
      );
    }
  }
  context.diagnostic(`${joined} joined`);
  assert.ok(joined > 20, String(joined));
});

async function graftFiles(bench: Bench, a: string, b: string, options: GraftOptions = {}): Promise<Outcome> {
  const sources = [await loadSource(a), await loadSource(b)] as const;
  return operate(planGraft(...sources, options), sources, { env: bench.env });
}
