export {
  ActionAnswers,
  type ActionApplied,
  type ActionFound,
  type BulkAnswer,
  type BulkApplied,
  type BulkAsked,
  type BulkFound,
} from './action-answers.ts';
export type { ActionAsked, ActionTarget } from './prepared.ts';
