// Operations one on top of the other, over every session that the corpora hold and over odd ones: each result is not
// worse than what it was made from, lines that were not named keep their bytes, and undo leads all the way back.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { UserError } from '../../src/base/errors/errors.ts';
import { isSevere } from '../../src/doctor/checks/finding.ts';
import { diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { planRepair } from '../../src/doctor/repair/repair.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { turnsOf } from '../../src/session/turns/turns.ts';
import { type Outcome, operate } from '../../src/surgery/engine/operate.ts';
import { loadSource, type Plan, type Source } from '../../src/surgery/engine/plan.ts';
import { planCompress } from '../../src/surgery/operations/compress.ts';
import { findCompressCut, offlineSummary } from '../../src/surgery/operations/compress-summary.ts';
import { planFork } from '../../src/surgery/operations/fork.ts';
import { planGraft } from '../../src/surgery/operations/graft.ts';
import { planMove } from '../../src/surgery/operations/move.ts';
import { planRename, planTag } from '../../src/surgery/operations/rename.ts';
import { planRewind, planSplit } from '../../src/surgery/operations/rewind.ts';
import { planStrip } from '../../src/surgery/strip/strip.ts';
import { corpusFolder } from '../support/corpus.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Bench, benchOf, contentsOf, entriesOf, realSessions, undoLast } from '../support/surgery-kit.ts';
import { corpusFiles } from '../support/transcripts.ts';

type Planner = (source: Source) => Plan | undefined | Promise<Plan | undefined>;

const lastTurn = ({ session }: Source): string => String(Math.max(1, turnsOf(session).length - 1));

function compress(source: Source, isInPlace: boolean): Plan {
  const cut = findCompressCut(source.session, 1);
  return planCompress(source, offlineSummary(source.session, cut), { keepTurns: 1, isInPlace }, cut);
}

async function repair(source: Source, isInPlace: boolean): Promise<Plan | undefined> {
  return planRepair(source, await diagnoseSession(source.session), { isInPlace });
}

const inPlace: Readonly<Record<string, Planner>> = {
  'strip tools': (source) => planStrip(source, { tools: [], isInPlace: true, agents: true }),
  'strip rest': (source) =>
    planStrip(source, { thinking: true, images: true, progress: true, bookkeeping: true, isInPlace: true }),
  'strip results': (source) => planStrip(source, { truncateResults: 20, truncateInputs: 20, isInPlace: true }),
  compress: (source) => compress(source, true),
  rewind: (source) => planRewind(source, { to: lastTurn(source), isInPlace: true }),
  fix: (source) => repair(source, true),
  rename: (source) => planRename(source, 'another title'),
  tag: (source) => planTag(source, 'review'),
};

const newSessions: Readonly<Record<string, Planner>> = {
  fork: (source) => planFork(source),
  'fork --at': (source) => planFork(source, { at: lastTurn(source) }),
  strip: (source) => planStrip(source, { tools: [], thinking: true, images: true, progress: true, bookkeeping: true }),
  compress: (source) => compress(source, false),
  rewind: (source) => planRewind(source, { to: lastTurn(source) }),
  split: (source) => planSplit(source, { at: lastTurn(source) }),
  fix: (source) => repair(source, false),
};

/** What editors, copies and kills do to a file, none of which an operation may stumble over. */
const oddities: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  CRLF: (text) => text.replaceAll('\n', '\r\n'),
  'no newline at the end': (text) => text.trimEnd(),
  'a torn end': (text) => text.slice(0, -40),
  'two records in a line': (text) => text.replace('}\n{', '}{'),
  'blank lines': (text) => text.replaceAll('\n', '\n\n'),
  'all of it twice': (text) => text + text,
  'notes alone': (text) => keepLines(text, (line) => !line.includes('"message":')),
  'the first prompt alone': (text) => keepLines(text, (line) => line.includes('"type":"user"')).split('\n')[0] ?? '',
};

function keepLines(text: string, isKept: (line: string) => boolean): string {
  return text.split('\n').filter(isKept).join('\n');
}

test('in place, lines that are not named keep their bytes, and undo restores all bytes', async (context) => {
  const done = new Map<string, number>();
  await eachSession(context, async (bench, what) => {
    for (const [name, planner] of Object.entries(inPlace)) {
      const before = contentsOf(bench.folder);
      const outcome = await attempt(bench, planner, `${name}: ${what}`);
      if (outcome === undefined) continue;
      done.set(name, (done.get(name) ?? 0) + 1);
      assertLinesKept(before, contentsOf(bench.folder), outcome, `${name}: ${what}`);
      await assertNoWorse(before, bench, outcome, `${name}: ${what}`);
      await undoLast(bench);
      assert.deepEqual(contentsOf(bench.folder), before, `${name}: ${what}`);
    }
  });
  assert.deepEqual([...done.keys()].sort(), Object.keys(inPlace).sort());
});

