export { operationNotices, recoverKilled } from './notices.ts';
export { neededFlag, outcomeJson, outcomeText, runPlan, sourceArgument, sourceOf } from './operation.ts';
