// Many machines push at once while their clients and the server are killed: afterwards the store has every row once.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanEnv, jsonOf } from '../support/clew.ts';
import { noPostgres } from '../support/postgres.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startTeamStore, type TeamStore } from '../support/team-store.ts';
import { type Machine, machineOf, type SmallSession, smallSession } from './push-kit.ts';
import { runNode, runProcess } from './run-process.ts';

/** CLEW_LONG=1: the numbers of docs/team.md. */
const size =
  process.env.CLEW_LONG === '1'
    ? { machines: 50, sessions: 500, clientKills: 80, serverKills: 20 }
    : { machines: 6, sessions: 30, clientKills: 10, serverKills: 2 };

test(
  `${size.machines} machines push at once through ${size.clientKills + size.serverKills} kills: no row twice, none lost`,
  {
    skip: noPostgres,
  },
  async (context) => {
    const random = seededRandom(21);
    // Two machines of each person.
    const people = Object.fromEntries(
      Array.from({ length: Math.ceil(size.machines / 2) }, (_, i) => [`person${i}`, 'developer' as const]),
    );
    // The processes are killed, the machine does not lose power: what reached the system is kept.
    const store = await startTeamStore(context, people, { settings: ['fsync = off'] });
    const all: SmallSession[] = [];
    const machines = Array.from({ length: size.machines }, (_, i) => {
      const sessions = Array.from({ length: size.sessions }, () => smallSession(random, `/work/project${i % 7}`));
      all.push(...sessions);
      const files = Object.fromEntries(sessions.map(({ name, text }) => [name, text]));
      const address = store.addressOf(`person${i >> 1}`);
      return machineOf(context, address, { name: `machine${i}`, files, level: i % 5 === 0 ? 'text' : 'metrics' });
    });
    const kills = spread(size.clientKills, machines.length);
    const clients = machines.map((machine, i) => pushThroughKills(machine, kills[i] ?? 0, random));
    const [clientKills, serverKills] = await Promise.all([Promise.all(clients), killServer(store, clients)]);

    assert.equal(sum(clientKills), size.clientKills);
    assert.equal(serverKills, size.serverKills);
    const read = (sql: string): string => store.server.run(sql).trim();
    const total = (pick: (session: SmallSession) => number): number => sum(all.map(pick));
    assert.equal(read('SELECT count(*), count(DISTINCT session_id) FROM clew.sessions'), `${all.length}|${all.length}`);
    assert.equal(
      read('SELECT sum(messages), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens) FROM clew.cells'),
      [
        total(({ messages }) => messages),
        total(({ inputTokens }) => inputTokens),
        total(({ outputTokens }) => outputTokens),
        total(({ cacheReadTokens }) => cacheReadTokens),
      ].join('|'),
    );
    for (const [table, key, count] of [
      ['calls', 'call_key', total(({ calls }) => calls)],
      ['prompts', 'prompt_key', total(({ prompts }) => prompts)],
    ] as const)
      assert.equal(read(`SELECT count(*), count(DISTINCT ${key}) FROM clew.${table}`), `${count}|${count}`, table);
    assert.deepEqual(storeByModel(store), localByModel(machines));
    assert.equal(read('SELECT count(*) FROM clew.machines'), String(machines.length));
  },
);

/** As even as possible. */
function spread(count: number, over: number): readonly number[] {
  return Array.from({ length: over }, (_, i) => Math.floor(((i + 1) * count) / over) - Math.floor((i * count) / over));
}

const child = path.join(import.meta.dirname, 'push-child.js');

/** Returns how often it was killed. */
async function pushThroughKills(machine: Machine, kills: number, random: () => number): Promise<number> {
  const env = { ...cleanEnv(), ...machine.env };
  let killed = 0;
  for (let kill = 0; kill < kills; kill++) {
    // There are four steps for each session; some end in the middle of what follows, such as the transaction.
    const step = 1 + Math.floor(random() * ((size.sessions * 4) / (kills + 1)));
    const ms = random() < 0.4 ? 0 : 1 + Math.floor(random() * 25);
    const { signal, stderr, code } = await runNode([child, machine.root, String(step), String(ms)], env);
    assert.equal(signal, 'SIGKILL', `exit ${code}: ${stderr}`);
    killed++;
  }
  const { code, stderr } = await runProcess(['push'], env);
  assert.equal(code, 0, stderr);
  return killed;
}

/** Each time that another part of the sessions has arrived. */
async function killServer({ server }: TeamStore, clients: readonly Promise<unknown>[]): Promise<number> {
  let isOver = false;
  void Promise.allSettled(clients).then(() => {
    isOver = true;
  });
  const total = size.machines * size.sessions;
  let killed = 0;
  while (killed < size.serverKills && !isOver) {
    await delay(50);
    const stored = Number(server.run('SELECT count(*) FROM clew.sessions'));
    if (stored < ((killed + 1) * total) / (size.serverKills + 1)) continue;
    server.stop('immediate');
    server.start();
    killed++;
  }
  return killed;
}

function storeByModel({ server }: TeamStore): object {
  const rows =
    server.run(`SELECT json_agg(t ORDER BY key) FROM (SELECT model AS key, sum(input_tokens) AS "inputTokens",
    sum(output_tokens) AS "outputTokens", sum(cache_read_tokens) AS "cacheReadTokens", sum(messages) AS messages,
    round(sum(cost_micro_usd)::numeric, 3) AS cost FROM clew.cells GROUP BY model) t`);
  return JSON.parse(rows) as object;
}

/** The sums of `clew usage` on each machine. */
function localByModel(machines: readonly Machine[]): object {
  const models = new Map<string, { key: string; [name: string]: number | string }>();
  for (const { env } of machines) {
    const { rows } = jsonOf(['usage', 'model', '--json'], { env }) as {
      rows: readonly Record<string, number>[];
    } & object;
    for (const row of rows) {
      const key = String(row.key);
      const known = models.get(key) ?? {
        key,
        inputTokens: 0,
        outputTokens: 0,
        cacheReadTokens: 0,
        messages: 0,
        cost: 0,
      };
      for (const name of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'messages'])
        known[name] = Number(known[name]) + Number(row[name]);
      known.cost = Number(known.cost) + Number(row.costMicroUsd);
      models.set(key, known);
    }
  }
  const rounded = [...models.values()].map((row) => ({ ...row, cost: Math.round(Number(row.cost) * 1000) / 1000 }));
  return rounded.sort((a, b) => (a.key < b.key ? -1 : 1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
