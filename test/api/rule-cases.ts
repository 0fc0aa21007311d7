// Requests that break exactly one rule, for each rule of the API.
import { contentCases, roleCases } from './cases/conversation.ts';
import { imageCases } from './cases/images.ts';
import type { RuleCase } from './cases/rule-case.ts';
import { thinkingCases } from './cases/thinking.ts';
import { toolCases } from './cases/tools.ts';
import { sizeCases } from './cases/whole-request.ts';

export const ruleCases: readonly RuleCase[] = [
  ...roleCases,
  ...contentCases,
  ...toolCases,
  ...thinkingCases,
  ...imageCases,
  ...sizeCases,
];
