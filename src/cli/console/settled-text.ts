// A Markdown text that is still growing → the part whose look can no longer change, and the rest. What is settled goes
// to the scrollback, so that a long answer can be read while it comes and the live part of the screen stays small.

export interface SplitText {
  readonly settled: string;
  readonly rest: string;
}

/** Cuts before the last block that starts at the margin behind a blank line, outside of fenced code. */
export function splitSettled(text: string): SplitText {
  let fence: string | undefined;
  let isAfterBlank = false;
  let cut = 0;
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf('\n', start);
    // A line that is not finished may still become anything.
    if (end < 0) break;
    const line = text.slice(start, end);
    if (fence === undefined && isAfterBlank && startsBlock(line)) cut = start;
    fence = fenceAfter(fence, line);
    isAfterBlank = line.trim() === '';
    start = end + 1;
  }
  return { settled: text.slice(0, cut), rest: text.slice(cut) };
}

/** Indented lines, list items and quotes may belong to what stands above the blank line. */
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
