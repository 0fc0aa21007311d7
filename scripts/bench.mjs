// npm run bench [-- NAME…]: compiles, then runs bench/NAME.ts (all of them without a name).
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildDist, compile, runNode } from './compile.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
compile();
buildDist();
const known = readdirSync('bench')
  .filter((f) => f.endsWith('.bench.ts'))
  .map((f) => f.slice(0, -'.bench.ts'.length));
const wanted = process.argv.slice(2);
for (const name of wanted.length ? wanted : known) {
  if (!known.includes(name)) {
    console.error(`no benchmark "${name}"; there are: ${known.join(', ')}`);
    process.exit(2);
  }
  runNode([`build/bench/${name}.bench.js`]);
}
