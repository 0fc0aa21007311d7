// The console with the fake agent, in a real terminal.
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { openTerminal, type Terminal } from '../../support/terminal.ts';

const program = path.join(path.dirname(fileURLToPath(import.meta.url)), 'fake-chat.js');

export interface FakeChat extends Terminal {
  readonly folder: string;
  /** Sends a prompt and waits for the screen. */
  say(prompt: string, wanted: RegExp): Promise<string>;
}

export interface FakeChatOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** A shell command before the program. */
  readonly before?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the folder before the program starts. */
  readonly prepare?: (folder: string) => void;
}

export async function startFakeChat(context: TestContext, options: FakeChatOptions = {}): Promise<FakeChat> {
  const { columns = 80, rows = 24, before = 'clear', env = {}, prepare } = options;
  const folder = temporaryFolder(context);
  writeTree(folder, { 'src/lamp.ts': 'x', 'src/日本.ts': 'y', 'README.md': 'z' });
  prepare?.(folder);
  const terminal = openTerminal(context, columns, rows, { CLEW_HOME: path.join(folder, 'state'), ...env });
  const run = `sh -c 'echo $$ > pid; exec "${process.execPath}" "${program}" 2>err'`;
  terminal.type(`cd '${folder}'; ${before}; ${run}; echo "exit $?"`, 'Enter');
  await terminal.screen(/asks first/);
  const say = (prompt: string, wanted: RegExp): Promise<string> => {
    terminal.type('-l', prompt);
    terminal.type('Enter');
    return terminal.screen(wanted);
  };
  return { ...terminal, folder, say };
}
