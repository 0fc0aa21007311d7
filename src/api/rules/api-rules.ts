// All rules, in the order in which two violations at one place are reported.

import { contentRules } from './content.ts';
import { imageRules } from './images.ts';
import { roleRules } from './roles.ts';
import type { ApiRule } from './rule.ts';
import { sizeRules } from './size.ts';
import { thinkingRules } from './thinking.ts';
import { toolPairRules } from './tool-pairs.ts';
import { toolFieldRules } from './tools.ts';
import { unicodeRules } from './unicode.ts';

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
