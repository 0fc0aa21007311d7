// Random command lines, as the judge lets them run and in plain bash: whatever runs unasked reads no secret and changes
// nothing outside or protected, while many of the same lines do harm in plain bash. `CLEW_SEED=N` (or N-M) runs
// single lines again; the full number of lines runs with CLEW_LONG=1.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import type { Confinement, PermissionMode, Sandbox } from '../../src/agent/contract/confinement.ts';
import { type Judge, makeJudge } from '../../src/agent/permission/judge.ts';
import { makeSandbox, noMechanism } from '../../src/agent/sandbox/sandbox.ts';
import { startShell } from '../../src/agent/tools/shell/shell.ts';
import { shellQuote } from '../../src/base/text/human.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { changes, fill, leaks, makePlace, type Place, resetPlace, token } from './attack-place.ts';
import { randomShell } from './random-shell.ts';
import { mechanism, rule, skip } from './sandbox/sandbox-kit.ts';

const modes: readonly PermissionMode[] = ['default', 'plan', 'dontAsk', 'acceptEdits'];
const batchSize = 40;
const longestMs = 4000;
const lines = process.env.CLEW_LONG === '1' ? 20_000 : 120;
const { CLEW_SEED } = process.env;
const [first = 1, last = first] = CLEW_SEED === undefined ? [1, lines] : CLEW_SEED.split('-').map(Number);
const seeds = Array.from({ length: last - first + 1 }, (_, i) => first + i);

interface Line {
  readonly seed: number;
  readonly text: string;
}

test('random command lines do no harm as they are judged, and do in plain bash', { skip }, async (t) => {
  const place = makePlace(temporaryFolder(t));
  const agents = [true, false].map((hasSandbox) => makeAgent(place, hasSandbox));
  const counts = new Map<string, number>();
  const count = (what: string, by = 1): void => void counts.set(what, (counts.get(what) ?? 0) + by);
  const failures: string[] = [];
  for (let start = 0; start < seeds.length; start += batchSize) {
    const batch = seeds.slice(start, start + batchSize).map((seed): Line => ({ seed, text: lineOf(seed, place) }));
    for (const agent of agents) {
      const how = agent.hasSandbox ? 'with the sandbox' : 'without';
      const runs = new Map<Confinement, Set<Line>>();
      for (const mode of modes) {
        for (const line of batch) {
          const confinement = judged(agent, line, mode);
          if (confinement === undefined) continue;
          count(`${mode} ${how}: ran`);
          runs.set(confinement, (runs.get(confinement) ?? new Set()).add(line));
        }
      }
      for (const [confinement, allowed] of runs)
        failures.push(...(await runJudged(agent, place, confinement, [...allowed])));
    }
    for (const line of batch) if (harmsInPlain(line, place)) count('harmed in plain bash');
    if (start % 2000 === 0) t.diagnostic(`${start} lines: ${[...counts].map((each) => each.join(' ')).join(', ')}`);
  }
  t.diagnostic(
    `${seeds.length} lines: ${[...counts].map((each) => each.join(' ')).join(', ')}; harmed as judged ${failures.length}`,
  );
  assert.deepEqual(failures, []);
  // Otherwise the lines are too harmless to prove anything.
  if (seeds.length >= 100) {
    assert.ok((counts.get('harmed in plain bash') ?? 0) * 10 >= seeds.length, JSON.stringify([...counts]));
    for (const mode of modes) assert.ok((counts.get(`${mode} with the sandbox: ran`) ?? 0) * 4 >= seeds.length, mode);
    assert.ok((counts.get('default without: ran') ?? 0) > 0);
  }
});

function lineOf(seed: number, place: Place): string {
  const random = seededRandom(seed);
  random();
  return fill(randomShell(random), place, 9);
}

interface Agent {
  readonly hasSandbox: boolean;
  readonly project: string;
  readonly judge: Judge;
  readonly sandbox: Sandbox;
}

function makeAgent({ project, home }: Place, hasSandbox: boolean): Agent {
  const rules = [rule('deny', 'Read(.env)'), rule('deny', 'Read(priv/**)')];
  const use = { isAvailable: hasSandbox, runsUnasked: true, mayLeave: true, excluded: [] };
  const places = { projectDir: project, home, root: path.join(home, '.claude') };
  const judge = makeJudge({ ...places, rules, sandbox: use });
  const used = hasSandbox ? mechanism : noMechanism;
  const sandbox = makeSandbox({ ...places, extraDirs: [], policy: judge.policy, mechanism: used });
  return { hasSandbox, project, judge, sandbox };
}

function judged({ judge, project }: Agent, { text }: Line, mode: PermissionMode): Confinement | undefined {
  const call = { id: 'toolu_1', name: 'Bash', input: { command: text } };
  const decision = judge.judge(call, { mode, cwd: project, isReadOnly: false });
  return decision.kind === 'allow' ? (decision.confinement ?? 'open') : undefined;
}

/** Reading leaves no trace, so many lines run in one shell; if a secret appears, each line runs alone. */
async function runJudged(
  agent: Agent,
  place: Place,
  confinement: Confinement,
  allowed: readonly Line[],
): Promise<readonly string[]> {
  const alone = async (): Promise<readonly string[]> => {
    const failures: string[] = [];
    for (const { seed, text } of allowed) {
      const output = await run(agent, place, confinement, text);
      const effects = [...leaks(output), ...changes(place)];
      if (effects.length > 0) failures.push(`seed ${seed}, ${confinement}: ${text} → ${effects.join(', ')}`);
      if (confinement === 'workspace' || effects.length > 0) resetPlace(place);
    }
    return failures;
  };
  if (confinement !== 'read-only') return alone();
  const driver = allowed.map(({ text }) => `timeout -k 1 2 bash -c ${shellQuote(text)} </dev/null`).join('\n');
  const output = await run(agent, place, confinement, `${driver}\necho all of them ran`, 2 * longestMs * batchSize);
  const isQuiet = output.endsWith('all of them ran\n') && leaks(output).length === 0 && changes(place).length === 0;
  return isQuiet ? [] : alone();
}

async function run(
  { sandbox }: Agent,
  { project, home }: Place,
  confinement: Confinement,
  text: string,
  limitMs = longestMs,
): Promise<string> {
  const secret = confinement === 'open' ? {} : { SECRET_VARIABLE: token };
  const env = { ...process.env, ...secret, ANTHROPIC_API_KEY: token, HOME: home };
  const launch = sandbox.launch(confinement, { cwd: project, env, sessionDir: path.join(home, '.claude/own') });
  const pieces: Buffer[] = [];
  const shell = startShell(text, { cwd: project, launch, onOutput: (bytes) => void pieces.push(bytes) });
  const timer = setTimeout(() => shell.kill(), limitMs);
  await shell.exited;
  clearTimeout(timer);
  shell.kill();
  await shell.gone;
  launch.finish();
  return Buffer.concat(pieces).toString('latin1');
}

/** In its own container: only the test folder can be changed. */
function harmsInPlain({ text }: Line, place: Place): boolean {
  const { base, project, home } = place;
  const view = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/run'];
  const args = ['--die-with-parent', '--unshare-all', ...view, '--bind', base, base, '--chdir', project];
  const { stdout } = spawnSync('bwrap', [...args, 'timeout', '-k', '1', '2', 'bash', '-c', `{ ${text}\n} 2>&1`], {
    env: { PATH: process.env.PATH, HOME: home, SECRET_VARIABLE: token },
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1 << 26,
  });
  const isHarmed = leaks(stdout.toString('latin1')).length > 0 || changes(place).length > 0;
  resetPlace(place);
  return isHarmed;
}
