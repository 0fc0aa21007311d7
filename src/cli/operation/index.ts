export { neededFlag, outcomeJson, outcomeText, runPlan, sourceArgument, sourceOf } from './operation.ts';
