// A project with secrets next to a folder with canaries, and the sandbox of this machine around it. Without bubblewrap
// there is nothing to test; on the CI machine it must be there.

import assert from 'node:assert/strict';
import { mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Confinement, Sandbox } from '../../../src/agent/contract/confinement.ts';
import type { RuleText } from '../../../src/agent/contract/permission.ts';
import { type Judge, makeJudge } from '../../../src/agent/permission/judge.ts';
import type { Domains } from '../../../src/agent/sandbox/network.ts';
import { findMechanism, type Mechanism, makeSandbox } from '../../../src/agent/sandbox/sandbox.ts';
import { startShell } from '../../../src/agent/tools/shell/shell.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

export const mechanism: Mechanism = findMechanism();
export const skip: string | false =
  mechanism.kind === 'bubblewrap' || process.env.CI === 'true' ? false : 'bubblewrap is not installed here';

export interface Bench {
  readonly base: string;
  readonly project: string;
  readonly outside: string;
  readonly home: string;
  readonly sessionDir: string;
  readonly judge: Judge;
  readonly sandbox: Sandbox;
  run(command: string, confinement: Confinement, more?: RunOptions): Promise<Ran>;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface Ran {
  readonly code: number;
  readonly output: string;
  readonly notes: readonly string[];
}

export function makeBench(
  context: Parameters<typeof temporaryFolder>[0],
  files: Readonly<Record<string, string>>,
  rules: readonly RuleText[] = [],
  domains: Domains = { allowed: [], denied: [] },
): Bench {
  assert.equal(mechanism.kind, 'bubblewrap');
  const base = realpathSync(temporaryFolder(context));
  const [project, outside, home] = ['project', 'outside', 'home'].map((name) => path.join(base, name)) as [
    string,
    string,
    string,
  ];
  const sessionDir = path.join(home, '.claude/projects/own/session');
  writeTree(base, { 'project/README.md': 'readme\n', 'outside/canary.txt': 'CANARY-OUTSIDE\n', ...files });
  mkdirSync(path.join(sessionDir, 'tool-results'), { recursive: true });
  const root = path.join(home, '.claude');
  const use = { isAvailable: true, runsUnasked: true, mayLeave: true, excluded: [] };
  const judge = makeJudge({ projectDir: project, home, root, rules, sandbox: use });
  const sandbox = makeSandbox({
    projectDir: project,
    extraDirs: [],
    home,
    root,
    policy: judge.policy,
    mechanism,
    domains,
  });
  return {
    ...{ base, project, outside, home, sessionDir, judge, sandbox },
    run: async (command, confinement, { cwd = project, env = process.env } = {}) => {
      const launch = sandbox.launch(confinement, { cwd, env: { ...env, HOME: home }, sessionDir });
      const pieces: Buffer[] = [];
      const shell = startShell(command, { cwd, launch, onOutput: (bytes) => void pieces.push(bytes) });
      const { code } = await shell.exited;
      shell.kill();
      await shell.gone;
      return { code, output: Buffer.concat(pieces).toString(), notes: launch.finish() };
    },
  };
}

export function rule(kind: RuleText['kind'], text: string): RuleText {
  return { kind, text, source: 'test' };
}
