export { checkImageRules, checkRequest } from './check-request.ts';
export type { Violation } from './rule.ts';
export { estimateTokens } from './size.ts';
