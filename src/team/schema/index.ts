export { partitionedTables, tableLevels } from './content.ts';
export { groupRoles } from './identity.ts';
export { type Migration, migrations } from './migrations.ts';
