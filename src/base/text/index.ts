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
