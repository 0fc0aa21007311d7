// The versions of the store, forward only. A migration that has landed never changes; a change of the schema is a new one.
import { contentTables } from './content.ts';
import { pushFunctions } from './functions.ts';
import { gatewayFunctions, gatewayGrants, gatewayTables } from './gateway.ts';
import { identityFunctions, identityTables } from './identity.ts';
import { monthFunctions } from './months.ts';
import { policies } from './policies.ts';
import { readingFunctions } from './readings.ts';
import { retentionFunctions } from './retention.ts';
import { searchFunctions, searchGrants } from './search.ts';
import { usageTriggers } from './usage.ts';

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
    sql: [
      identityTables,
      migrationTable,
      contentTables,
      gatewayTables,
      identityFunctions,
      monthFunctions,
      retentionFunctions,
      pushFunctions,
      gatewayFunctions,
      readingFunctions,
      usageTriggers,
      policies,
      gatewayGrants,
      searchFunctions,
      searchGrants,
    ].join('\n'),
  },
];
