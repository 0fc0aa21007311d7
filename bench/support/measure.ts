// Runs commands one after the other, several rounds of all of them, and compares their CPU time: on a shared machine
// wall times are unreliable and adjacent runs drift together, so compare ratios of medians over interleaved rounds.
import { spawnSync } from 'node:child_process';

export interface Contender {
  readonly name: string;
  readonly command: readonly string[];
  /** The file for its stdin. */
  readonly input?: string;
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Measured {
  readonly name: string;
  readonly cpuMs: number;
  readonly wallMs: number;
}

export function measureAll(contenders: readonly Contender[], rounds: number): readonly Measured[] {
  const runs = new Map<string, Measured[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) runs.get(contender.name)?.push(measure(contender));
  }
  return contenders.map(({ name }) => {
    const all = runs.get(name) ?? [];
    return { name, cpuMs: median(all.map((run) => run.cpuMs)), wallMs: median(all.map((run) => run.wallMs)) };
  });
}

/** Through bash, whose `time` reports a child's CPU time on every machine. */
function measure({ name, command, input = '/dev/null', env = {} }: Contender): Measured {
  const script = 'TIMEFORMAT="clew-time %R %U %S"; input=$1; shift; time "$@" <"$input" >/dev/null';
  const run = spawnSync('bash', ['-c', script, 'bash', input, ...command], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, ...env },
  });
  const [wall, user, system] = /clew-time (\S+) (\S+) (\S+)/.exec(run.stderr)?.slice(1).map(Number) ?? [];
  if (run.status !== 0 || wall === undefined || user === undefined || system === undefined) {
    throw new Error(`${name} failed: ${run.error?.message ?? run.stderr}`);
  }
  return { name, cpuMs: (user + system) * 1000, wallMs: wall * 1000 };
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** The peak memory of a Node command in megabytes, as it reports at its end. */
export function peakMemoryMb(argv: readonly string[]): number {
  const report = 'process.on("exit",()=>process.stderr.write("clew-rss "+process.resourceUsage().maxRSS+"\\n"))';
  const hook = `data:text/javascript,${encodeURIComponent(report)}`;
  const run = spawnSync(process.execPath, ['--import', hook, ...argv], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const kilobytes = Number(/clew-rss (\d+)/.exec(run.stderr)?.[1]);
  if (run.status !== 0 || Number.isNaN(kilobytes)) throw new Error(`${argv.join(' ')} failed: ${run.stderr}`);
  return kilobytes / 1024;
}

/** A table of all rows with their ratio to one of them. */
export function printRatios(title: string, measured: readonly Measured[], baseline: string): void {
  const base = measured.find((row) => row.name === baseline)?.cpuMs ?? Number.NaN;
  console.log(`\n${title}\n  CPU, medians of interleaved rounds; the last column is the ratio to "${baseline}"`);
  for (const { name, cpuMs, wallMs } of measured) {
    const cpu = `${cpuMs.toFixed(0)} ms cpu`.padStart(12);
    const wall = `${wallMs.toFixed(0)} ms wall`.padStart(13);
    console.log(`  ${name.padEnd(44)}${cpu}${wall}${(cpuMs / base).toFixed(2).padStart(8)}×`);
  }
}
