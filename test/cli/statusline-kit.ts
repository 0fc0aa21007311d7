// Runs of clew statusline.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { cleanEnv, type Run } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { answerLine, session1, session2 } from '../support/usage-library.ts';

export interface Place {
  readonly file: string;
  readonly other: string;
  readonly env: Readonly<Record<string, string>>;
  line(input: string, ...args: readonly string[]): Run;
}

/** Two sessions of today, one of which is the current one. */
export function place(context: TestContext): Place {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'root');
  const time = new Date().toISOString();
  writeTree(root, {
    [`projects/-w-p/${session1}.jsonl`]: `${answerLine({
      id: 'a',
      output: 1000,
      time,
      usage: { cache_read_input_tokens: 19_990 },
    })}\n`,
    [`projects/-w-p/${session2}.jsonl`]: `${answerLine({ id: 'b', output: 2000, time })}\n`,
  });
  const env = { CLEW_HOME: path.join(folder, 'state'), CLEW_ROOTS: root };
  return {
    file: path.join(root, `projects/-w-p/${session1}.jsonl`),
    other: path.join(root, `projects/-w-p/${session2}.jsonl`),
    env,
    line: (input, ...args) => statusline(input, env, args),
  };
}

export function statusline(input: string, env: Readonly<Record<string, string>>, args: readonly string[] = []): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [clew, 'statusline', ...args], {
    encoding: 'utf8',
    input,
    env: { ...cleanEnv(), ...env },
  });
  return { status, stdout, stderr };
}
