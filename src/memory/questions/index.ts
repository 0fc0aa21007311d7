export {
  type OutlineQuestion,
  type ReadPart,
  type ReadQuestion,
  readParts,
  type SearchQuestion,
  type UsageKind,
  type UsageQuestion,
  usageKinds,
} from './questions.ts';
