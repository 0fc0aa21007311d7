// Compiles sources and tests into build/ and runs the test files with node:test.
//   npm test [-- WORD…]      only files whose path contains one of the words
//   npm run test:interop     the tests that run the real client (test/interop)
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const args = process.argv.slice(2);
const interop = args.includes('--interop');
const words = args.filter((a) => !a.startsWith('--'));

rmSync('build', { recursive: true, force: true });
run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']);
run(process.execPath, ['scripts/build.mjs']);

const isInterop = (file) => file.startsWith(path.join('build', 'test', 'interop'));
const files = readdirSync('build/test', { recursive: true })
  .map((file) => path.join('build', 'test', file))
  .filter((file) => file.endsWith('.test.js') && isInterop(file) === interop)
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${words.join(' ') || 'the request'}`);
  process.exit(1);
}
const summary = path.join('build', 'test-summary.tap');
const reporters = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
const kept = ['--test-reporter=tap', `--test-reporter-destination=${summary}`];
// By default one core is left idle.
const concurrency = [`--test-concurrency=${availableParallelism()}`];
run(process.execPath, ['--enable-source-maps', '--test', ...concurrency, ...reporters, ...kept, ...files]);
if (process.env.CI === 'true') refuseSkipped(readFileSync(summary, 'utf8'));

/** Elsewhere a missing package skips its tests; on CI everything is installed, so a skipped test is a mistake. */
function refuseSkipped(tap) {
  const skipped = tap.split('\n').filter((line) => / # SKIP/.test(line));
  if (skipped.length === 0) return;
  console.error(`under CI nothing may be skipped:\n${skipped.join('\n')}`);
  process.exit(1);
}

function run(command, argv) {
  const { status } = spawnSync(command, argv, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
