// A store whose owner is not a superuser, and `clew team` as that owner.

import { type JsonValue, parseJson } from '../../../src/base/json/json.ts';
import type { PushAnswer } from '../../../src/team/contract/index.ts';
import { connect, DatabaseTarget } from '../../../src/team/database/index.ts';
import type { Endable } from '../../support/after-test.ts';
import { type Run, runClew } from '../../support/clew.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { type StoredSessionOptions, storedSession } from '../../support/stored-session.ts';

export interface OwnedStore {
  readonly server: PostgresServer;
  /** `clew team …` as the owner. */
  team(...words: readonly string[]): Run;
  /** Its JSON; anything but success is an error. */
  json(...words: readonly string[]): JsonValue;
  push(login: string, session: StoredSessionOptions): Promise<PushAnswer>;
}

export const ownerRights = 'CREATE ROLE keeper LOGIN CREATEROLE; GRANT CREATE ON DATABASE clew TO keeper;';

/** `people` are developers. */
export function startOwnedStore(
  context: Endable,
  people: readonly string[] = [],
  settings: readonly string[] = [],
): OwnedStore {
  const server = startPostgres(context, { settings });
  server.run(ownerRights);
  const store = ownedStore(server);
  store.json('init', '--tenant', 'acme');
  for (const person of people) store.json('grant', person, '--role', 'developer');
  return store;
}

export function ownedStore(server: PostgresServer): OwnedStore {
  const team = (...words: readonly string[]): Run => runClew(['team', ...words, '--to', server.address('keeper')]);
  return {
    server,
    team,
    json: (...words) => {
      const { status, stdout, stderr } = team(...words, '--json');
      const value = status === 0 ? parseJson(stdout) : undefined;
      if (value === undefined) throw new Error(`clew team ${words.join(' ')}: exit ${status}, ${stderr}`);
      return value;
    },
    push: async (login, session) => {
      const target = new DatabaseTarget(await connect(server.address(login)));
      try {
        return await target.push(storedSession(session));
      } finally {
        await target.close();
      }
    },
  };
}

export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

/** A promise, and the function that fulfils it. */
export function makeGate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
