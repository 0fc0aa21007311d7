export { neededFlag, outcomeJson, outcomeText, runPlan, sourceArgument, sourceOf } from './operation.ts';
export { recoveredLines, recoverKilled } from './recovered.ts';
