export {
  asksForLongContext,
  defaultModel,
  isOffered,
  knownModels,
  type ModelFacts,
  modelFactsOf,
  modelRowOf,
  otherMaxImages,
  outputTokensOf,
  plainModelName,
  prefixCheckOf,
  readsThinkingOf,
  resolveModelAlias,
  takesSystemRole,
  withoutModelDate,
} from './facts.ts';
export type { PriceRow, Rates } from './model-row.ts';
export { bundledPrices, type PricedModel, PriceList, type Prices } from './price-list.ts';
export { isTableText, layFlat, layTable, PriceProblem, type PriceTable, readPriceTable } from './price-table.ts';
export { shortModelName } from './short-name.ts';
