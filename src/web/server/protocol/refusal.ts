// An error with the status of its response, and what every other error is answered with.
import { exitCodes, systemErrorCode, UserError } from '../../../base/errors/index.ts';
import type { Failure } from '../../wire/index.ts';

export class Refusal extends Error {
  readonly status: number;
  readonly next: string;

  constructor(status: number, message: string, next = '') {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.next = next;
  }
}

export interface StatusFailure extends Failure {
  readonly status: number;
}

/** What is sent for an error. Mistakes of the user keep their message; bugs reveal nothing. */
export function failureOf(error: unknown): StatusFailure {
  if (error instanceof Refusal) return { status: error.status, error: error.message, next: error.next };
  if (error instanceof UserError) {
    const [message = '', ...next] = error.message.split('; ');
    // By name: the server's thread does not load the database.
    const usual = error.name === 'IndexUnavailable' ? 503 : 400;
    return { status: error.exitCode === exitCodes.refused ? 409 : usual, error: message, next: next.join('; ') };
  }
  const code = systemErrorCode(error);
  if (code === 'ENOENT') return { status: 404, error: 'the file no longer exists', next: 'go back to the list' };
  if (code !== undefined) return { status: 503, error: `reading the disk failed (${code})`, next: 'try again' };
  return { status: 500, error: 'internal error', next: 'see the terminal where clew open runs' };
}
