// What a user would read: the message and exit code of the `UserError` that ends a promise.
import { UserError } from '../../src/base/errors/errors.ts';

export interface Refusal {
  readonly message: string;
  readonly exitCode: number;
}

/** The refusal, or `undefined` where there is none; any other error is thrown on. */
export async function refusalOf(promise: Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return { message: error.message, exitCode: error.exitCode };
    throw error;
  }
}
