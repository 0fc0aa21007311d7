export { mayUnpack, type TextVisitor, visitStretch, visitTexts, visitUnpacked, whyOpaque } from './decoded-texts.ts';
export { encodedParts, placeholdersIn } from './encoded-text.ts';
export { findSecrets, makeRuleSet, type RuleSet, type Secret } from './find.ts';
export { type HashedValue, HashedValueFinder, hashValue, makeSalt, shortestHashed } from './hashed-values.ts';
export {
  type Cut,
  decodeLossless,
  decodeString,
  encodeLossless,
  type Form,
  isEscapedByte,
  isMediaData,
  type JsonString,
  type JsonView,
  quotedSecrets,
  shortest,
  shownText,
  splice,
  splitEscapedBytes,
  textsOf,
  viewOf,
} from './json-view.ts';
export { type CleanLine, isPlainValue, LineFilter } from './line-filter.ts';
export { Placeholders } from './placeholders.ts';
export { excerptOf, learnSecrets, type NewName, nameOf, redactText, SafeNames } from './redact-text.ts';
export { loadRuleSet, usualRuleSet } from './user-rules.ts';
export { innermostText } from './view.ts';
