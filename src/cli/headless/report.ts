// Writes messages and results of a headless run to stdout in the requested format, and messages for the user to stderr.
// If the reader closes stdout, nothing more is written.

import type { AgentEvent } from '../../agent/contract/index.ts';
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
    // The text of an error is on stderr already.
    const text = result.is_error === true ? '' : (asString(result.result) ?? '');
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
