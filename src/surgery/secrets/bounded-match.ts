// Matches a user's pattern in windows of text, with a timeout. Only ending its context stops a regular expression in
// JavaScript, and a hostile text can make a harmless pattern slow.
import vm from 'node:vm';
import { UserError } from '../../base/errors/errors.ts';

/** For at most 64 windows of 1,536 characters, each of which normally takes microseconds. */
const limitMs = 500;
/** Entering the context costs 0.2 ms, more than matching a window. */
const windowsAtOnce = 64;

const run = new vm.Script('found = texts.map((text) => [...text.matchAll(pattern)])');
let context: { texts: readonly string[]; pattern: RegExp; found: RegExpExecArray[][] } | undefined;

export function matchWindows(kind: string, pattern: RegExp, texts: readonly string[]): RegExpExecArray[][] {
  const found: RegExpExecArray[][] = [];
  for (let i = 0; i < texts.length; i += windowsAtOnce)
    found.push(...matchBounded(kind, pattern, texts.slice(i, i + windowsAtOnce)));
  return found;
}

function matchBounded(kind: string, pattern: RegExp, texts: readonly string[]): RegExpExecArray[][] {
  context ??= vm.createContext({ texts, pattern, found: [] }) as NonNullable<typeof context>; // returns its argument
  Object.assign(context, { texts, pattern, found: [] });
  try {
    run.runInContext(context, { timeout: limitMs });
  } catch (error) {
    // From the other context, where Error is another class.
    if ((error as { code?: unknown } | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new UserError(
      `rule "${kind}" takes too long on a text`,
      'write its pattern with fewer or shorter repetitions',
    );
  }
  return context.found;
}
