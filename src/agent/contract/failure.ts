// Why a request failed → the names that the Agent SDK has for it, as the client 2.1.325 gives them, and the text for it.
import type { ModelFailure } from '../../api/client/index.ts';

/** `SDKAssistantMessageError` without the names that Clew never gives. */
export type ErrorName =
  | 'authentication_failed'
  | 'billing_error'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'unknown';

/** Of a request that is not sent again. */
export function errorNameOf({ status, kind, message }: ModelFailure): ErrorName {
  if (status === 402 || kind === 'billing_error' || /credit balance is too low/i.test(message)) return 'billing_error';
  if (status === 401 || status === 403 || kind === 'authentication_error' || kind === 'permission_error')
    return 'authentication_failed';
  if (status === 429 || kind === 'rate_limit_error') return 'rate_limit';
  if (kind === 'refusal' || isTooLong({ status, kind, message })) return 'invalid_request';
  if (status === 404 || kind === 'not_found_error') return 'model_not_found';
  if (status === undefined ? serverKinds.has(kind) : status >= 500) return 'server_error';
  return 'unknown';
}

const serverKinds: ReadonlySet<string> = new Set(['api_error', 'overloaded_error', 'timeout_error']);

/** Of a request that will be sent again: an overloaded API and a timeout have other names then. */
export function retryNameOf(failure: ModelFailure): ErrorName {
  if (failure.status === 529 || failure.kind === 'overloaded_error') return 'overloaded';
  if (failure.status === 408) return 'server_error';
  return errorNameOf(failure);
}

export function isTooLong({ status, kind, message }: Pick<ModelFailure, 'status' | 'kind' | 'message'>): boolean {
  if (status === 413 || kind === 'request_too_large' || kind === 'context_window') return true;
  return status === 400 && /prompt is too long|exceed.{0,40}context|context.{0,20}limit/i.test(message);
}

/** As the session stores it. */
export function failureText({ status, message }: Pick<ModelFailure, 'status' | 'message'>): string {
  return status === undefined ? `API Error: ${message}` : `API Error: ${status} ${message}`;
}
