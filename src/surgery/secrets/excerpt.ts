// An excerpt that helps the user recognize a finding: the text before it on the line, and at most four characters of the
// value.
import { isRandomLetters } from './rules/letter-pairs.ts';

/** `at`: the position of the placeholder, or -1 if the value is not in the text. */
export function excerptOf(value: string, redacted: string, at: number): string {
  return `${at < 0 ? '' : contextBefore(redacted, at)}${maskValue(value)}`;
}

/** At most a quarter of the value, and not its length, to reveal little of a short one. */
function maskValue(value: string): string {
  return `${[...value].slice(0, Math.min(4, Math.floor(value.length / 4))).join('')}${mask}`;
}

const mask = '********';
const longestContext = 32;

/** Secrets are already placeholders; what looks like one is masked too. */
function contextBefore(redacted: string, at: number): string {
  const start = Math.max(0, at - 4 * longestContext);
  const line =
    redacted
      .slice(start, at)
      .split(/[\r\n]|\\+[nr]/)
      .at(-1) ?? '';
  const plain = line.replaceAll(/\\+(["'/])/g, '$1');
  // In JSON, only its member.
  const member = /"[^"\s]{1,40}"\s*:\s*"?[^"]*$/.exec(plain)?.[0] ?? plain;
  const isCut = member.length > longestContext || (member === plain && start > 0 && line.length === at - start);
  const shown = member.slice(-longestContext);
  const whole = isCut ? shown.replace(/^[^\s"'`=]*/, '').trimStart() : shown;
  return whole.replaceAll(/[^\s"'`=:,;()[\]{}]{6,}/g, (word) =>
    /\d/.test(word) || isRandomLetters(word) ? '***' : word,
  );
}
