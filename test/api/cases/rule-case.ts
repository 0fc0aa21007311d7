// A request that breaks one rule of the API and no other, with the whole violation.
import type { CheckableRequest } from '../../../src/api/request/request-view.ts';
import type { Violation } from '../../../src/api/rules/rule.ts';

export interface RuleCase {
  readonly what: string;
  readonly request: CheckableRequest;
  readonly violations: readonly Violation[];
}

export const bad = (rule: string, path: string, message: string, more: Partial<Violation> = {}): Violation => {
  const [, messageIndex, blockIndex] = /^messages\.(\d+)(?:\.content\.(\d+))?/.exec(path) ?? [];
  return {
    rule,
    status: 400,
    message,
    path,
    ...(messageIndex === undefined ? {} : { messageIndex: Number(messageIndex) }),
    ...(blockIndex === undefined ? {} : { blockIndex: Number(blockIndex) }),
    ...more,
  };
};

export const one = (what: string, request: CheckableRequest, violation: Violation): RuleCase => ({
  what,
  request,
  violations: [violation],
});
