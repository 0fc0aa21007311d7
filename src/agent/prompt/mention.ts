// Finds the files that a text mentions with `@`, for prompts, commands and imports: `@` after a space or an opening
// bracket, a path without spaces or in quotes, an optional `#L10-20`; nothing inside code.

export interface Mention {
  /** As written, and without punctuation at the end: the first path that exists is used. */
  readonly candidates: readonly string[];
  readonly lines?: { readonly from: number; readonly to: number };
}

const maxMentions = 100;

export function findMentions(text: string): readonly Mention[] {
  const found = new Map<string, Mention>();
  const pattern = /(?<=^|[\s([{<"',;])@(?:"([^"\n]{1,1000})"|((?:\\ |[^\s"`\\]){1,1000}))(#L\d{1,9}(?:-L?\d{1,9})?)?/gm;
  for (const match of withoutCode(text).matchAll(pattern)) {
    const mention = readMention(match[1], match[2] ?? '', match[3]);
    if (mention.candidates.length === 0) continue;
    found.set(`${mention.candidates[0]}#${mention.lines?.from}-${mention.lines?.to}`, mention);
    if (found.size >= maxMentions) break;
  }
  return [...found.values()];
}

function readMention(quoted: string | undefined, bare: string, rangeAfter: string | undefined): Mention {
  if (quoted !== undefined) return { candidates: [quoted], ...readLineBatches(rangeAfter) };
  const whole = bare.slice(0, punctuationStart(bare));
  const mark = whole.lastIndexOf('#L');
  const range = mark < 0 ? {} : readLineBatches(whole.slice(mark));
  const written = range.lines === undefined ? [bare, whole] : [whole.slice(0, mark)];
  const candidates = [...new Set(written.map((each) => each.replaceAll('\\ ', ' ')))].filter((each) => each !== '');
  return { candidates, ...range };
}

function punctuationStart(text: string): number {
  let end = text.length;
  while (end > 0 && ".,;:!?)]}>'*".includes(text.charAt(end - 1))) end -= 1;
  return end;
}

function readLineBatches(range: string | undefined): Pick<Mention, 'lines'> {
  const numbers = /^#L(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(range ?? '');
  if (numbers === null) return {};
  const from = Math.max(1, Number(numbers[1]));
  return { lines: { from, to: Math.max(from, Number(numbers[2] ?? from)) } };
}

/** The text with spaces in place of fenced code and code spans; same length. */
export function withoutCode(text: string): string {
  const parts: string[] = [];
  let fence: { readonly char: string; readonly length: number } | undefined;
  let open: string[] = [];
  const flush = (): void => {
    if (open.length > 0) parts.push(withoutSpans(open.join('')));
    open = [];
  };
  for (const line of text.split(/(?<=\n)/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)/.exec(line);
    if (fence !== undefined) {
      parts.push(blank(line));
      const run = mark?.[1] ?? '';
      if (run.startsWith(fence.char) && run.length >= fence.length && mark?.[2]?.trim() === '') fence = undefined;
    } else if (mark?.[1] !== undefined && !(mark[1].startsWith('`') && (mark[2] ?? '').includes('`'))) {
      flush();
      fence = { char: mark[1].charAt(0), length: mark[1].length };
      parts.push(blank(line));
    } else {
      open.push(line);
      // A code span ends with its paragraph.
      if (line.trim() === '') flush();
    }
  }
  flush();
  return parts.join('');
}

function withoutSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)];
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < runs.length; at++) {
    const start = runs[at];
    let close = at + 1;
    while (close < runs.length && runs[close]?.[0].length !== start?.[0].length) close += 1;
    const end = runs[close];
    if (start === undefined || end === undefined) continue;
    parts.push(text.slice(copied, start.index), blank(text.slice(start.index, end.index + end[0].length)));
    copied = end.index + end[0].length;
    at = close;
  }
  return `${parts.join('')}${text.slice(copied)}`;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
