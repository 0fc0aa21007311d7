export { planMark } from './mark.ts';
export { defaultStrategy, isMendable, planRepair, type RepairOptions } from './repair.ts';
export { newerBranch, type Strategy, strategies, strategyMeanings } from './sequence.ts';
