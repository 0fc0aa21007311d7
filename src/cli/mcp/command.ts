// clew mcp: the sessions of a project as tools for agents, over stdio; with --store those in the team's store.
import path from 'node:path';
import type { CommandInput } from '../command/index.ts';
import { rootsOf, storeChoice } from '../input/index.ts';
import { serve } from './serve.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const isAllProjects = flags['all-projects'] === true;
  const call = { isAllProjects, env: io.env, cwd: io.cwd };
  const choice = await storeChoice(input);
  if (choice === undefined) return serve({ ...call, roots: rootsOf(input) });
  const { StoreCopies } = await import('./store-copies.ts');
  const copies = new StoreCopies(choice, isAllProjects);
  try {
    // Nothing of this machine's own sessions is in the answers, and no index of the copies stays.
    const env = { ...io.env, CLEW_HOME: path.join(copies.root, 'state') };
    await serve({ ...call, env, roots: [copies.root], refresh: (folders) => copies.refresh(folders) });
  } finally {
    await copies.close();
  }
}