test('a new session leaves the old one alone, plain and portable, and undo takes it away', async (context) => {
  const done = new Map<string, number>();
  await eachSession(context, async (bench, what) => {
    const before = contentsOf(bench.folder);
    for (const [name, planner] of Object.entries(newSessions)) {
      for (const isPortable of [false, true]) {
        const label = `${name}${isPortable ? ' --portable' : ''}: ${what}`;
        const outcome = await attempt(bench, planner, label, isPortable);
        if (outcome === undefined) continue;
        done.set(name, (done.get(name) ?? 0) + 1);
        const after = contentsOf(bench.folder);
        for (const [file, bytes] of before) assert.equal(after.get(file), bytes, label);
        await assertNoWorse(before, bench, outcome, label);
        await undoLast(bench);
        assert.deepEqual(contentsOf(bench.folder), before, label);
      }
    }
  });
  assert.deepEqual([...done.keys()].sort(), Object.keys(newSessions).sort());
});

test('successive operations can be undone one by one', async (context) => {
  let count = 0;
  let moved = 0;
  const planners = [...Object.entries(inPlace), ...Object.entries(newSessions)];
  await eachSession(context, async (bench, what, random) => {
    const states = [contentsOf(bench.root)];
    let at = bench.main;
    for (let i = 0; i < 6; i++) {
      const [name, planner] = planners[Math.floor(random() * planners.length)] ?? assert.fail();
      const outcome = await attempt({ ...bench, main: at }, planner, `${name}, step ${i}: ${what}`, random() < 0.2);
      if (outcome === undefined) continue;
      states.push(contentsOf(bench.root));
      at = outcome.to.path;
      count++;
    }
    const isMoved = await move(bench, at, what);
    if (isMoved) states.push(contentsOf(bench.root));
    moved += Number(isMoved);
    for (const state of states.slice(0, -1).reverse()) {
      await undoLast(bench);
      assert.deepEqual(contentsOf(bench.root), state, what);
    }
  });
  assert.ok(count > 40 && moved > 30, `only ${count} operations, ${moved} moves`);
});

test('a repaired session can be forked twice and grafted', async (context) => {
  let grafted = 0;
  await eachSession(context, async (bench, what) => {
    const repaired = await attempt(bench, newSessions.fix ?? assert.fail(), what);
    const from = { ...bench, main: repaired?.to.path ?? bench.main };
    const first = await attempt(from, (source) => planFork(source), what);
    const second = await attempt(from, (source) => planFork(source, { at: lastTurn(source) }), what);
    if (first === undefined || second === undefined) return;
    goOn(second.to.path);
    const sources = [await loadSource(first.to.path), await loadSource(second.to.path)] as const;
    try {
      await operate(planGraft(...sources), sources, { env: bench.env });
      grafted++;
    } catch (error) {
      assertRefusal(error, what);
    }
  });
  assert.ok(grafted >= 3, `${grafted} grafted`);
});

