// npm run bench [-- NAME…]: compiles, then runs bench/NAME.ts (all of them without a name).
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const run = (argv) => {
  const { status } = spawnSync(process.execPath, argv, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};
run(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']);
run(['scripts/build.mjs']);
const known = readdirSync('bench')
  .filter((f) => f.endsWith('.bench.ts'))
  .map((f) => f.slice(0, -'.bench.ts'.length));
const wanted = process.argv.slice(2);
for (const name of wanted.length ? wanted : known) {
  if (!known.includes(name)) {
    console.error(`no benchmark "${name}"; there are: ${known.join(', ')}`);
    process.exit(2);
  }
  run([`build/bench/${name}.bench.js`]);
}
