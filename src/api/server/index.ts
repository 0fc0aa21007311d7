export { type Mismatch, mismatchText } from './match-request.ts';
export { startMessagesServer } from './messages-server.ts';
export { type ReplayCounts, type ReplayServer, type Served, startReplayServer } from './replay-server.ts';
