export { type CacheSavings, cacheSavings } from './cache-savings.ts';
export { type ToolCost, ToolCosts } from './tool-costs.ts';
export { type SpendingOptions, type ToolSpending, toolSpending } from './tool-output.ts';
