export {
  type AgentSource,
  agentsStartedBy,
  countAgents,
  countSeparateAgents,
  ownerOf,
  rememberOwner,
} from './agents.ts';
export { boundaryAbove, type Compaction, compactionsOf } from './compaction.ts';
export {
  activeLeaf,
  agentSession,
  type Branch,
  chooseActiveLeaf,
  cwdOf,
  diagnosticsOf,
  isAgentTranscript,
  loadAgent,
  loadSession,
  makeSession,
  openAgent,
  readEntry,
  type Session,
  versionsOf,
} from './session.ts';
