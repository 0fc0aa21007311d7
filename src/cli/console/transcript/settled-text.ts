// Splits a growing Markdown text into a part whose rendering can no longer change, and the rest. The settled part goes
// to the scrollback, so that the user can read a long answer while it arrives.

export interface SplitText {
  readonly settled: string;
  readonly rest: string;
}

/** Cuts before the last block that starts at the margin after a blank line, outside of fenced code. */
export function splitSettled(text: string): SplitText {
  let fence: string | undefined;
  let isAfterBlank = false;
  let cut = 0;
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf('\n', start);
    // An unfinished line may still change its meaning.
    if (end < 0) break;
    const line = text.slice(start, end);
    if (fence === undefined && isAfterBlank && startsBlock(line)) cut = start;
    fence = fenceAfter(fence, line);
    isAfterBlank = line.trim() === '';
    start = end + 1;
  }
  return { settled: text.slice(0, cut), rest: text.slice(cut) };
}

/** Indented lines, list items and quotes may belong to the text above the blank line. */
function startsBlock(line: string): boolean {
  return line.trim() !== '' && !/^(?:[ \t]|[-*+>] |[-*+]$|\d{1,9}[.)](?: |$)|\|)/.test(line);
}

function fenceAfter(open: string | undefined, line: string): string | undefined {
  const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
  if (mark === null) return open;
  const [, ticks = '', info = ''] = mark;
  if (open === undefined) return ticks;
  const closes = ticks[0] === open[0] && ticks.length >= open.length && info.trim() === '';
  return closes ? undefined : open;
}
