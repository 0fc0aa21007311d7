// Reads the lines of `--input-format stream-json` (the format of Claude Code's Agent SDK): prompts in order, and
// control requests, which are answered immediately, also during a turn.
import type { Readable } from 'node:stream';
import { UserError } from '../../base/errors/errors.ts';
import { asObject, asString, isArray, isObject, type JsonObject, parseJson } from '../../base/json/json.ts';
import type { PromptContent } from './input.ts';

export interface ControlRequest {
  readonly id: string;
  readonly subtype: string;
  readonly body: JsonObject;
}

export type InputMessage =
  | { readonly kind: 'prompt'; readonly content: PromptContent }
  | { readonly kind: 'control'; readonly request: ControlRequest };

/** The API accepts 32 MB per request. */
const maxLineBytes = 64 * 1024 * 1024;

/** Fails with a `UserError` at the first line that is not a message. */
export async function* readMessages(stdin: Readable, signal: AbortSignal): AsyncGenerator<InputMessage> {
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

function readMessage(line: string, number: number): InputMessage | undefined {
  const value = asObject(parseJson(line));
  if (value === undefined) throw refusal(number, 'is not a JSON object');
  switch (value.type) {
    case 'user':
      return { kind: 'prompt', content: contentOf(value, number) };
    case 'control_request': {
      const body = asObject(value.request) ?? {};
      const id = asString(value.request_id) ?? '';
      return { kind: 'control', request: { id, subtype: asString(body.subtype) ?? '', body } };
    }
    case 'control_response':
    case 'control_cancel_request':
    case 'keep_alive':
      return undefined;
    default:
      throw refusal(number, 'has a type other than "user" and "control_request"');
  }
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
