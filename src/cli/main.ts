#!/usr/bin/env node
// The entry point. `--version` and the status line, which runs all the time, do not load the command-line parser.
import { version } from '../base/version/index.ts';

const [first, ...rest] = process.argv.slice(2);
if (first === '--version' || first === '-V') {
  // The reader may have closed the pipe.
  process.stdout.on('error', () => {}).write(`${version}\n`);
} else if (first === 'statusline' && rest.length === 0) {
  const { runBare } = await import('./statusline/command.ts');
  await runBare();
} else {
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv.slice(2));
}
