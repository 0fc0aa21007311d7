// clew usage blocks --live on a real terminal: it follows the transcripts, and gives the terminal back.
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { command, openTerminal, skipWithout } from '../../support/terminal.ts';
import { answerLine, session1 } from '../../support/usage-library.ts';

test(
  'the active block is drawn again when a transcript grows, until q',
  { skip: skipWithout('tmux') },
  async (context) => {
    const folder = temporaryFolder(context);
    const root = path.join(folder, 'root');
    const line = (id: string, output: number): string => answerLine({ id, output, time: new Date().toISOString() });
    writeTree(root, { [`projects/-w-p/${session1}.jsonl`]: `${line('a', 1000)}\n` });
    const env = { CLEW_HOME: path.join(folder, 'state'), CLEW_ROOTS: root };
    const terminal = openTerminal(context, 80, 24, env);
    terminal.type(command('usage blocks --live'), 'Enter');
    await terminal.screen(/spent {6}\$0\.02, 1\.0k tokens[\s\S]*q or Ctrl-C quits/);
    appendFileSync(path.join(root, `projects/-w-p/${session1}.jsonl`), `${line('b', 100_000)}\n`);
    await terminal.screen(/spent {6}\$1\.52, 101k tokens/);
    // Typed together, as over a slow connection.
    terminal.type('xq');
    await terminal.screen(/^[$#]\s*$/m);
    terminal.type('echo still $((40 + 2))', 'Enter');
    await terminal.screen(/still 42/);
  },
);
