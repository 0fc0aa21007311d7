// The state that outlives a single call: working directory, seen files, background tasks.
import path from 'node:path';
import type { Sandbox } from '../../contract/confinement.ts';
import type { BackgroundTasks, FileMemory, SeenFile, Todo, Workspace } from '../../contract/tool.ts';
import { ShellTasks } from './background.ts';

export interface WorkspaceOptions {
  readonly projectDir: string;
  readonly sessionDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Without a sandbox, commands run unconfined. */
  readonly sandbox?: Sandbox;
  readonly cwd?: string;
  readonly extraDirs?: readonly string[];
  readonly todos?: readonly Todo[];
  /** A sub-agent shares the background tasks of the session. */
  readonly background?: BackgroundTasks;
}

export function makeWorkspace(options: WorkspaceOptions): Workspace {
  const projectDir = path.resolve(options.projectDir);
  return {
    cwd: options.cwd ?? projectDir,
    projectDir,
    extraDirs: options.extraDirs ?? [],
    sessionDir: options.sessionDir,
    env: options.env,
    sandbox: options.sandbox ?? noSandbox,
    files: makeFileMemory(),
    background: options.background ?? new ShellTasks(path.join(options.sessionDir, 'tool-results')),
    todos: options.todos ?? [],
  };
}

const noSandbox: Sandbox = {
  mechanism: 'none',
  launch: (_, { env }) => ({ confinement: 'open', prefix: [], env, finish: () => [] }),
  hiddenBelow: () => [],
};

export function makeFileMemory(): FileMemory {
  const files = new Map<string, SeenFile>();
  return {
    seen: (file) => files.get(file),
    remember: (file, seen) => void files.set(file, seen),
    forget: (file) => void files.delete(file),
  };
}
