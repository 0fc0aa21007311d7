export { planMark } from './mark.ts';
export { defaultStrategy, isRepairable, planRepair, type RepairOptions } from './repair.ts';
export { newerBranch, type Strategy, strategies, strategyMeanings } from './sequence.ts';
