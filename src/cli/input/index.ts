export { agentOptions, given, jsonFlag, splitRules } from './agent-options.ts';
export { chosenBranch, chosenTurns } from './choose.ts';
export { bringTextUpToDate, currentSessions, sessionsIn, withIndex } from './current-index.ts';
export { currentUsage } from './current-usage.ts';
export { type BackgroundOptions, logLine, programFile, runInBackground } from './in-background.ts';
export { initPrompt } from './init-prompt.ts';
export {
  type Lineage,
  type LineageOf,
  lineageReader,
  madeByReader,
  marksText,
  originMarks,
  readLineage,
  relationJson,
  relationText,
} from './lineage.ts';
export { findNamedSession, findSessionArgument, loadSessionArgument, type NameOptions } from './named-session.ts';
export { ageInDays, ageWarning, currentPrices } from './prices.ts';
export { folderOfTranscript, type ProjectFilter, projectFilter } from './project.ts';
export { rulesArgument } from './redact-rules.ts';
export { relationsOfSession } from './relations.ts';
export {
  packageRoot,
  readSession,
  refuseAgent,
  refuseDemo,
  rootsOf,
  spareMemoryFor,
} from './session.ts';
export { nextStep, refuseWithStore, type StoreChoice, storeChoice } from './store/index.ts';
