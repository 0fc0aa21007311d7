// npm run fuzz:resume [-- --seed N --count N --hostile …]: compiles, then lets the real client resume random sessions
// and compares its requests with our predictions (test/interop/fuzz/fuzz-resume.ts).
import { fileURLToPath } from 'node:url';
import { compile, runNode } from './compile.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
compile();
runNode(['build/test/interop/fuzz/fuzz-resume.js', ...process.argv.slice(2)]);
