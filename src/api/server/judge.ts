// Decides whether the API would refuse a request before a model sees it: its key, its body, its required fields, and
// the rules of `apiRules`.
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { systemErrorCode } from '../../base/errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { findStranger, isSecret } from '../../base/process/index.ts';
import { checkRequest } from '../rules/index.ts';
import { invalidRequest, type ScriptedError, type ServedRequest } from './script.ts';

/** A little more than the API's 32 MB, which the rule for bytes checks. */
export const maxBodyBytes: number = 33 * 1024 * 1024;
/** A larger body is not read to its end. */
const maxDrainedBytes = 8 * maxBodyBytes;

type RequestBody =
  | { readonly bytes: Buffer }
  | { readonly problem: 'too large' | 'not encoded as declared' | 'in an unknown encoding' };

const unpackers: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

export async function readRequestBody(incoming: IncomingMessage): Promise<RequestBody> {
  const packed = await readBytes(incoming);
  if (packed === undefined) return { problem: 'too large' };
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return { bytes: packed };
  const unpack = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined;
  if (unpack === undefined) return { problem: 'in an unknown encoding' };
  try {
    return { bytes: await unpack(packed, { maxOutputLength: maxBodyBytes }) };
  } catch (error) {
    return { problem: systemErrorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'not encoded as declared' };
  }
}

async function readBytes(incoming: IncomingMessage): Promise<Buffer | undefined> {
  let chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= maxBodyBytes) chunks.push(chunk);
    else chunks = [];
    if (length > maxDrainedBytes) return undefined;
  }
  return length > maxBodyBytes ? undefined : Buffer.concat(chunks);
}

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
