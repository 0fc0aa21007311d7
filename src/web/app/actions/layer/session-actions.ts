// The actions of the session on the screen, for the palette.
import type { Client } from '../../../client/index.ts';
import type { ActionHost } from '../subject/index.ts';
import { actionsFor, askSubject, menuTitle } from './subjects.ts';

export interface NamedAction {
  readonly name: string;
  run(): void;
}

export async function sessionActions(client: Client, host: ActionHost, key: string): Promise<readonly NamedAction[]> {
  const subject = await askSubject(client, key);
  return actionsFor(subject).map((action) => ({
    name: menuTitle(action),
    run: () => host.open(action.name, [subject]),
  }));
}
