export { finite, type ListedRow, rowOfKnown, rowOfListed, type SessionCost } from './listed-row.ts';
export {
  type AppliedFound,
  type ApplyParams,
  findingView,
  type OperationFound,
  RepairAnswers,
} from './repair-answers.ts';
export { type SearchAsked, type SearchFound, searchFound, searchSessions, textQuery } from './search-answers.ts';
export { SessionAnswers } from './session-answers.ts';
export { SessionCache } from './session-cache.ts';
export { SideAnswers } from './side-answers.ts';
export { type Tail, TailAnswers, type TailQuery } from './tail-answers.ts';
export {
  rangeOf,
  startOf,
  type TopFound,
  toolsAnswer,
  UsageAnswers,
  type UsageAsked,
  type UsageFound,
  usageFound,
} from './usage-answers.ts';
