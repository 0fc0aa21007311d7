// Writes messages and results of a headless run to stdout in the requested format, and messages for the user to stderr.
// If the reader closes stdout, nothing more is written.

import { randomUUID } from 'node:crypto';
import type { AgentEvent, Compacted, RetryPlanned, SessionOpened } from '../../agent/contract/index.ts';
import { blockBody, failureBody, interruptedBody, promptBody, resultBody } from '../../agent/session/index.ts';
import { systemErrorCode } from '../../base/errors/index.ts';
import { asString, type JsonObject, jsonText } from '../../base/json/index.ts';
import type { CommandIo } from '../command/index.ts';
import { writeData, writeNotice } from '../terminal/index.ts';
import type { OutputFormat } from './options.ts';

export interface ReportOptions {
  readonly format: OutputFormat;
  readonly isVerbose: boolean;
  /** `SIGPIPE` if the reader has closed stdout; else the error of the output. */
  readonly onGone: (why: string) => void;
}

export class Report {
  readonly #io: CommandIo;
  readonly #options: ReportOptions;
  /** For one JSON text at the end: all messages if requested, or the last result. */
  readonly #kept: JsonObject[] = [];
  #isGone = false;

  constructor(io: CommandIo, options: ReportOptions) {
    this.#io = io;
    this.#options = options;
    // An error event without a listener would end the process.
    io.stdout.on('error', (error) => this.#leave(error));
    io.stderr.on('error', () => undefined);
  }

  async message(message: JsonObject): Promise<void> {
    if (this.#options.format === 'stream-json') await this.#write(`${jsonText(message)}\n`);
    else if (this.#options.format === 'json' && this.#options.isVerbose) this.#kept.push(message);
  }

  async result(result: JsonObject, errors: readonly string[]): Promise<void> {
    if (this.#options.format === 'stream-json') return this.#write(`${jsonText(result)}\n`);
    for (const error of errors) writeNotice(this.#io.stderr, error);
    if (this.#options.format === 'json') {
      if (!this.#options.isVerbose) this.#kept.length = 0;
      this.#kept.push(result);
      return;
    }
    const text = asString(result.result) ?? '';
    if (text !== '') await this.#write(`${text.trimEnd()}\n`);
  }

  /** After the last result. */
  async end(): Promise<void> {
    if (this.#options.format !== 'json' || this.#kept.length === 0) return;
    await this.#write(`${jsonText(this.#options.isVerbose ? this.#kept : this.#kept[0])}\n`);
  }

  /** Progress for a user who watches. */
  note(event: AgentEvent): void {
    const text = noteOf(event, this.#options.isVerbose && this.#options.format === 'text');
    if (text !== undefined) writeNotice(this.#io.stderr, text);
  }

  async #write(text: string): Promise<void> {
    if (this.#isGone) return;
    await new Promise<void>((resolve) => {
      writeData(this.#io.stdout, text, (error) => {
        if (error) this.#leave(error);
        resolve();
      });
    });
  }

  #leave(error: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const isReader = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'].includes(systemErrorCode(error) ?? '');
    if (!isReader) writeNotice(this.#io.stderr, `cannot write the output (${error.message})`);
    this.#options.onGone('SIGPIPE');
  }
}

const maxNoteChars = 200;

function noteOf(event: AgentEvent, isVerbose: boolean): string | undefined {
  if (event.type === 'notice') return event.level === 'info' && !isVerbose ? undefined : event.text;
  if (!isVerbose) return undefined;
  switch (event.type) {
    case 'call':
      return cut(`${event.call.name} ${jsonText(event.call.input)}`);
    case 'result':
      return event.outcome.isError ? `${event.call.name} failed` : undefined;
    case 'retry': {
      const seconds = (event.delayMs / 1000).toFixed(1);
      return `${event.error.message}; retrying in ${seconds} s (${event.attempt} of ${event.maxRetries})`;
    }
    case 'compacted':
      return 'problem' in event.result ? `not compacted: ${event.result.problem}` : 'the conversation was compacted';
    default:
      return undefined;
  }
}

function cut(text: string): string {
  return text.length <= maxNoteChars ? text : `${text.slice(0, maxNoteChars)}…`;
}

export interface MessageChoice {
  readonly withParts: boolean;
  /** Also the prompts, which the reader of the stream knows already. */
  readonly withPrompts: boolean;
  /** The variable that the key came from. */
  readonly keySource: string;
}

/** Returns `undefined` for an event without a message. */
export function messageOf(event: AgentEvent, sessionId: string, choice: MessageChoice): JsonObject | undefined {
  const parent = event.agent?.parentCallId ?? null;
  const common = { parent_tool_use_id: parent, session_id: sessionId };
  switch (event.type) {
    case 'session-opened':
      return { ...initMessage(event, choice.keySource), session_id: sessionId, uuid: randomUUID() };
    case 'prompt': {
      if (event.isSituation || (!event.isMeta && parent === null && !choice.withPrompts)) return undefined;
      const { message } = promptBody(event, 'default');
      return { type: 'user', message, ...common, uuid: event.uuid, ...(event.isMeta ? { isSynthetic: true } : {}) };
    }
    case 'block':
      return { type: 'assistant', message: blockBody(event).message, ...common, uuid: event.uuid };
    case 'result': {
      const { message } = resultBody(event, true);
      const { stored } = event.outcome;
      return { type: 'user', message, ...common, uuid: event.uuid, tool_use_result: stored };
    }
    case 'interrupted':
      return { type: 'user', message: interruptedBody(event).message, ...common, uuid: event.uuid };
    case 'request-failed': {
      const { message, error } = failureBody(event);
      return { type: 'assistant', message, ...common, uuid: event.uuid, error };
    }
    case 'part':
      return choice.withParts ? { type: 'stream_event', event: event.raw, ...common, uuid: randomUUID() } : undefined;
    case 'retry':
      return { ...retryMessage(event), ...common, uuid: event.uuid };
    case 'compacting':
      return { type: 'system', subtype: 'status', status: 'compacting', session_id: sessionId, uuid: randomUUID() };
    case 'compacted':
      return compactedMessage(event, sessionId);
    default:
      return undefined;
  }
}

function initMessage(event: SessionOpened, keySource: string): JsonObject {
  return {
    type: 'system',
    subtype: 'init',
    cwd: event.cwd,
    tools: event.tools,
    mcp_servers: event.mcpServers.map(({ name, status }) => ({ name, status })),
    model: event.model,
    permissionMode: event.mode,
    slash_commands: event.commands,
    agents: event.agents,
    apiKeySource: keySource,
  };
}

function retryMessage({ attempt, maxRetries, delayMs, error }: RetryPlanned): JsonObject {
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt,
    max_retries: maxRetries,
    retry_delay_ms: delayMs,
    error_status: error.status ?? null,
    error: error.kind,
    error_message: error.message,
  };
}

function compactedMessage({ trigger, preTokens, result }: Compacted, sessionId: string): JsonObject {
  const common = { session_id: sessionId, type: 'system' };
  if ('problem' in result)
    return { ...common, subtype: 'status', status: null, compact_error: result.problem, uuid: randomUUID() };
  return {
    ...common,
    subtype: 'compact_boundary',
    compact_metadata: { trigger, pre_tokens: preTokens },
    uuid: result.boundaryUuid,
  };
}
