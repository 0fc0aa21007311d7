// Why a question has no answer, on its way from wherever that shows to the status line of the response.
import { exitCodes, systemErrorCode, UserError } from '../../base/errors.ts';
import type { Failure } from '../wire.ts';

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

/** Whatever was thrown, as it is sent: what a person did wrong in its own words, a bug without any of its insides. */
export function failureOf(error: unknown): StatusFailure {
  if (error instanceof Refusal) return { status: error.status, error: error.message, next: error.next };
  if (error instanceof UserError) {
    const [message = '', ...next] = error.message.split('; ');
    // By its name: the thread that answers loads no database.
    const usual = error.name === 'IndexUnavailable' ? 503 : 400;
    return { status: error.exitCode === exitCodes.refused ? 409 : usual, error: message, next: next.join('; ') };
  }
  const code = systemErrorCode(error);
  if (code === 'ENOENT') return { status: 404, error: 'the file is gone', next: 'go back to the list' };
  if (code !== undefined) return { status: 503, error: `the disk does not answer (${code})`, next: 'try again' };
  return { status: 500, error: 'something went wrong inside of Clew', next: 'the terminal it runs in says more' };
}
