// The file of `--debug-file`: a line for every step of a run, with its time. It is appended to, and only its owner may
// read it.
import { appendFileSync, closeSync, openSync } from 'node:fs';
import path from 'node:path';
import type { AgentEvent } from '../../agent/contract/index.ts';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';

export class DebugLog {
  readonly #file: string;

  /** Throws a `UserError` if the file cannot be written. */
  constructor(file: string, cwd: string) {
    this.#file = path.resolve(cwd, file);
    try {
      closeSync(openSync(this.#file, 'a', 0o600));
    } catch (error) {
      const why = systemErrorCode(error) ?? String(error);
      throw new UserError(`cannot write ${file} (${why})`, 'give --debug-file another path');
    }
  }

  write(event: AgentEvent): void {
    const text = stepText(event);
    if (text === undefined) return;
    const agent = event.agent === undefined ? '' : ` agent ${event.agent.agentId}`;
    appendFileSync(this.#file, `${event.at.toISOString()} ${event.type}${agent}${text === '' ? '' : `: ${text}`}\n`);
  }
}

const maxChars = 2000;

function stepText(event: AgentEvent): string | undefined {
  switch (event.type) {
    // One per piece of an answer.
    case 'part':
    case 'call-progress':
    case 'prompt-frozen':
      return undefined;
    case 'session-opened':
      return `${event.sessionId} in ${event.cwd}, model ${event.model}, mode ${event.mode}`;
    case 'request':
      return `${event.model}, attempt ${event.attempt}`;
    case 'answer':
      return `${event.stopReason ?? 'no stop reason'} after ${event.durationMs} ms, ${jsonText(event.usage)}`;
    case 'retry':
      return `in ${event.delayMs} ms (${event.attempt} of ${event.maxRetries}): ${event.error.kind}, ${event.error.message}`;
    case 'request-failed':
      return `${event.error.kind}, ${event.error.message}`;
    case 'call':
      return cut(`${event.call.name} ${jsonText(event.call.input)}`);
    case 'result':
      return `${event.call.name} ${event.outcome.isError ? 'failed' : 'succeeded'}${event.refused === undefined ? '' : `, refused: ${event.refused}`}`;
    case 'hook':
      return cut(`${event.event} ran ${event.command}${event.message === undefined ? '' : `: ${event.message}`}`);
    case 'notice':
      return cut(`${event.level}, ${event.text}`);
    case 'turn-end':
      return `${event.outcome}, ${event.rounds} requests, ${event.durationMs} ms`;
    default:
      return '';
  }
}

function cut(text: string): string {
  const line = text.replaceAll('\n', '\\n');
  return line.length <= maxChars ? line : `${line.slice(0, maxChars).toWellFormed()}…`;
}
