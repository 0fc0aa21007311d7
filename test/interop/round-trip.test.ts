// Sessions that go from program to program: our agent and a client take turns, each with calls of its own. At every
// hand-over the next program sends what we predict from the file, and what the program before it had. What a client loses
// of its own files is listed here. A third of the chains by default, all of them with CLEW_LONG=1.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { shareOf } from '../support/fuzz-runs.ts';
import { type HandOver, runChain } from './round-trip.ts';
import { scenarios } from './round-trip-scenarios.ts';
import type { Program } from './shared-home.ts';

const clients = ['2.1.325', '2.1.45'] as const;
const concurrency = availableParallelism() + 1;

function ordersWith(client: Program): readonly (readonly Program[])[] {
  return [
    ['clew', client],
    [client, 'clew', client],
    ['clew', client, 'clew'],
    [client, 'clew'],
  ];
}

interface Loss {
  readonly reason: string;
  readonly client: Program;
  readonly scenarios: readonly string[];
  readonly isIn: (handOver: HandOver, order: readonly Program[]) => boolean;
  /** Depends on what the client finishes first. */
  readonly isRare?: true;
}

const withParallelCalls = ['tools in parallel', 'failing tools', 'sub-agents', 'large output and edited files'];

const losses: readonly Loss[] = [
  {
    reason:
      'it writes the results of parallel calls as side branches, and on a resume follows only the newest: calls of its own turns are lost or come in another order',
    client: '2.1.45',
    scenarios: withParallelCalls,
    isIn: ({ from, to }, order) => order[0] === '2.1.45' && [from, to].includes('2.1.45'),
  },
  {
    reason:
      'it may write its last answer before the result that the answer follows; newer clients continue at the last line',
    client: '2.1.45',
    scenarios: withParallelCalls,
    isIn: ({ from }) => from === '2.1.45',
    isRare: true,
  },
  {
    reason: 'it sends the report of a background task as a prompt; clients since 2.1.260 send it as a reminder',
    client: '2.1.45',
    scenarios: ['background agent'],
    isIn: ({ from, to }) => [from, to].includes('2.1.45'),
    isRare: true,
  },
];

const chains = Object.keys(scenarios).flatMap((name) =>
  [0, 1, 2, 3].flatMap((place) => clients.map((client) => ({ name, client, order: ordersWith(client)[place] ?? [] }))),
);

test('a session goes from program to program without loss', { concurrency }, async (t) => {
  assert.equal(chains.length, 12 * 4 * 2);
  const used = new Set<Loss>();
  const chosen = shareOf(chains, 0, 3);
  await Promise.all(
    chosen.map(({ name, client, order }) =>
      t.test(`${name}: ${order.join(' → ')}`, async (context) => {
        const scenario = scenarios[name];
        assert.ok(scenario !== undefined);
        const handOvers = await runChain(context, scenario, order);
        assert.equal(handOvers.length, order.length);
        for (const handOver of handOvers) {
          const { from, to, unpredicted, lost } = handOver;
          assert.equal(unpredicted, undefined, `${from} → ${to}: not as predicted: ${unpredicted}`);
          if (lost === undefined) continue;
          const known = losses.filter(
            (loss) => loss.client === client && loss.scenarios.includes(name) && loss.isIn(handOver, order),
          );
          assert.ok(known.length > 0, `${from} → ${to}: not what ${from} had: ${lost}`);
          for (const loss of known) used.add(loss);
        }
      }),
    ),
  );
  if (chosen.length < chains.length) return;
  const unused = losses.filter((loss) => loss.isRare !== true && !used.has(loss));
  assert.deepEqual(unused, [], 'these losses did not happen; remove them from the list');
});
