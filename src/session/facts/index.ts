export { isVersionSince, isWrittenByClew, strangePrompt } from './prompt-origin.ts';
export { countReachable, type Expectation, expectedOf, missingFrom, type Reachable } from './reachable.ts';
export {
  countTurn,
  type LoadAgent,
  linesWithUsage,
  outputText,
  sessionUsage,
  turnUsage,
  usageLinesOf,
  usageText,
} from './session-usage.ts';
export {
  forkedFromOf,
  type SessionSummary,
  summarise,
  summariseTranscript,
  tagOf,
  titleOf,
  turnStartsOf,
} from './summary.ts';
