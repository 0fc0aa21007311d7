// The types of a rule: a code, the error message and a function that finds violations. The message is filled in here
// for all rules.
import type { Place, RequestView } from '../request/index.ts';

/** A rule that a request breaks, with the API's error message. */
export interface Violation extends Place {
  /** The code of the rule. */
  readonly rule: string;
  /** The HTTP status of the API's response. */
  readonly status: number;
  /** The API's error message. */
  readonly message: string;
  readonly toolUseId?: string;
  /** The numbers in the message are estimates. */
  readonly isEstimate?: true;
  /** See `ApiRule`. */
  readonly isFormer?: true;
}

/** One rule of the Messages API. */
export interface ApiRule {
  readonly code: string;
  readonly what: string;
  /** The API's error message, with placeholders such as `{path}` for numbers and ids. */
  readonly errorText: string;
  readonly status: number;
  /** Anthropic's own endpoint no longer rejects it; others may, and no client sends it. */
  readonly isFormer?: true;
  check(request: RequestView): Violation[];
}

export interface Finding {
  readonly place: Place;
  readonly toolUseId?: string;
  readonly isEstimate?: true;
  /** The values of the placeholders; `path` is that of the place. */
  readonly values?: Readonly<Record<string, string | number>>;
}

export interface RuleSource {
  readonly code: string;
  readonly what: string;
  readonly errorText: string;
  /** Default: 400. */
  readonly status?: number;
  readonly isFormer?: true;
  find(request: RequestView): readonly Finding[];
}

export const requestPlace: Place = { path: '' };

export function makeRule({ code, what, errorText, status = 400, isFormer, find }: RuleSource): ApiRule {
  const former = isFormer === undefined ? {} : { isFormer };
  return {
    code,
    what,
    errorText,
    status,
    ...former,
    check: (request) =>
      find(request).map(({ place, values, toolUseId, isEstimate }) => ({
        rule: code,
        status,
        message: fillIn(errorText, { path: place.path, ...values }),
        ...place,
        ...(toolUseId === undefined ? {} : { toolUseId }),
        ...(isEstimate === undefined ? {} : { isEstimate }),
        ...former,
      })),
  };
}

function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (name, key: string) => String(values[key] ?? name));
}
