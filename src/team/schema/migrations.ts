// The versions of the store, forward only. A migration that has landed never changes; a change of the schema is a new one.
import { contentTables } from './content.ts';
import { functions } from './functions.ts';
import { identityFunctions, identityTables } from './identity.ts';
import { policies } from './policies.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

const migrationTable = `CREATE TABLE clew.migrations (
  version integer PRIMARY KEY,
  name text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);`;

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'people, content, policies',
    sql: [identityTables, migrationTable, contentTables, identityFunctions, functions, policies].join('\n'),
  },
];
