// Moved, rewound, split, grafted and imported sessions, tried on the real client: it resumes each of them and sends
// what `clew messages` says; the portable ones also in a client that knows neither pins nor parallel results.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { loadSession } from '../../src/session/load/session.ts';
import { callsOf, isBoundary } from '../../src/session/transcript/node.ts';
import { turnsOf } from '../../src/session/turns/turns.ts';
import { planImport } from '../../src/surgery/bundle/import.ts';
import { unpackBundle } from '../../src/surgery/bundle/read.ts';
import { writeBundle } from '../../src/surgery/bundle/write.ts';
import { type Outcome, operate } from '../../src/surgery/engine/operate.ts';
import { loadSource, type Plan, type Source } from '../../src/surgery/engine/plan.ts';
import { planFork } from '../../src/surgery/operations/fork.ts';
import { planGraft } from '../../src/surgery/operations/graft.ts';
import { folderFor, planMove } from '../../src/surgery/operations/move.ts';
import { launchFolderOf } from '../../src/surgery/operations/moved-projects.ts';
import { planRewind, planSplit } from '../../src/surgery/operations/rewind.ts';
import { corpusFolder } from '../support/corpus.ts';
import { type Bench, benchOf, entriesOf, realSessions } from '../support/surgery-kit.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { installClient, resume, sessionFiles } from './client.ts';
import { describeDifference } from './difference.ts';
import { predict } from './predict.ts';

const versions = { old: '2.1.45', current: '2.1.325' } as const;
const installed = new Map<string, string>();

before(async () => {
  for (const version of Object.values(versions)) installed.set(version, await installClient(version));
});

interface Case {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
}

test(
  'the real client resumes what was moved, rewound, split, grafted and imported, and sends what we predict',
  { concurrency: availableParallelism() + 1 },
  async (context) => {
    const [a, b, c, d, e] = await severalTurns();
    assert.ok(a !== undefined && b !== undefined && c !== undefined && d !== undefined && e !== undefined);
    const { current, old } = versions;
    const cases: Case[] = [];
    const add = (name: string, version: string, outcome: Outcome): void => {
      cases.push({ name, version, files: [outcome.to, ...outcome.others].map((place) => place.path) });
    };
    const big = realSessions().find((file) => file.includes('2.1.325/big/'));
    assert.ok(big !== undefined);
    for (const file of [big, a]) {
      add(`moved ${nameOf(file)}`, current, await moved(context, file));
      add(`imported ${nameOf(file)}`, current, await imported(context, file));
    }
    for (const file of [b, c, d])
      add(`rewound ${nameOf(file)}`, current, await changed(context, file, (s) => planRewind(s, { to: '1' })));
    for (const file of [c, e])
      add(`split ${nameOf(file)}`, current, await changed(context, file, (s) => planSplit(s, { at: '1' })));
    for (const file of [d, e]) add(`grafted ${nameOf(file)}`, current, await grafted(context, file));
    add(`rewound, portable, ${nameOf(c)}`, old, await changed(context, c, (s) => planRewind(s, { to: '1' }), true));
    add(`split, portable, ${nameOf(e)}`, old, await changed(context, e, (s) => planSplit(s, { at: '1' }), true));
    add(`grafted, portable, ${nameOf(e)}`, old, await grafted(context, e, true));
    await Promise.all(
      cases.flatMap(({ name, version, files }) =>
        files.map((file, i) => context.test(`${version}: ${name} (${i + 1})`, () => assertPredicted(version, file))),
      ),
    );
  },
);

/** Of each client the session with the most calls among those with several turns and no compaction. */
async function severalTurns(): Promise<string[]> {
  const found = new Map<string, { file: string; calls: number }>();
  for (const file of realSessions()) {
    const version = /real\/([\d.]+)\//.exec(file)?.[1] ?? '';
    if (readFileSync(file).includes('"type":"image"')) continue;
    const session = await loadSession(file);
    const isPlain =
      !session.transcript.nodes.some((node) => isBoundary(node) || node.isCompactSummary) &&
      !session.transcript.mayRepeat;
    const calls = session.transcript.nodes.flatMap(callsOf).length;
    if (isPlain && turnsOf(session).length > 1 && calls >= (found.get(version)?.calls ?? 0))
      found.set(version, { file, calls });
  }
  return [...found.values()].sort((x, y) => y.calls - x.calls).map(({ file }) => file);
}

