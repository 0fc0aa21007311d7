#!/usr/bin/env node
// The command's first file. It answers `--version` by itself, so that asking costs no more than starting Node;
// everything else is loaded when it is needed.
import { version } from '../base/version.ts';

const [first] = process.argv.slice(2);
if (first === '--version' || first === '-V') {
  // Who asked may be gone already.
  process.stdout.on('error', () => {}).write(`${version}\n`);
} else {
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv.slice(2));
}
