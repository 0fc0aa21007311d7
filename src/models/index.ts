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
export type { Effort, PriceRow, Rates } from './model-row.ts';
export {
  bedrockRegion,
  isOn,
  modelNameOn,
  type Platform,
  platformOf,
  resolveModel,
  smallModel,
  vertexRegion,
} from './platform.ts';
export { bundledPrices, type PricedModel, PriceList, type Prices } from './price-list.ts';
export { isTableText, layFlat, layTable, PriceProblem, type PriceTable, readPriceTable } from './price-table.ts';
export {
  type EffortWish,
  efforts,
  isEffort,
  requestEffort,
  requestOutputTokens,
  requestThinking,
  type Thinking,
  type ThinkingWish,
  takesEffortPerMessage,
} from './request-defaults.ts';
export { shortModelName } from './short-name.ts';
