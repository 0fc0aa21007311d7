// The cost of checking every session: `clew doctor --all` compared with the first `clew usage`, which only indexes the rows of
// the same sessions. CLEW_BENCH_ROOT sets another library than the generated one.
import { readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { corpusFolder } from './support/corpus.ts';
import { type Contender, measureAll, printRatios } from './support/measure.ts';

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const clew = path.join(project, 'dist/clew.js');
const state = path.join(tmpdir(), 'clew-bench', 'doctor-state');
const root =
  process.env.CLEW_BENCH_ROOT ?? corpusFolder('library', { sessions: 500, linesPerSession: 160, bytesPerLine: 4000 });
process.env.CLEW_HOME = state;
process.env.CLEW_ROOTS = root;

const transcripts = readdirSync(path.join(root, 'projects'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => path.join(root, 'projects', name));
const sizeMb = transcripts.reduce((sum, file) => sum + statSync(file).size, 0) / 1e6;
const examine = ['doctor', '--all', '--json'];
const contenders: readonly Contender[] = [
  {
    name: 'clew usage --json, no index yet',
    command: ['sh', '-c', 'rm -rf "$1"; shift; exec "$@"', 'sh', state, process.execPath, clew, 'usage', '--json'],
  },
  // It exits with 1 if it finds something.
  {
    name: 'clew doctor --all --json',
    command: ['sh', '-c', '"$@" || true', 'sh', process.execPath, clew, ...examine],
  },
];
const measured = measureAll(contenders, 5);
printRatios(
  `all sessions: ${sizeMb.toFixed(0)} MB in ${transcripts.length} transcripts`,
  measured,
  contenders[0]?.name ?? '',
);
