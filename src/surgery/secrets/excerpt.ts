// A redacted text and where a placeholder is in it → what a person needs to recognise the finding: what is written before
// it on the line, and at most four characters of the value.
import { isRandomLetters } from './letter-pairs.ts';

/** `at` is where the placeholder begins, or -1 where the value is not in the text. */
export function excerptOf(value: string, redacted: string, at: number): string {
  return `${at < 0 ? '' : contextBefore(redacted, at)}${maskValue(value)}`;
}

/** A quarter of the value at most, so that little is known of a short one; not its length either. */
function maskValue(value: string): string {
  return `${[...value].slice(0, Math.min(4, Math.floor(value.length / 4))).join('')}${mask}`;
}

const mask = '********';
const longestContext = 32;

/** Secrets in there are placeholders already; what only looks like one is masked as well. */
function contextBefore(redacted: string, at: number): string {
  const start = Math.max(0, at - 4 * longestContext);
  const line =
    redacted
      .slice(start, at)
      .split(/[\r\n]|\\+[nr]/)
      .at(-1) ?? '';
  const plain = line.replaceAll(/\\+(["'/])/g, '$1');
  // Of JSON only the member that it is in.
  const member = /"[^"\s]{1,40}"\s*:\s*"?[^"]*$/.exec(plain)?.[0] ?? plain;
  const isCut = member.length > longestContext || (member === plain && start > 0 && line.length === at - start);
  const shown = member.slice(-longestContext);
  const whole = isCut ? shown.replace(/^[^\s"'`=]*/, '').trimStart() : shown;
  return whole.replaceAll(/[^\s"'`=:,;()[\]{}]{6,}/g, (word) =>
    /\d/.test(word) || isRandomLetters(word) ? '***' : word,
  );
}
