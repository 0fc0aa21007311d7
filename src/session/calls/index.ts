export {
  type FinishedCall,
  knownOutcome,
  outcomeOf,
  resultText,
  withoutErrorTags,
  withoutFolder,
} from './call-result.ts';
export { type CallNames, summariseInput } from './input-summary.ts';
export { type Refusal, readRefusal, refusalText } from './refusal.ts';
