// Searching for secrets: `clew redact --check --all` in MB of transcripts per CPU second, relative to `wc -l` over the same
// bytes, and the Parquet export with redaction relative to the same export without it. CLEW_BENCH_ROOT names another corpus.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { corpusFolder, sizeMb } from './support/corpus.ts';
import { measureAll, printRatios } from './support/measure.ts';

const root =
  process.env.CLEW_BENCH_ROOT ?? corpusFolder('redact', { sessions: 200, linesPerSession: 160, bytesPerLine: 4000 });
const files = readdirSync(path.join(root, 'projects'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => path.join(root, 'projects', name));
const megabytes = sizeMb(files);
const state = mkdtempSync(path.join(tmpdir(), 'clew-bench-redact-'));
Object.assign(process.env, { CLEW_HOME: state, CLEW_ROOTS: root });
const clew = [process.execPath, fileURLToPath(new URL('../../dist/clew.js', import.meta.url))];
// Exit code 1 says that there are secrets.
const mayFind = ['bash', '-c', '"$@" || [ $? = 1 ]', 'bash'];

const checks = measureAll(
  [
    { name: 'wc -l', command: ['wc', '-l', ...files] },
    { name: 'redact --check --all', command: [...mayFind, ...clew, 'redact', '--check', '--all'] },
  ],
  7,
);
printRatios(`Search ${megabytes.toFixed(0)} MB in ${files.length} files for secrets`, checks, 'wc -l');
const check = checks.find(({ name }) => name !== 'wc -l');
console.log(`  ${(megabytes / ((check?.cpuMs ?? Number.NaN) / 1000)).toFixed(0)} MB per CPU second (bar: 80)`);

const tables = path.join(state, 'tables');
const exporting = [...clew, 'export', '--all', '--format', 'parquet', '--output', tables, '--force'];
const exports = measureAll(
  [
    { name: 'parquet --no-redact', command: [...exporting, '--no-redact'] },
    { name: 'parquet', command: exporting },
  ],
  3,
);
printRatios('Parquet with and without redaction (bar: 1.50×)', exports, 'parquet --no-redact');
rmSync(state, { recursive: true });