/** A turn of its own after the end of a fork. */
function goOn(file: string): void {
  const entries = entriesOf(file);
  const leafUuid = entries.findLast(({ type }) => type === 'last-prompt')?.leafUuid ?? assert.fail('no pin');
  const { sessionId = null, cwd = null, version = null } = entries.find(({ uuid }) => uuid === leafUuid) ?? {};
  const common = { isSidechain: false, sessionId, cwd, version, timestamp: '2030-01-01T00:00:00.000Z' };
  const asked = { ...common, type: 'user', uuid: randomUUID(), parentUuid: leafUuid };
  const content = [{ type: 'text', text: 'gone' }];
  const message = { id: `msg_${randomUUID()}`, role: 'assistant', model: 'claude-opus-5-5', content };
  const lines = [
    { ...asked, message: { role: 'user', content: 'another way' } },
    { ...common, type: 'assistant', uuid: randomUUID(), parentUuid: asked.uuid, message },
  ];
  appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Sub-agents, and a fixture that mixes made-up sessions: no client ever wrote such a file. */
const leftOut = /^agent-|^edge_cases\.jsonl$/;

/**
 * All uuids are one, or no line is the beginning: operations have stumbled over them. The first one written twice is not
 * repaired: images that the API rejects come back with lines that the client put aside, and the proof refuses the result.
 */
const awkward: Readonly<Record<string, readonly string[]>> = {
  'small.jsonl': ['as it is'],
  'sidechain_main.jsonl': ['as it is', 'all of it twice'],
};

/** One in twelve sessions of the corpora, each with one of the oddities; all of both in the long mode. */
async function eachSession(
  context: TestContext,
  run: (bench: Bench, what: string, random: () => number) => Promise<void>,
): Promise<void> {
  const isLong = process.env.CLEW_LONG === '1';
  const random = seededRandom(4);
  const problems: string[] = [];
  const real = realSessions();
  const known = new Set(real);
  const others = corpusFiles().filter((file) => !known.has(file) && !leftOut.test(path.basename(file)));
  const kinds = Object.entries(oddities);
  for (const [i, file] of [...real, ...others].entries()) {
    const awkwardKinds = awkward[path.basename(file)] ?? [];
    for (const [k, [kind, change]] of kinds.entries()) {
      if (!isLong && k !== (i / 12) % kinds.length && !awkwardKinds.includes(kind)) continue;
      const bench = benchOf(context, file);
      writeFileSync(bench.main, change(readFileSync(file, 'latin1')), 'latin1');
      const what = `${path.relative(corpusFolder, file)}, ${kind}`;
      await run(bench, what, random).catch((error: unknown) => problems.push(String(error).slice(0, 500)));
      rmSync(path.dirname(bench.root), { recursive: true, force: true });
    }
  }
  assert.deepEqual(problems, []);
}

/** What came of it; nothing where it was refused, which must be for what the user asked. */
async function attempt(bench: Bench, planner: Planner, what: string, isPortable = false): Promise<Outcome | undefined> {
  try {
    const source = await loadSource(bench.main);
    if (source.session.transcript.foreign !== undefined) return undefined;
    const plan = await planner(source);
    return plan && (await operate(plan, [source], { env: bench.env, isPortable }));
  } catch (error) {
    assertRefusal(error, what);
    return undefined;
  }
}

function assertRefusal(error: unknown, what: string): void {
  if (!(error instanceof UserError) || /proof failed/.test(error.message)) assert.fail(`${what}: ${inspect(error)}`);
}

/** Whether it was moved: a file without a record of the client is refused. */
async function move(bench: Bench, at: string, what: string): Promise<boolean> {
  try {
    const source = await loadSource(at);
    const folder = path.join(path.dirname(bench.folder), '-elsewhere');
    const { plan, sources } = await planMove([{ source, folder, cwd: { from: '/home/kim', to: '/elsewhere' } }], {
      words: [],
    });
    await operate(plan, sources, { env: bench.env });
    return true;
  } catch (error) {
    assertRefusal(error, what);
    return false;
  }
}

/** Looked at with nothing but the bytes: as many lines are new, and as many gone, as the outcome says, in order. */
function assertLinesKept(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  { changed, dropped }: Outcome,
  what: string,
): void {
  let made = 0;
  // A line may move to a session of its own.
  const old = recordsOf([...before.values()].join('\n'));
  for (const [name, text] of after) {
    if (!name.endsWith('.jsonl')) continue;
    made += text.split('\n').filter((line) => line !== '' && !old.has(line)).length;
  }
  assert.ok(made <= changed, `${made} new lines, ${changed} said: ${what}`);
  const now = new Set([...after.values()].join('\n').split('\n'));
  for (const [name, text] of before) {
    const gone = text.split('\n').filter((line) => line !== '' && !now.has(line)).length;
    if (name.endsWith('.jsonl'))
      assert.ok(gone <= changed + dropped.length, `${gone} lines gone from ${name}: ${what}`);
  }
}

/** Lines, and the records of lines that hold several. */
function recordsOf(text: string): ReadonlySet<string> {
  return new Set([...text.split('\n'), ...text.split(/\r?\n|(?<=\})(?=\{)/)]);
}

/** The doctor finds nothing grave that it did not find before. */
async function assertNoWorse(
  before: ReadonlyMap<string, string>,
  bench: Bench,
  { to }: Outcome,
  what: string,
): Promise<void> {
  const grave = async (file: string): Promise<ReadonlySet<string>> => {
    const { findings } = await diagnoseSession(await loadSession(file));
    // Of a line that is there twice each copy gets its own note of where the whole is.
    return new Set(
      findings.filter((each) => isSevere(each) && each.code !== 'G-duplicate-uuid').map(({ code }) => code),
    );
  };
  const now = await grave(to.path);
  if (now.size === 0) return;
  const old = path.join(bench.root, 'before.jsonl');
  writeFileSync(old, before.get(path.basename(bench.main)) ?? '', 'latin1');
  const known = await grave(old);
  rmSync(old);
  assert.deepEqual(
    [...now].filter((code) => !known.has(code)),
    [],
    what,
  );
}
