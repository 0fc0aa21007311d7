// Every changing system call of every writing command, with a kill, each error it may give, an append by another process and
// a second command. A seeded sample runs by default; CLEW_LONG=1 visits all points, CLEW_EXPLORE=move,strip only those of some
// commands, and CLEW_POINT the one that a failure names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startScriptedServer } from '../../src/api/server/messages-server.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { skipWithout } from '../support/terminal.ts';
import { exploredCommands } from './explored-commands.ts';
import { makeExploredPlace } from './explored-place.ts';
import { Explorer, listPoints, nameOf } from './explorer.ts';

const { CLEW_EXPLORE: only, CLEW_POINT: onlyPoint, CLEW_SEED: seed = '1', CLEW_LONG, CLEW_SHARE = '1' } = process.env;
const isLong = CLEW_LONG === '1';
const random = seededRandom(Number(seed));
const shuffled = <T>(list: readonly T[]): readonly T[] =>
  list
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);

const named = only?.split(',');
const chosen = exploredCommands.filter(({ name }) => named === undefined || named.includes(name));
const commands = isLong || named !== undefined ? chosen : shuffled(chosen).slice(0, 8);
const pointsOfEach = 9;

test(
  `commands that are stopped at a system call lose nothing (${isLong ? 'all points' : 'a sample'})`,
  { skip: skipWithout('strace'), timeout: 36_000_000 },
  async (context) => {
    const faults: string[] = [];
    const counts = { points: 0, visited: 0, missed: 0 };
    const queue = [...commands];
    const reply = { blocks: [{ type: 'text', text: 'Done.' }] } as const;
    const model = await startScriptedServer({ apiKey: ['test', 'key'].join('-'), script: () => reply });
    context.after(() => model.close());
    const work = async (): Promise<void> => {
      for (let command = queue.shift(); command !== undefined; command = queue.shift()) {
        const explorer = new Explorer(makeExploredPlace(context, { ANTHROPIC_BASE_URL: model.url }), command);
        const clean = await explorer.runClean();
        faults.push(...clean.faults.map((fault) => `${command?.name}: ${fault}`));
        const all = listPoints(clean.calls);
        counts.points += all.length;
        const points = onlyPoint === undefined ? choose(all) : all.filter((each) => nameOf(each) === onlyPoint);
        const own = { visited: 0, missed: 0, faulty: 0 };
        for (const point of points) {
          const { isReached, faults: found } = await explorer.visit(clean, point);
          own[isReached ? 'visited' : 'missed']++;
          if (found.length > 0) own.faulty++;
          if (!isReached) console.log(`${command.name}: missed ${nameOf(point)}`);
          const repeat = `CLEW_EXPLORE='${command.name}' CLEW_POINT='${nameOf(point)}'`;
          faults.push(...found.map((fault) => `${command?.name}: ${fault}\n    ${repeat}`));
          for (const fault of found) console.log(`${command.name}: ${fault}\n    ${repeat}`);
        }
        counts.visited += own.visited;
        counts.missed += own.missed;
        console.log(
          `explored ${command.name}: ${clean.calls.length} calls, ${all.length} points, ${JSON.stringify(own)}`,
        );
      }
    };
    await Promise.all([work(), ...(isLong ? [work()] : [])]);
    console.log(`explored ${JSON.stringify(counts)} of ${commands.length} commands; seed ${seed}`);
    assert.ok(counts.visited > 0, 'a point was visited');
    assert.equal(counts.missed, 0, 'each point was reached');
    assert.deepEqual(faults, []);
  },
);

/** `CLEW_SHARE=0.1` visits a tenth of the points. */
function choose<T>(points: readonly T[]): readonly T[] {
  if (isLong || named !== undefined) return points.filter(() => random() < Number(CLEW_SHARE));
  return shuffled(points).slice(0, pointsOfEach);
}
