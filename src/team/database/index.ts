export {
  type ConnectOptions,
  connect,
  hidePassword,
  isPassing,
  type Sql,
  storeError,
  type TransactionSql,
} from './connect.ts';
export { type Migrated, migrate, refuseNewer, schemaVersion, versionOf } from './migrate.ts';
