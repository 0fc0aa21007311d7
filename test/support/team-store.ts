// A store on a server of the test's own, with people who are connected by their roles.
import { connect, migrate } from '../../src/team/database/index.ts';
import type { Endable } from './after-test.ts';
import { type PostgresOptions, type PostgresServer, startPostgres } from './postgres.ts';

export interface TeamStore {
  readonly server: PostgresServer;
  /** The address for a role. */
  addressOf(person: string): string;
}

export type TestRole = 'developer' | 'lead' | 'auditor' | 'gateway';

/** `people`: names with their role. They are of one tenant, `acme`. */
export async function startTeamStore(
  context: Endable,
  people: Readonly<Record<string, TestRole>>,
  options: PostgresOptions = {},
): Promise<TeamStore> {
  const server = startPostgres(context, options);
  const sql = await connect(server.address());
  await migrate(sql);
  await sql.end();
  server.run("INSERT INTO clew.tenants (name) VALUES ('acme')");
  for (const [name, role] of Object.entries(people)) {
    server.run(`CREATE ROLE "${name}" LOGIN; GRANT clew_${role} TO "${name}";
      INSERT INTO clew.people (tenant, name, login) SELECT tenant, '${name}', '${name}' FROM clew.tenants;`);
  }
  return { server, addressOf: (person) => server.address(person) };
}
