export type { Continuation } from './continuation.ts';
export { type ContinuedSummary, continueSummary } from './continue-summary.ts';
export type { OriginFacts } from './origin-facts.ts';
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
  summariseFile,
  summariseForMore,
  summariseTranscript,
  tagOf,
  turnStartsOf,
} from './summary.ts';
export { titleOf } from './titles.ts';
export type { PullRequest, WorkFacts, Worktree } from './work-facts.ts';
