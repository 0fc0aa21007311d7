export { barred, callLine, fitFacts, hanging, indentLines, quoted, rule, scrollTo } from './lines.ts';
export { type Cell, type Column, renderTable, type TableOptions } from './table.ts';
export {
  clockTime,
  costText,
  formatCost,
  localTime,
  shortFolder,
  shortIds,
  shortOperation,
  unpricedText,
  usdOf,
} from './wording.ts';
export { fitWidths, type Line, largest, type Span, sum, wrapSpans } from './wrap.ts';
