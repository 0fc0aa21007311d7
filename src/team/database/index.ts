export {
  type ConnectOptions,
  connect,
  hidePassword,
  isPassing,
  parseAddress,
  type Sql,
  storeError,
  type TransactionSql,
} from './connect.ts';
export { copiesOf, personLexeme, type TableCopy } from './copy-rows.ts';
export { type CopyValue, copyFields, copyTime } from './copy-text.ts';
export { DatabaseTarget, type DatabaseTargetOptions } from './database-target.ts';
export { type Migrated, migrate, refuseNewer, schemaVersion, versionOf } from './migrate.ts';