function nameOf(file: string): string {
  return path.relative(path.join(corpusFolder, 'corpus/real'), file).split(path.sep).slice(0, 2).join(' ');
}

async function assertPredicted(version: string, file: string): Promise<void> {
  const cli = installed.get(version) ?? '';
  const sessionId = path.basename(file, '.jsonl');
  const [run, predicted] = await Promise.all([
    resume({ cli, files: await sessionFiles(file), sessionId, prompt: 'next' }),
    predict(file),
  ]);
  assert.ok(run.sent !== null, `not resumed: ${run.stderr || run.stdout}`);
  assert.ok('messages' in predicted, 'we predict a refusal');
  const difference = describeDifference(run.sent, predicted.messages);
  if (difference !== undefined) assert.fail(`${file}: ${difference}`);
}

async function changed(
  context: TestContext,
  file: string,
  plan: (source: Source) => Plan,
  isPortable = false,
): Promise<Outcome> {
  const bench = benchOf(context, file);
  const source = await loadSource(bench.main);
  return operate(plan(source), [source], { env: bench.env, isPortable });
}

async function moved(context: TestContext, file: string): Promise<Outcome> {
  const bench = benchOf(context, file);
  const source = await loadSource(bench.main);
  const to = '/srv/elsewhere';
  const cwd = { from: launchFolderOf(source.session, source.folder) ?? '/', to };
  const { plan, sources } = await planMove([{ source, folder: folderFor(source.folder, to), cwd }], { words: [] });
  return operate(plan, sources, { env: bench.env });
}

async function imported(context: TestContext, file: string): Promise<Outcome> {
  const bench = benchOf(context, file);
  const bundle = path.join(path.dirname(bench.root), 'b.clew');
  await writeBundle(bundle, [await loadSource(bench.main)]);
  const root = temporaryFolder(context);
  return unpackBundle(bundle, bench.env, async (manifest, unpacked) => {
    const projects = path.join(root, 'projects');
    const options = { file: bundle, unpacked, projects, to: '/srv/p', home: '/home/eve', taken: new Set<string>() };
    const { plan, sources } = await planImport(manifest, options);
    return operate(plan, sources, { env: bench.env });
  });
}

async function grafted(context: TestContext, file: string, isPortable = false): Promise<Outcome> {
  const bench = benchOf(context, file);
  const second = await otherWay(bench);
  const sources = [await loadSource(bench.main), await loadSource(second)] as const;
  return operate(planGraft(...sources), sources, { env: bench.env, isPortable });
}

/** A fork of the first turn that continued with another prompt. */
async function otherWay(bench: Bench): Promise<string> {
  const source = await loadSource(bench.main);
  const { to } = await operate(planFork(source, { at: '1' }), [source], { env: bench.env });
  const lines = entriesOf(to.path);
  const { toolUseResult, forkedFrom, ...envelope } = lines.findLast(({ type }) => type === 'user') ?? {};
  const timestamp = '2027-01-01T00:00:00.000Z';
  const typed = {
    ...envelope,
    uuid: crypto.randomUUID(),
    parentUuid: lines.at(-1)?.leafUuid ?? null,
    timestamp,
    message: { role: 'user', content: 'another way' },
  };
  const model = 'claude-opus-5-5';
  const reply = {
    ...typed,
    type: 'assistant',
    uuid: crypto.randomUUID(),
    parentUuid: typed.uuid,
    timestamp: '2027-01-01T00:00:01.000Z',
    message: {
      id: 'msg_other',
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'gone that way' }],
    },
  };
  writeFileSync(
    to.path,
    [readFileSync(to.path, 'utf8'), ...[typed, reply].map((line) => `${JSON.stringify(line)}\n`)].join(''),
  );
  return to.path;
}
