// The input of a headless run with `--input-format stream-json`: lines → prompts, requests and answers of the program
// that writes them. A line that is not one of these ends the input; a message of an unknown type is reported and skipped.
import type { Readable } from 'node:stream';
import { UserError } from '../../../base/errors/index.ts';
import { asObject, asString, isArray, isObject, type JsonObject, parseJson } from '../../../base/json/index.ts';
import { isUuid } from '../../../base/text/index.ts';

export type PromptContent = string | readonly JsonObject[];

export interface HostPrompt {
  readonly content: PromptContent;
  /** The id that the program gave the message. */
  readonly uuid?: string;
}

export interface ControlRequest {
  readonly id: string;
  readonly subtype: string;
  readonly body: JsonObject;
}

export type HostMessage =
  | { readonly kind: 'prompt'; readonly prompt: HostPrompt }
  | { readonly kind: 'request'; readonly request: ControlRequest }
  | { readonly kind: 'response'; readonly message: JsonObject }
  | { readonly kind: 'cancel'; readonly requestId: string }
  /** A message that is skipped, and why. */
  | { readonly kind: 'skipped'; readonly problem: string };

/** The API accepts 32 MB per request. */
const maxLineBytes = 64 * 1024 * 1024;

/** Fails with a `UserError` at the first line that is not a message. */
export async function* readMessages(stdin: Readable, signal: AbortSignal): AsyncGenerator<HostMessage> {
  let number = 0;
  for await (const line of readLines(stdin, signal)) {
    number++;
    if (line.trim() === '') continue;
    const message = readMessage(line, number);
    if (message !== undefined) yield message;
  }
}

async function* readLines(stdin: Readable, signal: AbortSignal): AsyncGenerator<string> {
  const stop = (): void => void stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  let rest: Buffer[] = [];
  let restBytes = 0;
  try {
    for await (const piece of stdin as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
        yield Buffer.concat([...rest, piece.subarray(from, end)]).toString('utf8');
        [rest, restBytes, from] = [[], 0, end + 1];
      }
      rest.push(piece.subarray(from));
      restBytes += piece.length - from;
      if (restBytes > maxLineBytes) throw new UserError('a line of the input is longer than 64 MB', 'send it in parts');
    }
    if (restBytes > 0) yield Buffer.concat(rest).toString('utf8');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function readMessage(line: string, number: number): HostMessage | undefined {
  const value = asObject(parseJson(line));
  if (value === undefined) throw refusal(number, 'is not a JSON object');
  switch (value.type) {
    case 'user':
      if (value.shouldQuery === false)
        return skipped(number, 'a prompt with shouldQuery false, which is not supported');
      return { kind: 'prompt', prompt: readPrompt(value, number) };
    case 'control_request':
      return readRequest(value, number);
    case 'control_response':
      return { kind: 'response', message: value };
    case 'control_cancel_request': {
      const requestId = asString(value.request_id);
      return requestId === undefined
        ? skipped(number, 'a control_cancel_request without a request_id')
        : { kind: 'cancel', requestId };
    }
    case 'keep_alive':
      return undefined;
    default:
      return skipped(number, `a message of the type ${JSON.stringify(value.type ?? null).slice(0, 100)}`);
  }
}

function readRequest(value: JsonObject, number: number): HostMessage {
  const id = asString(value.request_id);
  if (id === undefined) return skipped(number, 'a control_request without a request_id, which cannot be answered');
  const body = asObject(value.request) ?? {};
  return { kind: 'request', request: { id, subtype: asString(body.subtype) ?? '', body } };
}

function skipped(number: number, what: string): HostMessage {
  return { kind: 'skipped', problem: `line ${number} of the input is skipped: ${what}` };
}

function readPrompt(value: JsonObject, number: number): HostPrompt {
  const uuid = asString(value.uuid);
  const content = asTyped(contentOf(value, number), value.client_composed === true);
  return { content, ...(uuid !== undefined && isUuid(uuid) ? { uuid: uuid.toLowerCase() } : {}) };
}

/** The SDK sends a typed prompt as one block. Commands and mentions are expanded in a text, never in blocks. */
function asTyped(content: PromptContent, isComposed: boolean): PromptContent {
  if (isComposed) return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (typeof content === 'string' || content.length !== 1) return content;
  const [{ type, text, ...more } = {}] = content;
  return type === 'text' && typeof text === 'string' && Object.keys(more).length === 0 ? text : content;
}

function contentOf(value: JsonObject, number: number): PromptContent {
  const content = asObject(value.message)?.content;
  if (typeof content === 'string' && content.trim() !== '') return content;
  if (isArray(content) && content.length > 0 && content.every(isPromptBlock)) return content.filter(isObject);
  throw refusal(number, 'needs a message.content: text, or a list of text, image or document blocks');
}

function isPromptBlock(value: unknown): boolean {
  return isObject(value) && (value.type === 'text' || value.type === 'image' || value.type === 'document');
}

function refusal(number: number, what: string): UserError {
  return new UserError(
    `line ${number} of the input ${what}`,
    'send {"type":"user","message":{"role":"user","content":"…"}}',
  );
}
