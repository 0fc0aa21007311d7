export { type DestinationReport, knownDestinations, reportDestination } from './delivery-status.ts';
export {
  dropPending,
  listParked,
  pendingOwners,
  readPending,
  releaseBatch,
  spoolBatch,
  unparkBatches,
} from './outbox.ts';
export { failureText, type Outcome, type PostedBatch, postBatch } from './post.ts';
export { isSending, needsSender, type SendOptions, type SendReport, sendOutbox } from './send.ts';
