export { type AgentLookup, type AgentTranscript, findAgentTranscripts } from './agents.ts';
export { parseCursor, readTurns, streamTurns, type TraceCursor } from './cursor.ts';
export { TurnDraft } from './draft.ts';
export { type Cause, causeAfter, type TraceLine } from './trace-line.ts';
export {
  type AboutTurn,
  type AgentRun,
  compactionOf,
  type TraceMessage,
  type TraceResult,
  type TraceTurn,
} from './turn.ts';
