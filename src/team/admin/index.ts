export { type AuditQuestion, listReadings, type Reading } from './audit.ts';
export { type Erased, pendingMonths, vacuumRemovals } from './erase.ts';
export { type ForgetReport, forget } from './forget.ts';
export { type Grant, type GrantWish, grant, type RoleName, revoke, roleNames } from './grant.ts';
export { type Hold, hold, listHolds, release } from './holds.ts';
export { type InitReport, initStore } from './init.ts';
export { addToGroup, type Group, listGroups, listPeople, type Person, removeFromGroup } from './people.ts';
export {
  changeRule,
  type Due,
  listRetention,
  type Retention,
  type RuleChange,
  type Swept,
  sweep,
} from './retention.ts';
export { scramVerifier } from './scram.ts';
export { type StoreStatus, storeStatus } from './status.ts';
export { type Tenant, tenantOf } from './tenant.ts';
