// The server of `clew mcp` on the pipes of this process.
import { ancestorsOf } from '../../memory/scope/index.ts';
import { serveMemory } from '../../memory/server/index.ts';
import { stateFolder } from '../../store/index.ts';
import { writeNotice } from '../terminal/index.ts';

export interface ServeCall {
  readonly roots: readonly string[];
  readonly isAllProjects: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Called before each question. */
  readonly refresh?: (folders: readonly string[]) => Promise<void>;
}

export function serve({ roots, isAllProjects, env, cwd, refresh }: ServeCall): Promise<void> {
  if (process.stdin.isTTY)
    writeNotice(
      process.stderr,
      'waiting for a client of MCP on stdin; install it with `claude mcp add clew -- clew mcp`',
    );
  return serveMemory({
    roots,
    state: stateFolder(env),
    ...(refresh === undefined ? {} : { refresh }),
    env,
    ancestors: ancestorsOf(process.ppid),
    isAllProjects,
    folders: [env.CLAUDE_PROJECT_DIR || cwd],
    onNotice: (message) => writeNotice(process.stderr, message),
    input: process.stdin,
    output: process.stdout,
  });
}
