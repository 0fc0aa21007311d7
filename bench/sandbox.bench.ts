// The cost of the sandbox: the CPU time of `ls` in it, minus that of a plain `ls`, in a small project and in one with many
// folders, and the wall time of ten commands one after the other. A control group counts the time, so it needs root.
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Confinement, Sandbox } from '../src/agent/contract/confinement.ts';
import { makeJudge } from '../src/agent/permission/judge.ts';
import { findMechanism, type Mechanism, makeSandbox, noMechanism } from '../src/agent/sandbox/sandbox.ts';
import { startShell } from '../src/agent/tools/shell/shell.ts';

const rounds = 9;
const commandsPerRound = 20;
const base = path.join(tmpdir(), 'clew-bench', 'sandbox');
rmSync(base, { recursive: true, force: true });

const mechanism = findMechanism();
if (mechanism.kind !== 'bubblewrap')
  console.log('sandbox: bubblewrap is not installed here, so there is nothing to measure');
else await measure(mechanism);

interface Case {
  readonly name: string;
  readonly project: string;
  readonly sandbox: Sandbox;
  readonly confinement: Confinement;
}

async function measure(mechanism: Mechanism): Promise<void> {
  const cases = [
    ['a small project', 20],
    ['1,200 folders', 1200],
  ].flatMap(([name, folders]): Case[] => {
    const project = makeProject(String(name), Number(folders));
    return [
      { name: `plain ls, ${name}`, project, sandbox: sandboxOf(project, noMechanism), confinement: 'open' },
      { name: `read-only ls, ${name}`, project, sandbox: sandboxOf(project, mechanism), confinement: 'read-only' },
      { name: `workspace ls, ${name}`, project, sandbox: sandboxOf(project, mechanism), confinement: 'workspace' },
    ];
  });
  const cpuMs = makeMeter();
  const cpu = new Map<Case, number[]>(cases.map((each) => [each, []]));
  const wall = new Map<Case, number[]>(cases.map((each) => [each, []]));
  // The first scan of a folder reads all of it.
  for (const each of cases) await run(each);
  for (let round = 0; round < rounds; round++) {
    for (const each of cases) {
      const [startCpu, startMs] = [cpuMs(), performance.now()];
      for (let i = 0; i < commandsPerRound; i++) await run(each);
      cpu.get(each)?.push((cpuMs() - startCpu) / commandsPerRound);
      wall.get(each)?.push((performance.now() - startMs) / commandsPerRound);
    }
  }
  console.log(`sandbox: medians of ${rounds} rounds of ${commandsPerRound} commands`);
  let plain = 0;
  for (const each of cases) {
    const [cpuTime, wallTime] = [median(cpu.get(each)), median(wall.get(each))];
    if (each.confinement === 'open') plain = cpuTime;
    const above =
      each.confinement === 'open' ? '' : `, ${(cpuTime - plain).toFixed(1)} ms above plain (at most 15 are allowed)`;
    console.log(
      `  ${each.name.padEnd(32)} ${cpuTime.toFixed(1)} ms CPU${above}; ten commands ${(10 * wallTime).toFixed(0)} ms`,
    );
  }
}

async function run({ project, sandbox, confinement }: Case): Promise<void> {
  const place = { cwd: project, env: process.env, sessionDir: path.join(base, 'session') };
  const launch = sandbox.launch(confinement, place);
  const shell = startShell('ls', { cwd: project, launch, onOutput: () => undefined });
  const { code } = await shell.exited;
  if (code !== 0) throw new Error(`ls ended with ${code}`);
  await shell.gone;
  launch.finish();
}

function sandboxOf(projectDir: string, mechanism: Mechanism): Sandbox {
  const places = { projectDir, home: path.join(base, 'home'), root: path.join(base, 'home/.claude') };
  const rules = [{ kind: 'deny', text: 'Read(secret/**)', source: 'bench' } as const];
  const { policy } = makeJudge({ ...places, rules });
  return makeSandbox({ ...places, extraDirs: [], policy, mechanism });
}

function makeProject(name: string, folders: number): string {
  const project = path.join(base, name.replaceAll(' ', '-'));
  for (let i = 0; i < folders; i++) {
    const folder = path.join(project, `part-${i % 30}`, `piece-${i}`);
    mkdirSync(folder, { recursive: true });
    for (const file of ['index.ts', 'read.ts', 'note.md']) writeFileSync(path.join(folder, file), 'text\n');
  }
  mkdirSync(path.join(project, 'secret'));
  mkdirSync(path.join(project, '.git/hooks'), { recursive: true });
  writeFileSync(path.join(project, '.env'), 'KEY=value\n');
  return project;
}

/** A control group of its own counts every process, also those that a sandbox ends without waiting for them. */
function makeMeter(): () => number {
  const v1 = '/sys/fs/cgroup/cpuacct';
  const top = existsSync(v1) ? v1 : '/sys/fs/cgroup';
  const group = path.join(top, `clew-bench-${process.pid}`);
  mkdirSync(group);
  writeFileSync(path.join(group, 'cgroup.procs'), String(process.pid));
  process.on('exit', () => {
    writeFileSync(path.join(top, 'cgroup.procs'), String(process.pid));
    rmdirSync(group);
  });
  if (top === v1) return () => Number(readFileSync(path.join(group, 'cpuacct.usage'), 'utf8')) / 1e6;
  return () => Number(/usage_usec (\d+)/.exec(readFileSync(path.join(group, 'cpu.stat'), 'utf8'))?.[1]) / 1e3;
}

function median(values: readonly number[] = []): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
