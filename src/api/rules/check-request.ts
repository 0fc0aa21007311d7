// Finds everything in a request that the Messages API would reject, sorted by place. The API stops at the first
// violation; a repair needs them all.

import { type CheckableRequest, type Place, viewRequest } from '../request/index.ts';
import { contentRules, roleRules, unicodeRules } from './content.ts';
import type { ApiRule, Violation } from './rule.ts';
import { imageRules, sizeRules } from './size.ts';
import { thinkingRules } from './thinking.ts';
import { toolFieldRules, toolPairRules } from './tools.ts';

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

/** Checks a request against the rules of the Messages API and returns what the API would reject. */
export function checkRequest(request: CheckableRequest): Violation[] {
  const view = viewRequest(request);
  return apiRules.flatMap((rule) => rule.check(view)).sort(byPlace);
}

/** Checks only the images, which is fast enough for many sessions. */
export function checkImageRules(request: CheckableRequest): Violation[] {
  const view = viewRequest(request);
  return imageRules.flatMap((rule) => rule.check(view)).sort(byPlace);
}

/** Violations of the whole request come first, those of a message before those of its blocks. */
function byPlace(a: Place, b: Place): number {
  return (a.messageIndex ?? -1) - (b.messageIndex ?? -1) || (a.blockIndex ?? -1) - (b.blockIndex ?? -1);
}
