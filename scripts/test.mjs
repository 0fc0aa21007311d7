// Compiles what changed and runs test files with node:test.
//   npm test [-- WORD…]          the fast tests: no browser, no kill loops, no long fuzz, no real client
//   npm run test:all [-- WORD…]  these and the slow ones, *.slow.test.ts
//   npm run test:slow [-- WORD…] only the slow ones
//   npm run test:interop         the tests that run the real client, test/interop
// With words, only files whose path contains one of them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDist, compile, listFiles } from './compile.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const args = process.argv.slice(2);
const words = args.filter((argument) => !argument.startsWith('--'));
const isSlow = (file) => file.endsWith('.slow.test.js');
const isInterop = (file) => file.startsWith('build/test/interop/');
const tierName = ['--all', '--slow', '--interop'].find((name) => args.includes(name)) ?? '--fast';
const isFast = tierName === '--fast';
const tiers = {
  '--fast': (file) => !isInterop(file) && !isSlow(file),
  '--slow': (file) => !isInterop(file) && isSlow(file),
  '--all': (file) => !isInterop(file),
  '--interop': isInterop,
};
const tier = tiers[tierName];

compile();
const all = listFiles('build/test').filter((file) => file.endsWith('.test.js'));
const named = all.filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
const files = named.filter(tier);
if (files.length === 0) {
  const elsewhere = named.some(isInterop) ? 'npm run test:interop' : 'npm run test:all';
  console.error(
    named.length === 0
      ? `no test file has ${words.map((word) => `"${word}"`).join(' or ')} in its path`
      : `the tests of ${named.length === 1 ? named[0] : `${named.length} matching files`} run with \`${elsewhere} -- ${words.join(' ')}\``,
  );
  process.exit(1);
}
if (needsDist(files)) buildDist();

/** Fast files of one top folder that run in one process. */
const filesPerProcess = 16;
const summary = 'build/test-summary.tap';
const reporters = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
const kept = ['--test-reporter=tap', `--test-reporter-destination=${summary}`];
// One more than there are cores: some tests wait for other processes.
let status = run(joinFiles(files), availableParallelism() + 1);
const skipped = skippedTests(readFileSync(summary, 'utf8'));
for (const [reason, count] of skipped) console.log(`skipped: ${count} ${count === 1 ? 'test' : 'tests'}, ${reason}`);
if (status !== 0 && process.env.CI === 'true') status = runAgain(failedFiles());
if (status !== 0) process.exit(status ?? 1);
if (process.env.CI === 'true' && skipped.size > 0) {
  console.error('with CI=true no test may be skipped: .ci/run installs every program the tests need');
  process.exit(1);
}

function run(entries, atOnce) {
  const { status: code } = spawnSync(
    process.execPath,
    ['--enable-source-maps', '--test', `--test-concurrency=${atOnce}`, ...reporters, ...kept, ...entries],
    // The fast tests run the command in a thread, the others in processes (test/support/clew.ts).
    { stdio: 'inherit', env: { ...process.env, ...(isFast ? { CLEW_FAST_TESTS: '1' } : {}) } },
  );
  return code;
}

/** Where the tests that failed are. The summary may name the sources of what ran. */
function failedFiles() {
  const places = readFileSync(summary, 'utf8').matchAll(/^ *location: '(.+):\d+:\d+'$/gm);
  const inBuild = (file) => path.relative(process.cwd(), file).replace(/^test\/(.*)\.ts$/, 'build/test/$1.js');
  return [...new Set([...places].map(([, file]) => inBuild(file)))];
}

/**
 * A shared machine sometimes stops for longer than a test waits. A few files that failed run once more, alone, and their names
 * are printed last: a test that passes only then needs a repair. Many failures have another cause.
 */
function runAgain(failed) {
  if (failed.length > 3 || !failed.every((file) => files.includes(file))) return 1;
  console.log(`\nonce more, alone: ${failed.join(' ')}`);
  const code = run(failed, 1);
  if (code === 0) console.log(`failed at first and passed alone; repair them: ${failed.join(' ')}`);
  return code;
}

/** Files that run for a minute or more. They start first, so that at the end no core waits for one of them. */
function isLong(file) {
  return [
    'interop/resume',
    'interop/agent-thinking',
    'interop/old-client',
    'interop/surgery',
    'interop/agent',
    'interop/trace',
    'interop/poisoned',
    'interop/bound-operations',
    'safety/watch.slow',
    'safety/explorer.slow',
    'web/hostile-pages.slow',
    'web/hits.slow',
    'trace/library.slow',
    'safety/fuzz.slow',
    'web/accessible.slow',
    'agent/agent-attacks.slow',
    'surgery/together.slow',
  ].some((name) => file === `build/test/${name}.test.js`);
}

/**
 * Fast files of the same top folder share processes: starting Node and loading the sources takes longer than most of these
 * tests. Slow files, and files of the real client, have a process each.
 */
function joinFiles(entries) {
  const folder = 'build/test-groups';
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const isAlone = (file) => isSlow(file) || isInterop(file);
  const groups = new Map();
  for (const file of entries.filter((each) => !isAlone(each))) {
    const [top] = path.posix.relative('build/test', file).split('/');
    let number = 1;
    while ((groups.get(`${top}-${number}`)?.length ?? 0) >= filesPerProcess) number++;
    groups.set(`${top}-${number}`, [...(groups.get(`${top}-${number}`) ?? []), file]);
  }
  const join = (name, files) => {
    const file = `${folder}/${name}.js`;
    writeFileSync(file, files.map((each) => `import '${path.posix.relative(folder, each)}';\n`).join(''));
    return file;
  };
  const joined = [...groups].map(([name, files]) => (files.length === 1 ? files[0] : join(name, files)));
  // Node runs files in the order of their paths, and those in `folder` are before the others.
  const alone = entries.filter(isAlone).map((file) => (isLong(file) ? join(file.replaceAll('/', '-'), [file]) : file));
  return [...joined, ...alone];
}

/** dist/ is built only for tests that run it: they import test/support/dist.ts, directly or not. */
function needsDist(entries) {
  const seen = new Set(entries);
  for (const file of seen) {
    if (file === 'build/test/support/dist.js') return true;
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const target = path.posix.join(path.posix.dirname(file), specifier);
      if (target.startsWith('build/test/') && existsSync(target)) seen.add(target);
    }
  }
  return false;
}

/** How many tests each reason skipped: a missing program is named once. */
function skippedTests(tap) {
  const reasons = new Map();
  for (const [, reason] of tap.matchAll(/^\s*ok .* # SKIP ?(.*)$/gm)) {
    reasons.set(reason || 'no reason given', (reasons.get(reason || 'no reason given') ?? 0) + 1);
  }
  return reasons;
}
