// The cost of counting: `clew usage` compared with ccusage 20 (Rust), which reads everything every time, on three libraries: the
// first time, with nothing changed, after one new line; then `clew ls`, and whether both count the same.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CorpusPlan, corpusFolder } from './support/corpus.ts';
import { type Contender, measureAll, printRatios } from './support/measure.ts';

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const clew = path.join(project, 'dist/clew.js');
const cache = path.join(tmpdir(), 'clew-bench');
const ccusage = installCcusage('20.0.24');
// If set, every start of Node reads these certificates: a cost of the machine, for both sides.
delete process.env.NODE_EXTRA_CA_CERTS;

interface Library {
  readonly name: string;
  /** For the generator of ../shared, if it is there: megabytes and sessions. */
  readonly generated: readonly [number, number];
  /** Without it. */
  readonly plan: CorpusPlan;
}

const libraries: readonly Library[] = [
  { name: 'library-300', generated: [300, 600], plan: { sessions: 500, linesPerSession: 160, bytesPerLine: 4000 } },
  { name: 'library-1000', generated: [1000, 2000], plan: { sessions: 1700, linesPerSession: 160, bytesPerLine: 4000 } },
  {
    name: 'library-small',
    generated: [550, 10_000],
    plan: { sessions: 11_250, linesPerSession: 40, bytesPerLine: 1300 },
  },
];

const rounds = 7;
for (const library of libraries) measureLibrary(library);

function measureLibrary(library: Library): void {
  const root = folderOf(library);
  const files = transcriptsBelow(root);
  const sizeMb = files.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6;
  const state = path.join(cache, `${library.name}-state`);
  Object.assign(process.env, { CLEW_HOME: state, CLEW_ROOTS: root, CLAUDE_CONFIG_DIR: root });
  const grown = files[Math.floor(files.length / 2)] as string; // there are hundreds
  const size = statSync(grown).size;
  const usage = [process.execPath, clew, 'usage', '--json'];
  const list = [process.execPath, clew, 'ls', '--json'];
  const line = `{"type":"user","message":{"role":"user","content":"one more"},"timestamp":"2026-03-01T00:00:00.000Z"}`;
  const appending = ['sh', '-c', `printf '%s\\n' "$1" >> "$2"; shift 2; exec "$@"`, 'sh', line, grown];
  const contenders: readonly Contender[] = [
    { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
    { name: 'wc -l', command: ['sh', '-c', 'find "$1" -name "*.jsonl" -print0 | xargs -0 cat | wc -l', 'sh', root] },
    { name: 'ccusage claude daily --offline --json', command: [ccusage, 'claude', 'daily', '--offline', '--json'] },
    { name: 'clew usage, first', command: ['sh', '-c', 'rm -rf "$1"; shift; exec "$@"', 'sh', state, ...usage] },
    { name: 'clew usage, nothing changed', command: usage },
    { name: 'clew usage, one new line', command: [...appending, ...usage] },
  ];
  const measured = measureAll(contenders, rounds);
  printRatios(`usage of ${sizeMb.toFixed(0)} MB in ${files.length} transcripts`, measured, contenders[2]?.name ?? '');
  truncateSync(grown, size);
  compareTotals(usage);
  spawnSync(list[0] as string, list.slice(1), { maxBuffer: 1 << 28 });
  const lists = measureAll(
    [
      { name: 'clew ls, nothing changed', command: list },
      { name: 'clew ls, one new line', command: [...appending, ...list] },
    ],
    rounds,
  );
  printRatios(`ls of ${files.length} transcripts`, lists, 'clew ls, nothing changed');
  truncateSync(grown, size);
}

function compareTotals(usage: readonly string[]): void {
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
    const result = own === other ? 'equal' : `differ by ${own - other}`;
    console.log(
      `  ${name.padEnd(14)} clew ${String(own).padStart(12)}  ccusage ${String(other).padStart(12)}  ${result}`,
    );
  }
}

function folderOf({ name, generated, plan }: Library): string {
  const generator = path.resolve(project, '../shared/bench/gen.mjs');
  if (!existsSync(generator)) return corpusFolder(name, plan);
  const folder = path.join(cache, name);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const making = `${folder}.making`;
  const made = spawnSync(process.execPath, [generator, making, ...generated.map(String)], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`the corpus could not be made: ${made.stderr}`);
  renameSync(making, folder);
  return folder;
}

function transcriptsBelow(root: string): readonly string[] {
  return readdirSync(path.join(root, 'projects'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => path.join(root, 'projects', name));
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

function totalsOf(command: readonly string[]): Readonly<Record<string, unknown>> {
  const [program = '', ...args] = command;
  const run = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  return (JSON.parse(run.stdout) as { totals: Readonly<Record<string, unknown>> }).totals;
}
