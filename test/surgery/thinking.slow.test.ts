// Random sessions through two to four random operations: whatever came before, a resume sends no thinking block that the
// API would refuse, and where nothing that is sent changes, none is lost. CLEW_LONG=1 tries more.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Outcome } from '../../src/surgery/engine/operate.ts';
import { addRandomTurn, BoundWriter, boundSessionId, randomBoundSession } from '../support/bound-session.ts';
import { judge, linesOf } from '../support/bound-thinking.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Bench, benchWith } from '../support/surgery-kit.ts';
import { compress, fork, move, type Operation, redact, rewind, split, strip } from './operations-kit.ts';

const chains = process.env.CLEW_LONG === '1' ? 1000 : 40;

interface Step {
  readonly name: string;
  readonly operation: Operation;
  /** Nothing that is sent changes, but for the end. */
  readonly isFaithful?: boolean;
}

test(`${chains} chains of operations leave no thinking that the API would refuse`, async (context) => {
  let operated = 0;
  for (let seed = 1; seed <= chains; seed++) {
    const random = seededRandom(seed);
    const bench = benchWith(context, boundSessionId, randomBoundSession(random).text());
    assert.deepEqual(judge(bench.main).dead, [], `seed ${seed}`);
    operated += await runChain(bench, random, seed);
  }
  // Some steps have nothing to do; if most had, the test would show little.
  assert.ok(operated > chains * 1.5, `${operated} operations`);
});

async function runChain(bench: Bench, random: () => number, seed: number): Promise<number> {
  let file = bench.main;
  const done: string[] = [];
  let operated = 0;
  const steps = 2 + Math.floor(random() * 3);
  for (let i = 0; i < steps; i++) {
    if (random() < 0.3) {
      goOn(file, random, `more${i}`);
      done.push('a turn');
      assertSound(file, `seed ${seed}: ${done.join(', ')}`);
    }
    const step = pickStep(file, random);
    done.push(step.name);
    const label = `seed ${seed}: ${done.join(', ')}`;
    const before = judge(file).sent;
    const outcome = await carriedOut(step, bench, file, label);
    if (outcome === undefined) continue;
    operated++;
    const places = [outcome.to, ...outcome.others];
    for (const place of places) assertSound(place.path, label);
    if (step.isFaithful === true) {
      assert.equal(outcome.thinking.removed, 0, label);
      if (step.name === 'fork') assert.deepEqual(judge(outcome.to.path).sent, before, label);
    }
    file = (places[Math.floor(random() * places.length)] ?? outcome.to).path;
  }
  return operated;
}

/** `undefined`: it had nothing to do there, and said so. */
async function carriedOut(step: Step, bench: Bench, file: string, label: string): Promise<Outcome | undefined> {
  try {
    return await step.operation(bench, file);
  } catch (error) {
    const { exitCode, message } = error as { exitCode?: number; message: string };
    assert.equal(exitCode, 2, `${label}: ${message}`);
    return undefined;
  }
}

function assertSound(file: string, label: string): void {
  const { dead, holes } = judge(file);
  assert.deepEqual({ dead, holes }, { dead: [], holes: [] }, label);
}

function goOn(file: string, random: () => number, name: string): void {
  const lines = linesOf(file);
  const sessionId = String(lines.find((line) => line.sessionId !== undefined)?.sessionId);
  const writer = new BoundWriter({ sessionId, lines });
  addRandomTurn(writer, random, name);
  writeFileSync(file, writer.text());
}

function pickStep(file: string, random: () => number): Step {
  const turn = String(1 + Math.floor(random() * 5));
  const keepLast = Math.floor(random() * 3);
  const limits = keepLast === 0 ? {} : { keepLast };
  const isInPlace = random() < 0.3;
  const said = linesOf(file).filter(({ type }) => type === 'assistant');
  const uuid = String(said[Math.floor(random() * said.length)]?.uuid);
  const steps: readonly Step[] = [
    { name: 'fork', operation: fork(), isFaithful: true },
    { name: `fork --at ${turn}`, operation: fork({ at: turn }), isFaithful: true },
    { name: `rewind ${turn}`, operation: rewind({ to: turn, isInPlace }), isFaithful: true },
    { name: `rewind uuid ${uuid}`, operation: rewind({ to: uuid, isInPlace }) },
    { name: 'move', operation: move(`/srv/${turn}${uuid.slice(0, 6)}`) },
    { name: 'strip --tools', operation: strip({ tools: [], ...limits, isInPlace }) },
    { name: 'strip --tools Bash', operation: strip({ tools: ['Bash'], ...limits, isInPlace }) },
    { name: 'strip --thinking', operation: strip({ thinking: true, ...limits, isInPlace }) },
    { name: 'strip --truncate-results', operation: strip({ truncateResults: 100, ...limits, isInPlace }) },
    { name: 'strip --truncate-inputs', operation: strip({ truncateInputs: 100, ...limits, isInPlace }) },
    { name: 'strip --images', operation: strip({ images: true, ...limits, isInPlace }) },
    { name: 'strip --bookkeeping', operation: strip({ bookkeeping: true, isInPlace }) },
    { name: 'strip --bookkeeping --all', operation: strip({ bookkeeping: true, prompt: true, isInPlace }) },
    { name: 'compress', operation: compress(1 + keepLast, isInPlace) },
    { name: 'redact', operation: redact(isInPlace, random() < 0.3) },
    { name: `split ${turn}`, operation: split(turn) },
    { name: 'portable', operation: fork({}, { isPortable: true }) },
  ];
  return steps[Math.floor(random() * steps.length)] as Step;
}
