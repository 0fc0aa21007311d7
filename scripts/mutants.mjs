// Changes one thing in the sources at a time (test/mutants/AREA.mjs lists what) and runs the tests that must notice.
// A mutant that no test notices is reported: either a guarantee without a test, or a change without an effect.
//   npm run test:mutants [-- WORD…]   all mutants, or those whose area or id contains one of the words
//   npm run test:mutants -- --sample  the same twelve each time, for CI
//   npm run test:mutants -- --check   only whether the list fits the sources, for `npm run check`
import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { buildDist, compile, listFiles } from './compile.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const args = process.argv.slice(2);
const words = args.filter((argument) => !argument.startsWith('--'));
const timeoutMs = 120_000;

const all = await readMutants();
const named = all.filter(({ id }) => words.length === 0 || words.some((word) => id.includes(word)));
const mutants = args.includes('--sample') ? sampleOf(named, 12) : named;
const broken = mutants.flatMap(checkMutant);
if (broken.length > 0 || mutants.length === 0) {
  for (const line of broken) console.error(line);
  console.error(broken.length > 0 ? 'mutants: correct the list first' : 'mutants: none matches');
  process.exit(1);
}
if (args.includes('--check')) process.exit(0);
compile();
buildDist();

const queue = [...mutants.entries()];
const results = [];
const greenTests = new Map();
await Promise.all(Array.from({ length: availableParallelism() }, (_, number) => work(`build-mutants-${number + 1}`)));
report(results);

/** `{ id, file, find, replace, tests }` of each; `equivalent` says why no test can notice the change. */
async function readMutants() {
  const mutants = [];
  for (const file of listFiles('test/mutants').filter((name) => name.endsWith('.mjs'))) {
    const area = path.basename(file, '.mjs');
    const module = await import(pathToFileURL(path.resolve(file)).href);
    for (const mutant of module.mutants) mutants.push({ ...mutant, area, id: `${area}/${mutant.id}` });
  }
  return mutants;
}

function sampleOf(list, count) {
  return Array.from({ length: Math.min(count, list.length) }, (_, i) => list[Math.floor((i * list.length) / count)]);
}

/** The text to change is in the file exactly once: an outdated list is an error, not a survivor. */
function checkMutant({ id, file, find, replace, tests }) {
  if (!existsSync(file)) return [`${id}: there is no ${file}`];
  const count = readFileSync(file, 'utf8').split(find).length - 1;
  if (count !== 1) return [`${id}: ${JSON.stringify(find)} is in ${file} ${count} times`];
  if (find === replace) return [`${id}: changes nothing`];
  const missing = tests.filter((name) => !listFiles('test').some((each) => each === testSource(name)));
  return missing.map((name) => `${id}: no test file ${testSource(name)}`);
}

function testSource(name) {
  return `test/${name}.test.ts`;
}

/** Works in a copy of build/, so that several can run at once and build/ does not change. */
async function work(folder) {
  rmSync(folder, { recursive: true, force: true });
  cpSync('build', folder, { recursive: true });
  try {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, mutant] = next;
      results.push({ index, ...mutant, ...(await tryMutant(folder, mutant)) });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tryMutant(folder, mutant) {
  for (const name of mutant.tests) {
    if (!greenTests.has(name)) greenTests.set(name, runTest(folder, name));
    if (!(await greenTests.get(name))) return { outcome: 'red before', by: name };
  }
  const compiled = path.join(folder, mutant.file.replace(/\.tsx?$/, '.js'));
  const original = readFileSync(compiled);
  const source = readFileSync(mutant.file, 'utf8').replace(mutant.find, () => mutant.replace);
  writeFileSync(compiled, await compileSource(source, mutant.file));
  try {
    for (const name of mutant.tests) {
      if (!(await runTest(folder, name))) return finished(mutant, { outcome: 'killed', by: name });
    }
    return finished(mutant, { outcome: 'survived' });
  } finally {
    writeFileSync(compiled, original);
  }
}

function finished(mutant, result) {
  console.log(`${result.outcome.padEnd(8)} ${mutant.id}${result.by === undefined ? '' : ` (${result.by})`}`);
  return result;
}

async function compileSource(text, file) {
  const { code } = await transform(text, {
    loader: file.endsWith('x') ? 'tsx' : 'ts',
    jsx: 'automatic',
    format: 'esm',
  });
  return code.replace(/((?:from|import\()\s*["']\.[^"']+)\.tsx?(["'])/g, '$1.js$2');
}

/** Whether the tests of the file are green; a test that hangs is not. */
function runTest(folder, name) {
  const child = spawn(process.execPath, [path.join(folder, `test/${name}.test.js`)], {
    stdio: 'ignore',
    detached: true,
    // The bundle has no mutant: commands that a test runs are those of the folder.
    env: { ...process.env, CLEW_TEST_PROGRAM: path.resolve(folder, 'src/cli/main.js') },
  });
  return new Promise((resolve) => {
    const timer = setTimeout(end, timeoutMs);
    child.on('exit', (code) => {
      clearTimeout(timer);
      end(); // what it started
      resolve(code === 0);
    });
    function end() {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // all have ended
      }
    }
  });
}

function report(done) {
  const areas = [...new Set(done.map(({ area }) => area))].sort();
  console.log('');
  for (const area of areas) {
    const own = done.filter((each) => each.area === area);
    console.log(`${area}: ${own.filter(({ outcome }) => outcome === 'killed').length} of ${own.length} killed`);
  }
  const alive = done.filter(({ outcome }) => outcome !== 'killed').sort((a, b) => a.index - b.index);
  for (const { id, outcome, equivalent, by } of alive) {
    console.log(
      `${outcome}: ${id}${by === undefined ? '' : ` (${by})`}${equivalent === undefined ? '' : `, equivalent: ${equivalent}`}`,
    );
  }
  const killed = done.length - alive.length;
  console.log(`mutants: ${killed} of ${done.length} killed, ${((100 * killed) / done.length).toFixed(1)} %`);
  if (alive.some(({ equivalent, outcome }) => equivalent === undefined || outcome === 'red before')) process.exit(1);
  const late = done.filter(({ equivalent, outcome }) => equivalent !== undefined && outcome === 'killed');
  for (const { id } of late) console.log(`${id} is marked equivalent, but a test notices it: remove the mark`);
}
