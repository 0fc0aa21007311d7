// The start-up time of `clew -p`: the CPU time until the first byte of its stream, minus that of `node -e 0`. A
// preloaded module ends it there, before any request to the model.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { measureAll, printRatios } from './support/measure.ts';

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = path.join(tmpdir(), 'clew-bench', 'headless');
rmSync(folder, { recursive: true, force: true });
mkdirSync(path.join(folder, 'claude'), { recursive: true });
const watcher = path.join(folder, 'first-byte.mjs');
writeFileSync(
  watcher,
  `const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, ...rest) => {
  const result = write(text, ...rest);
  if (String(text).includes('"init"')) process.exit(0);
  return result;
};`,
);
process.env.CLEW_HOME = path.join(folder, 'state');
process.env.CLEW_ROOTS = path.join(folder, 'claude');
// Node reads certificates at every start, in both commands.
delete process.env.NODE_EXTRA_CA_CERTS;

const rounds = 15;
const node = [process.execPath, '--import', String(pathToFileURL(watcher))] as const;
const asked = ['-p', 'hello', '--output-format', 'stream-json'] as const;
const measured = measureAll(
  [
    // With the same module, because it belongs to the benchmark, not to the program.
    { name: 'node -e 0', command: [...node, '-e', '0'] },
    { name: 'clew -p, first byte', command: [...node, path.join(project, 'dist/clew.js'), ...asked] },
  ],
  rounds,
);
printRatios('the start of a headless run', measured, 'node -e 0');
const [base, first] = measured;
if (base !== undefined && first !== undefined) {
  const above = first.cpuMs - base.cpuMs;
  console.log(`  ${above.toFixed(0)} ms CPU above node -e 0 until the first byte (at most 300 are allowed)`);
}
