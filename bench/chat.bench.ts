// The start-up time of `clew chat`: the CPU time until its prompt is on the screen, minus that of `node -e 0`.
// The program runs in a terminal emulated by `script`; a preloaded module ends it at the first frame of the prompt.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { measureAll, printRatios } from './support/measure.ts';

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = path.join(tmpdir(), 'clew-bench', 'chat');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const watcher = path.join(folder, 'first-frame.mjs');
writeFileSync(
  watcher,
  `const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, ...rest) => {
  const result = write(text, ...rest);
  if (String(text).includes('ask for something')) process.exit(0);
  return result;
};`,
);
process.env.CLEW_HOME = path.join(folder, 'state');
process.env.CLEW_ROOTS = path.join(folder, 'claude');
process.env.TERM = 'xterm-256color';
// Node reads certificates at every start, in both commands.
delete process.env.NODE_EXTRA_CA_CERTS;

const rounds = 15;
// A terminal of a known size; `script` alone creates one without a size. The timeout is for a prompt that never appears.
const inTerminal = (command: string): readonly string[] => [
  'timeout',
  '20',
  'script',
  '-qec',
  `stty cols 80 rows 24; exec ${command}`,
  '/dev/null',
];
const node = `'${process.execPath}'`;
const measured = measureAll(
  [
    // With the same module, because it belongs to the benchmark, not to the program.
    { name: 'node -e 0', command: inTerminal(`${node} --import '${pathToFileURL(watcher)}' -e 0`) },
    {
      name: 'clew chat, prompt on the screen',
      command: inTerminal(`${node} --import '${pathToFileURL(watcher)}' '${path.join(project, 'dist/clew.js')}' chat`),
    },
  ],
  rounds,
);
printRatios('the start of a chat', measured, 'node -e 0');
const [base, chat] = measured;
if (base !== undefined && chat !== undefined) {
  console.log(
    `  ${(chat.cpuMs - base.cpuMs).toFixed(0)} ms CPU above node -e 0 until one can type (at most 300 are allowed)`,
  );
}
