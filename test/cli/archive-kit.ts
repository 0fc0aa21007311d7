import { spawnSync } from 'node:child_process';
import { chmodSync, utimesSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { cleanEnv, type Run, runClew } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { filesBelow, projectRoot } from '../support/paths.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

export const first = '10000000-0000-4000-8000-000000000000';
export const second = '20000000-0000-4000-8000-000000000000';
export const empty = '30000000-0000-4000-8000-000000000000';

export const old = 1_700_000_000;

export type Runner = (...args: string[]) => Run;

export function library(t: TestContext): {
  readonly root: string;
  readonly state: string;
  readonly env: Record<string, string>;
  readonly run: Runner;
  readonly hook: (input: string) => Run;
} {
  const temp = temporaryFolder(t);
  chmodSync(temp, 0o755);
  const [root, state] = [path.join(temp, 'claude'), path.join(temp, 'state')];
  writeTree(path.join(root, 'projects'), {
    [`-home-kim-red/${first}.jsonl`]: sessionText([user('hello'), assistant('hi')], {
      sessionId: first,
      cwd: '/home/kim/red',
    }),
    [`-home-kim-red/${first}/tool-results/a.txt`]: 'out',
    '-home-kim-red/agent-1234567.jsonl': sessionText([user('task')], { sessionId: first, isSidechain: true }),
    [`-home-kim-red/${empty}.jsonl`]: '',
    [`-home-kim-blue/${second}.jsonl`]: sessionText([user('other'), assistant('yes')], {
      sessionId: second,
      cwd: '/home/kim/blue',
    }),
  });
  for (const file of filesBelow(root, '.jsonl')) utimesSync(file, old, old);
  const env = { ...cleanEnv(), CLEW_HOME: state, CLEW_ROOTS: root };
  const run = (...args: string[]): Run => runClew(args, { env });
  const hook = (input: string): Run => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [clew, 'archive', '--auto'], {
      input,
      encoding: 'utf8',
      env,
      cwd: projectRoot,
    });
    return { status, stdout, stderr };
  };
  return { root, state, env, run, hook };
}
