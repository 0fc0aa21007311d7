export { storeError } from '../database/index.ts';
export { type PackedFile, type PackedSession, readPacked } from './packed-session.ts';
export type { PeopleChoice, StoreChoice } from './people.ts';
export {
  type GroupReport,
  type PeopleReport,
  type PersonReport,
  type PersonSums,
  readPeople,
} from './people-report.ts';
export { announceReading, type ReadableSession, readableSession, type SessionKey } from './readings.ts';
export { readSessionCosts, type SessionCost, type SessionCosts } from './session-costs.ts';
export type { StoredSession } from './sessions.ts';
export { openStore, renewStore, StoreSource } from './store-source.ts';
export { readStoreState } from './store-state.ts';
