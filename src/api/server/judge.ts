// Decides whether the API would refuse a request before a model sees it: its key, its body, its required fields, and
// the rules of `apiRules`.
import { isObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import { findStranger, isSecret } from '../../base/process/local-guard.ts';
import { checkRequest } from '../rules/check-request.ts';
import type { RequestBody } from './request-body.ts';
import type { ServedRequest } from './request-log.ts';
import { invalidRequest, type ScriptedError } from './script.ts';

export const notFound: ScriptedError = { status: 404, type: 'not_found_error', message: 'Not found' };
export const methodNotAllowed: ScriptedError = {
  status: 405,
  type: 'invalid_request_error',
  message: 'Method Not Allowed',
};
const tooLarge: ScriptedError = {
  status: 413,
  type: 'request_too_large',
  message: 'Request exceeds the maximum size',
};

export function judgeKey(headers: ServedRequest['headers'], apiKey: string | undefined): ScriptedError | undefined {
  if (apiKey === undefined) return undefined;
  const bearer = String(headers.authorization ?? '').replace(/^bearer\s+/i, '');
  const given = String(headers['x-api-key'] ?? bearer);
  if (given === '') return unauthorised('x-api-key header is required');
  return isSecret(given, apiKey) ? undefined : unauthorised('invalid x-api-key');
}

/** The request comes from a page in a browser, with another host name or origin. */
export function judgeSender(headers: ServedRequest['headers'], port: number): ScriptedError | undefined {
  const stranger = findStranger({ headers, opensPage: false }, port);
  if (stranger === undefined) return undefined;
  const message = stranger === 'name' ? 'unknown host name' : 'requests from other sites are refused';
  return { status: 403, type: 'permission_error', message };
}

export function judgeBody(read: RequestBody, body: JsonValue | undefined): ScriptedError | undefined {
  if ('problem' in read)
    return read.problem === 'too large' ? tooLarge : invalidRequest(`The request body is ${read.problem}`);
  if (body === undefined) return invalidRequest('The request body is not valid JSON');
  return isObject(body) ? undefined : invalidRequest('Input should be a valid dictionary');
}

/** The API stops at the first violation; rules that its own endpoint no longer has do not count. */
export function judgeRequest(body: JsonObject, isCount: boolean, withRules: boolean): ScriptedError | undefined {
  const required = isCount ? ['messages', 'model'] : ['max_tokens', 'messages', 'model'];
  const missing = required.find((field) => body[field] === undefined);
  if (missing !== undefined) return invalidRequest(`${missing}: Field required`);
  if (!withRules) return undefined;
  const [violation] = checkRequest({ ...body, messages: body.messages }).filter(({ isFormer }) => isFormer !== true);
  if (violation === undefined) return undefined;
  const { status, message } = violation;
  return { status, type: status === 413 ? 'request_too_large' : 'invalid_request_error', message };
}

function unauthorised(message: string): ScriptedError {
  return { status: 401, type: 'authentication_error', message };
}
