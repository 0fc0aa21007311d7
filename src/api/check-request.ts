// A request → everything in it that the Messages API would reject, in the order of the places. The API itself stops at
// the first; a repair needs them all.
import { apiRules } from './api-rules.ts';
import { type CheckableRequest, type Place, viewRequest } from './request-view.ts';
import type { Violation } from './rule.ts';
import { imageRules } from './rules/images.ts';

/** Checks a request against the rules of the Messages API and returns what the API would reject. */
export function checkRequest(request: CheckableRequest): Violation[] {
  const view = viewRequest(request);
  return apiRules.flatMap((rule) => rule.check(view)).sort(byPlace);
}

/** Only what concerns images, for a look at many sessions. */
export function checkImageRules(request: CheckableRequest): Violation[] {
  const view = viewRequest(request);
  return imageRules.flatMap((rule) => rule.check(view)).sort(byPlace);
}

/** What concerns the whole request stands first, what concerns a whole message before its blocks. */
function byPlace(a: Place, b: Place): number {
  return (a.messageIndex ?? -1) - (b.messageIndex ?? -1) || (a.blockIndex ?? -1) - (b.blockIndex ?? -1);
}
