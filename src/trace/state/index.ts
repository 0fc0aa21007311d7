export { logFailure } from './log.ts';
export {
  activeMute,
  deleteHeldBatch,
  findBatches,
  isMutedTurn,
  type Mute,
  type MuteTarget,
  mute,
  readMutes,
  unmute,
  wasMuted,
} from './mute.ts';
export {
  deadOf,
  ledgerOf,
  outboxOf,
  readEdge,
  sendLock,
  sessionKey,
  statusOf,
  type TracePlaces,
  tracePlaces,
} from './places.ts';
export {
  type CompatEntry,
  type FileHead,
  hasOnlyGrown,
  identifyHead,
  type PendingBatch,
  readState,
  readStateOf,
  type SessionState,
  writeState,
} from './session-state.ts';
