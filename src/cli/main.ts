#!/usr/bin/env node
// The command's first file. It answers `--version` by itself, so that asking costs no more than starting Node, and goes
// straight to the status line, which runs all the time; everything else is loaded when it is needed.
import { version } from '../base/version.ts';

const [first, ...rest] = process.argv.slice(2);
if (first === '--version' || first === '-V') {
  // Who asked may be gone already.
  process.stdout.on('error', () => {}).write(`${version}\n`);
} else if (first === 'statusline' && rest.length === 0) {
  const { runBare } = await import('./statusline.ts');
  await runBare();
} else {
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv.slice(2));
}
