// `clew mcp` without the command-line parser: every session of the client starts it. Other flags are left to the full command.
import { rootsOf } from '../input/index.ts';
import { serve } from './serve.ts';

/** `undefined` leaves the call to the full command; nothing was read then. Returns when the client has left. */
export async function runLean(args: readonly string[]): Promise<string | undefined> {
  const roots: string[] = [];
  let isAllProjects = false;
  let isDemo = false;
  for (let i = 0; i < args.length; i++) {
    const value = args[i + 1];
    if (args[i] === '--all-projects') isAllProjects = true;
    else if (args[i] === '--demo') isDemo = true;
    else if (args[i] === '--root' && value !== undefined && !value.startsWith('-')) {
      roots.push(value);
      i++;
    } else return undefined;
  }
  const { env } = process;
  const flags = { ...(roots.length > 0 && { root: roots }), ...(isDemo && { demo: true }) };
  const cwd = process.cwd();
  // Only the environment is asked for.
  await serve({
    roots: rootsOf({ flags, io: { env } as Parameters<typeof rootsOf>[0]['io'] }),
    isAllProjects,
    env,
    cwd,
  });
  return '';
}
