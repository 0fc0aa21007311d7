// All rules, in the order in which two violations at one place are reported.
import type { ApiRule } from './rule.ts';
import { contentRules } from './rules/content.ts';
import { imageRules } from './rules/images.ts';
import { roleRules } from './rules/roles.ts';
import { sizeRules } from './rules/size.ts';
import { thinkingRules } from './rules/thinking.ts';
import { toolFieldRules } from './rules/tool-fields.ts';
import { toolPairRules } from './rules/tool-pairs.ts';
import { unicodeRules } from './rules/unicode.ts';

/** All rules of the Messages API that Clew knows. */
export const apiRules: readonly ApiRule[] = [
  ...sizeRules,
  ...roleRules,
  ...contentRules,
  ...toolPairRules,
  ...toolFieldRules,
  ...thinkingRules,
  ...imageRules,
  ...unicodeRules,
];
