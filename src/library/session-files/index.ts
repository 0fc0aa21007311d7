export { cleanupDays, daysLeftOf, type Expiring, findExpiring, warningDays } from './expiry.ts';
export { leftOutNotes, type SessionPath, type SessionPlace, sessionPaths, sessionPlace } from './session-paths.ts';
export {
  holdSession,
  type ReleaseSession,
  refuseInUse,
  runningClients,
  whileHolding,
  whoUses,
} from './session-use.ts';
