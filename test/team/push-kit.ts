// Machines that push to a store: each with its own state, configuration and sessions, as the command would find them.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Endable } from '../support/after-test.ts';
import type { TeamStore } from '../support/team-store.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

export interface Machine {
  readonly home: string;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes `team.json`. */
  share(config: object): void;
}

export interface MachineOptions {
  readonly name?: string;
  readonly person?: string;
  /** By path below `projects`. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
}

export function machineOf(
  context: Endable,
  store: TeamStore,
  { name = 'laptop', person = 'ada', files = {} }: MachineOptions = {},
): Machine {
  const folder = temporaryFolder(context);
  const [home, root] = [path.join(folder, 'state'), path.join(folder, 'root')];
  mkdirSync(home);
  writeTree(path.join(root, 'projects'), files);
  return {
    home,
    root,
    env: { CLEW_HOME: home, CLEW_ROOTS: root, CLEW_MACHINE: name, CLEW_STORE: store.addressOf(person) },
    share: (config) => writeFileSync(path.join(home, 'team.json'), JSON.stringify(config)),
  };
}
