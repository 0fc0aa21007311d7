#!/usr/bin/env node
// The entry point: answers `--version`, runs lean commands, and gives everything else to program.ts. It is built as CommonJS,
// and so are the lean commands: the first two never start Node's loader for ES modules (scripts/build-lean.mjs).
import { writeSync } from 'node:fs';
import { exitCodes, systemErrorCode } from '../base/errors/index.ts';
import { version } from '../base/version/index.ts';
import { mayHaveUnfinished } from '../surgery/journal/index.ts';
import type { LeanCommand } from './command/index.ts';

/**
 * Commands that run so often, or take so little time, that starting the program would be most of their cost. To add one:
 * write `src/cli/NAME/lean.ts` with `runLean`, add a row here and an entry point in scripts/build-lean.mjs, and list what it
 * loads in test/cli/start.test.ts. A millisecond of CPU is about 25 KB of code, loaded whether it runs or not.
 */
const leanCommands: ReadonlyMap<string, LeanPart> = new Map<string, LeanPart>([
  ['find', () => import('./find/lean.ts')],
  ['mcp', () => import('./mcp/lean.ts')],
  ['guard', () => import('./guard/lean.ts')],
  ['statusline', () => import('./statusline/lean.ts')],
  ['usage', () => import('./usage/lean.ts')],
]);

type LeanPart = () => Promise<{ readonly runLean: LeanCommand }>;

/** These read no sessions, run at every step of Claude Code, or report themselves what became of a killed operation. */
const withoutRecovery: ReadonlySet<string> = new Set([
  '--version',
  '-V',
  'completion',
  'fsck',
  'guard',
  'statusline',
  'undo',
]);

/** For tests that run the command in a thread. */
export const ended: Promise<void> = start(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});

async function start(argv: readonly string[]): Promise<number> {
  try {
    if (!withoutRecovery.has(argv[0] ?? '') && mayHaveUnfinished()) {
      const { recoverFirst } = await import('./program.ts');
      await recoverFirst();
    }
    const text = await leanText(argv);
    if (text !== undefined) return await writeText(text);
  } catch (error) {
    return report(error);
  }
  try {
    const { runProgram } = await import('./program.ts');
    return await runProgram(argv);
  } catch (error) {
    return report(error);
  }
}

async function report(error: unknown): Promise<number> {
  try {
    const { reportError } = await import('./program.ts');
    return await reportError(error, false);
  } catch (fault) {
    // The full program explains errors; what is left here is that its files cannot be read.
    const reason = String(fault).replace(/\s*\n\s*/g, ' ');
    try {
      writeSync(2, `clew: cannot read the files of Clew (${reason}); check the disk, or install Clew again\n`);
    } catch {
      // Nothing can be written; the exit code remains.
    }
    return exitCodes.usage;
  }
}

/** `undefined` if the call is for the full program. */
async function leanText([first = '', ...rest]: readonly string[]): Promise<string | undefined> {
  if (first === '--version' || first === '-V') return `${version}\n`;
  const lean = await leanCommands.get(first)?.();
  try {
    return await lean?.runLean(rest);
  } catch (error) {
    // Each file has its own class of errors for the user: the full program meets the same one, and reports it.
    if (error instanceof Error && 'exitCode' in error) return undefined;
    throw error;
  }
}

/** Without `process.stdout`, which loads Node's streams and sockets. */
async function writeText(text: string): Promise<number> {
  let bytes = Buffer.from(text);
  try {
    // The console of Windows takes bytes for its own code page.
    const isForStream = process.platform === 'win32' && bytes.length > text.length;
    if (!isForStream) bytes = bytes.subarray(writeSync(1, bytes));
  } catch (error) {
    if (systemErrorCode(error) === 'EPIPE') return exitCodes.ok; // the reader has left
  }
  if (bytes.length === 0) return exitCodes.ok;
  // The reader is slower than this process, or the disk is full.
  const { writeBytes } = await import('./program.ts');
  await writeBytes(bytes);
  return exitCodes.ok;
}
