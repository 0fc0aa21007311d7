// Types, lint and format, hashes of the WebAssembly modules, table of models, API reference, list of mutants, banned
// phrases, architecture: everything that can be checked without running the program.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
compile();
const steps = [
  ['types of the page', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.app.json']],
  ['lint and format', ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '--colors=off', '.']],
  ['WebAssembly modules', ['scripts/wasm.mjs', '--hashes']],
  ['table of models', ['scripts/models.mjs', '--check']],
  ['API reference', ['scripts/api-docs.mjs', '--check']],
  ['list of mutants', ['scripts/mutants.mjs', '--check']],
  ['banned phrases', ['scripts/phrases.mjs']],
  ['architecture', ['--test', '--test-reporter=spec', 'build/test/architecture.test.js']],
];
for (const [name, argv] of steps) {
  const { status } = spawnSync(process.execPath, argv, { stdio: 'inherit' });
  if (status !== 0) {
    console.error(`check: ${name} failed`);
    process.exit(1);
  }
  console.log(`check: ${name} ok`);
}
