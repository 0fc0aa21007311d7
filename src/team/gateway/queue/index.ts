export { addKey, isKey, type KeyRow, listKeys, revokeKeys } from './keys.ts';
export { type ClaimedBatch, type EncodedBatch, GatewayQueue, type QueueOptions } from './queue.ts';
export { type GatewayReport, reportGateway, retryParked } from './report.ts';
export type { Sender } from './sender.ts';
