// clew mcp: the sessions of a project as tools for agents, over stdio.

import { ancestorsOf, serveMemory } from '../../memory/index.ts';
import { stateFolder } from '../../store/index.ts';
import type { CommandInput } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';
import { writeNotice } from '../terminal/index.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  await serveMemory({
    roots: rootsOf(input),
    state: stateFolder(io.env),
    env: io.env,
    ancestors: ancestorsOf(process.ppid),
    isAllProjects: flags['all-projects'] === true,
    folders: [io.env.CLAUDE_PROJECT_DIR || io.cwd],
    onNotice: (message) => writeNotice(io.stderr, message),
    input: process.stdin,
    output: process.stdout,
  });
}
