export { neutralise, reveal } from './hostile-text.ts';
export {
  counted,
  formatAge,
  formatBytes,
  formatCount,
  formatDuration,
  formatTokens,
  isUuid,
  shellQuote,
} from './human.ts';
export { readNumbered } from './numbered-text.ts';
export { exactPattern, expressionPattern, loosePattern } from './patterns.ts';
export {
  type Cluster,
  clusters,
  displayWidth,
  displayWidthWithin,
  longestCluster,
  oneLine,
  padEnd,
  padStart,
  truncate,
} from './terminal-text.ts';
export {
  cjkRanges,
  fold,
  foldText,
  type QueryPart,
  queryParts,
  type Term,
  type Token,
  termOf,
  termPattern,
  tokensOf,
} from './words.ts';
