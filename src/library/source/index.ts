export type {
  CostPlace,
  LibrarySource,
  SourceLineage,
  SourceList,
  SourceSession,
  SourceUsage,
  SourceWork,
  UsageQuestion,
  WorkQuestion,
} from './source.ts';
