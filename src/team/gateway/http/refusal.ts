// An answer that is not what the sender wanted: its status, one line, and for the store's errors their code.
import { UserError } from '../../../base/errors/index.ts';
import { asString } from '../../../base/json/index.ts';
import { isPassing } from '../../database/index.ts';
import { OtlpError } from '../otlp/index.ts';
import { MalformedError } from '../push/index.ts';

export class Refusal extends Error {
  readonly status: number;
  /** Of PostgreSQL, for `isPassing` at the other end. */
  readonly code: string | undefined;
  /** Seconds. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, { code, retryAfter }: { code?: string; retryAfter?: number } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** `undefined` for a mistake of this program. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof MalformedError) return new Refusal(400, error.message);
  if (error instanceof OtlpError) return new Refusal(error.isTooLarge ? 413 : 400, error.message);
  return error instanceof UserError ? undefined : storeRefusal(error);
}

/** Never the message of PostgreSQL: it may quote a row. */
function storeRefusal(error: unknown): Refusal | undefined {
  const code = asString((error as { readonly code?: unknown } | undefined)?.code);
  if (code === undefined) return undefined;
  if (isPassing(error)) {
    // Codes of this machine's network mean nothing at the other end.
    const known = /^[0-9A-Z]{5}$/.test(code) ? code : '08006';
    return new Refusal(503, 'the store cannot be reached now', { code: known, retryAfter: 5 });
  }
  if (code === 'CL001') return new Refusal(403, 'the store does not know this person', { code });
  if (code === 'CL002') return new Refusal(409, 'the store asks for less', { code });
  if (code === 'CL003') return new Refusal(400, 'a month is out of range', { code });
  if (code === '42501') return new Refusal(403, 'the store does not allow this', { code });
  return /^2[23]/.test(code) || code === '42601' || code === '54000'
    ? new Refusal(400, `the store does not accept a value (${code})`, { code })
    : undefined;
}
