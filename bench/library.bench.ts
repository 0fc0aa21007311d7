// The cost of the index: the first `clew usage` compared with ccusage 20 (Rust), which reads everything every time, then
// the same without changes, the status line, memory, and whether both count the same.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { corpusFolder } from './support/corpus.ts';
import { type Contender, measureAll, median, peakMemoryMb, printRatios } from './support/measure.ts';

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const clew = path.join(project, 'dist/clew.js');
const cache = path.join(tmpdir(), 'clew-bench');
const root = corpus();
const state = path.join(cache, 'library-state');
const ccusage = installCcusage('20.0.24');
process.env.CLEW_HOME = state;
process.env.CLEW_ROOTS = root;
process.env.CLAUDE_CONFIG_DIR = root;
// If set, every start of Node reads these certificates: a cost of the machine, for both sides.
delete process.env.NODE_EXTRA_CA_CERTS;

const transcripts = readdirSync(path.join(root, 'projects'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => path.join(root, 'projects', name));
const sizeMb = transcripts.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6;
const usage = [process.execPath, clew, 'usage', '--json'];
const status = path.join(cache, 'status.json');
writeFileSync(status, JSON.stringify({ transcript_path: newestSession() }));

const contenders: readonly Contender[] = [
  { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
  { name: 'ccusage claude daily --offline --json', command: [ccusage, 'claude', 'daily', '--offline', '--json'] },
  {
    name: 'clew usage --json, no index yet',
    command: ['sh', '-c', 'rm -rf "$1"; shift; exec "$@"', 'sh', state, ...usage],
  },
  { name: 'clew usage --json, nothing changed', command: usage },
  { name: 'clew usage (a table), nothing changed', command: [process.execPath, clew, 'usage'] },
  {
    name: 'clew statusline',
    command: ['sh', '-c', 'exec "$1" "$2" statusline < "$3"', 'sh', process.execPath, clew, status],
  },
];
const measured = measureAll(contenders, 5);
printRatios(
  `usage of ${sizeMb.toFixed(0)} MB in ${transcripts.length} transcripts`,
  measured,
  contenders[1]?.name ?? '',
);
const start = measured[0]?.cpuMs ?? 0;
const first = (measured[2]?.cpuMs ?? 0) - start;
console.log(`  rows: ${(sizeMb / (first / 1000)).toFixed(0)} MB/s of CPU beyond the start of Node`);
console.log(`  status line: ${((measured[5]?.cpuMs ?? 0) - start).toFixed(0)} ms CPU beyond the start of Node`);

console.log('\npeak memory, medians of 3');
rmSync(state, { recursive: true, force: true });
const fresh = peakMemoryMb([clew, 'usage', '--json']);
console.log(`  clew usage, no index yet    ${fresh.toFixed(0).padStart(5)} MB`);
console.log(`  clew usage, nothing changed ${repeat(() => peakMemoryMb([clew, 'usage', '--json']))} MB`);
console.log(`  ccusage                     ${repeat(ccusageMemoryMb)} MB`);

console.log('\ntotals');
const ours = totalsOf(usage);
const theirs = totalsOf([ccusage, 'claude', 'daily', '--offline', '--json']);
const written = Number(ours.cacheWrite5mTokens) + Number(ours.cacheWrite1hTokens);
const rows: readonly (readonly [string, number, number])[] = [
  ['input', Number(ours.inputTokens), Number(theirs.inputTokens)],
  ['output', Number(ours.outputTokens), Number(theirs.outputTokens)],
  ['cache read', Number(ours.cacheReadTokens), Number(theirs.cacheReadTokens)],
  ['cache written', written, Number(theirs.cacheCreationTokens)],
  ['micro-dollars', Number(ours.costMicroUsd), Math.round(Number(theirs.totalCost) * 1e6)],
];
for (const [name, own, other] of rows) {
  console.log(
    `  ${name.padEnd(14)} clew ${String(own).padStart(12)}  ccusage ${String(other).padStart(12)}  ${own === other ? 'equal' : `differ by ${own - other}`}`,
  );
}

function corpus(): string {
  const generator = path.resolve(project, '../shared/bench/gen.mjs');
  if (!existsSync(generator))
    return corpusFolder('library', { sessions: 500, linesPerSession: 160, bytesPerLine: 4000 });
  const folder = path.join(cache, 'library-300');
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const making = `${folder}.making`;
  const made = spawnSync(process.execPath, [generator, making], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`the corpus could not be made: ${made.stderr}`);
  renameSync(making, folder);
  return folder;
}

/** Into a separate folder: it is compared with, not a dependency. */
function installCcusage(version: string): string {
  const folder = path.join(cache, `ccusage-${version}`);
  const command = path.join(folder, 'node_modules/.bin/ccusage');
  if (existsSync(command)) return command;
  mkdirSync(folder, { recursive: true });
  const flags = ['--no-audit', '--no-fund', '--loglevel=error'];
  const run = spawnSync('npm', ['install', '--prefix', folder, ...flags, `ccusage@${version}`], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`ccusage could not be installed: ${run.stderr}`);
  return command;
}

function repeat(measure: () => number): string {
  return median([measure(), measure(), measure()]).toFixed(0).padStart(5);
}

/** Of the launcher or of the native program it starts, whichever had more; `NaN` without GNU time. */
function ccusageMemoryMb(): number {
  const argv = [ccusage, 'claude', 'daily', '--offline', '--json'];
  const run = spawnSync('/usr/bin/time', ['-v', ...argv], { encoding: 'utf8', maxBuffer: 1 << 28 });
  return Number(/Maximum resident set size \(kbytes\): (\d+)/.exec(run.stderr ?? '')?.[1]) / 1024;
}

/** A status line is for the current session. */
function newestSession(): string | undefined {
  const args = [clew, 'usage', 'session', '--json'];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  const { rows: sessions } = JSON.parse(stdout) as { rows: readonly { readonly key: string }[] };
  const key = sessions.at(-1)?.key ?? '';
  return transcripts.find((file) => path.basename(file) === `${key}.jsonl`);
}

function totalsOf(command: readonly string[]): Readonly<Record<string, unknown>> {
  const [program = '', ...args] = command;
  const run = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  return (JSON.parse(run.stdout) as { totals: Readonly<Record<string, unknown>> }).totals;
}
