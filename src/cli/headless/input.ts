// Builds the prompt of a headless run: the argument, then the piped input.
import type { Readable } from 'node:stream';
import { type Agent, isPermissionMode } from '../../agent/contract/index.ts';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, isObject, type JsonObject, parseJson } from '../../base/json/index.ts';

export type PromptContent = string | readonly JsonObject[];

export interface InputStream extends Readable {
  readonly isTTY?: boolean;
}

/** More than any model reads. */
const maxPromptBytes = 10 * 1024 * 1024;
/** The parent process may leave a pipe open without ever writing to it. */
const silenceMs = 3000;

export async function readPrompt(typed: string | undefined, stdin: InputStream, signal: AbortSignal): Promise<string> {
  const piped = stdin.isTTY === true ? '' : await readPiped(stdin, typed !== undefined, signal);
  const prompt = [typed ?? '', piped.replace(/\n+$/, '')].filter((text) => text.trim() !== '').join('\n');
  if (prompt === '' && !signal.aborted)
    throw new UserError('there is no prompt', 'write one after -p and before flags that take lists, or pipe it in');
  return prompt;
}

async function readPiped(stdin: Readable, isOptional: boolean, signal: AbortSignal): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  const stop = (): void => void stdin.destroy();
  const silence = isOptional ? setTimeout(stop, silenceMs) : undefined;
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const piece of stdin) {
      clearTimeout(silence);
      pieces.push(piece as Buffer);
      size += (piece as Buffer).length;
      if (size > maxPromptBytes)
        throw new UserError(
          'the piped input is larger than 10 MB',
          'write it to a file and name the file in the prompt',
        );
    }
  } catch (error) {
    // We ended it: the input so far is complete.
    if (!stdin.destroyed || error instanceof UserError) throw error;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', stop);
  }
  return Buffer.concat(pieces).toString('utf8');
}

interface ControlRequest {
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

export async function answerControl(request: ControlRequest, agent: Agent): Promise<JsonObject> {
  const outcome = await handleRequest(request, agent);
  const response =
    'problem' in outcome
      ? { subtype: 'error', request_id: request.id, error: outcome.problem }
      : { subtype: 'success', request_id: request.id, response: outcome };
  return { type: 'control_response', response };
}

async function handleRequest({ subtype, body }: ControlRequest, agent: Agent): Promise<JsonObject> {
  switch (subtype) {
    case 'initialize':
      return { commands: agent.state.commands.map(({ name, description }) => ({ name, description })) };
    case 'interrupt':
      agent.interrupt();
      return {};
    case 'set_permission_mode':
      if (!isPermissionMode(body.mode)) return { problem: 'unknown permission mode' };
      await agent.setMode(body.mode);
      return { mode: body.mode };
    case 'set_model': {
      const model = asString(body.model);
      if (model === undefined || model.trim() === '') return { problem: 'no model given' };
      try {
        agent.setModel(model);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return { problem: error.message };
      }
      return {};
    }
    default:
      return {
        problem: `"${subtype}" is not supported; choose initialize, interrupt, set_permission_mode, set_model`,
      };
  }
}
