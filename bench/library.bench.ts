// The library beside ccusage, the fastest counter there is: a first report on an empty index, and one when nothing has
// changed, on 300 MB of transcripts; and how fast rows are read.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { corpusFiles, corpusFolder, sizeMb } from './support/corpus.ts';
import { measureAll, peakMemoryMb, printRatios } from './support/measure.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const clew = path.resolve(here, '../../dist/clew.js');
const work = path.join(tmpdir(), 'clew-bench');
const ccusageVersion = '20.0.24';

const { root, megabytes } = library();
const ccusage = installCcusage();
const warm = path.join(work, 'state-warm');
const cold = path.join(work, 'state-cold');
for (const folder of [warm, cold]) rmSync(folder, { recursive: true, force: true });
const usage = (state: string): readonly string[] => [
  'env',
  `CLEW_HOME=${state}`,
  process.execPath,
  clew,
  'usage',
  '--json',
  '--root',
  root,
];
spawnSync('bash', ['-c', '"$@" >/dev/null', 'bash', ...usage(warm)]);
const measured = measureAll(
  [
    { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
    {
      name: `ccusage ${ccusageVersion} daily --offline`,
      command: ['env', `CLAUDE_CONFIG_DIR=${root}`, ccusage, 'claude', 'daily', '--offline', '--json'],
    },
    { name: 'clew usage, empty index', command: ['bash', '-c', `rm -rf ${cold}; "$@"`, 'bash', ...usage(cold)] },
    { name: 'clew usage, nothing changed', command: usage(warm) },
  ],
  5,
);
printRatios(`counting ${megabytes.toFixed(0)} MB`, measured, `ccusage ${ccusageVersion} daily --offline`);
const first = measured.find((row) => row.name === 'clew usage, empty index');
const start = measured.find((row) => row.name === 'node -e 0');
const rowsMs = (first?.cpuMs ?? 0) - (start?.cpuMs ?? 0);
console.log(`  rows at ${((megabytes / rowsMs) * 1000).toFixed(0)} MB of transcripts per second of CPU`);

process.env.CLEW_HOME = path.join(work, 'state-memory');
rmSync(process.env.CLEW_HOME, { recursive: true, force: true });
const peak = peakMemoryMb([clew, 'usage', '--json', '--root', root]);
console.log(`  peak memory of the first report: ${peak.toFixed(0)} MB`);
console.log(`  output tokens: clew ${tokens(usage(warm))}, ccusage ${ccusageTokens()}`);

/** The generator of the corpora where it is at hand, which mixes all kinds of lines; else our own. */
function library(): { root: string; megabytes: number } {
  const generator = path.resolve(here, '../../../shared/bench/gen.mjs');
  if (!existsSync(generator)) {
    const plan = { sessions: 300, linesPerSession: 160, bytesPerLine: 4000 };
    const folder = corpusFolder('read', plan);
    return { root: folder, megabytes: sizeMb(corpusFiles(folder, plan)) };
  }
  const folder = path.join(work, 'generated-300');
  if (!existsSync(folder)) execFileSync(process.execPath, [generator, folder, '300', '600', '42'], { stdio: 'ignore' });
  const bytes = Number(execFileSync('du', ['-sb', folder], { encoding: 'utf8' }).split('\t')[0]);
  return { root: folder, megabytes: bytes / 1e6 };
}

/** From npm, for this run only: it is measured, not used. */
function installCcusage(): string {
  const folder = path.join(work, `ccusage-${ccusageVersion}`);
  const command = path.join(folder, 'node_modules/.bin/ccusage');
  if (existsSync(command)) return command;
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', [
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    '--silent',
    `ccusage@${ccusageVersion}`,
  ]);
  return command;
}

function tokens([command = '', ...args]: readonly string[]): number {
  return JSON.parse(execFileSync(command, args, { encoding: 'utf8' })).totals.outputTokens;
}

function ccusageTokens(): number {
  const env = { ...process.env, CLAUDE_CONFIG_DIR: root };
  const text = execFileSync(ccusage, ['claude', 'daily', '--offline', '--json'], {
    encoding: 'utf8',
    env,
    maxBuffer: 1 << 28,
  });
  return JSON.parse(text).totals.outputTokens;
}
