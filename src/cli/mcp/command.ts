// clew mcp: the sessions of a project as tools for agents, over stdio.
import type { CommandInput } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';
import { serve } from './serve.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const isAllProjects = flags['all-projects'] === true;
  await serve({ roots: rootsOf(input), isAllProjects, env: io.env, cwd: io.cwd });
}
