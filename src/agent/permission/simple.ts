// Commands that run without asking and without a sandbox: pipes between a few programs with known flags and plain
// words. Everything else is asked for, so a gap in the list is a question, not a hole.
import { parseShell } from './parse.ts';

const word = String.raw`(?:[A-Za-z0-9_./=:@%+,-]+|'[A-Za-z0-9_./=:@%+, ^$*()[\]{}?|<>;&!#~-]*'|"[A-Za-z0-9_./=:@%+, -]*")`;
const pipeline = new RegExp(String.raw`^ *${word}(?: +${word})*(?: *\| *${word}(?: +${word})*)* *$`);

interface Program {
  readonly flags: RegExp;
  /** How many operands precede the files; `Infinity`: none is a file. */
  readonly texts: number;
}

const none = /^$/;
const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['ls', { flags: /^-[1aAdFhlrStR]+$/, texts: 0 }],
  ['cat', { flags: /^-[bEnsT]+$/, texts: 0 }],
  ['head', { flags: /^-(?:[nc]?\d+|[nc])$/, texts: 0 }],
  ['tail', { flags: /^-(?:[nc]?\d+|[nc])$/, texts: 0 }],
  ['wc', { flags: /^-[clmw]+$/, texts: 0 }],
  ['nl', { flags: none, texts: 0 }],
  ['stat', { flags: none, texts: 0 }],
  ['sort', { flags: /^-[bdfgnru]+$/, texts: 0 }],
  ['cut', { flags: /^-[dfc][\w,:-]*$/, texts: 0 }],
  ['grep', { flags: /^-(?:[EFHchilnoqsvwx]+|[ABC]\d+)$/, texts: 1 }],
  ['find', { flags: /^-(?:name|iname|type|maxdepth|mindepth|newer|size|empty)$/, texts: 0 }],
  ['uniq', { flags: /^-[cdiu]+$/, texts: Number.POSITIVE_INFINITY }],
  ['cd', { flags: none, texts: 0 }],
  ['pwd', { flags: none, texts: Number.POSITIVE_INFINITY }],
  ['echo', { flags: none, texts: Number.POSITIVE_INFINITY }],
  ['true', { flags: none, texts: Number.POSITIVE_INFINITY }],
  ['whoami', { flags: none, texts: Number.POSITIVE_INFINITY }],
]);

/** The files that a simple command reads; `undefined` for a command that is not simple. */
export function simpleReads(text: string): readonly string[] | undefined {
  if (!pipeline.test(text)) return undefined;
  const reads = parseShell(text).commands.map(({ words, assignments }) => {
    const [name = '', ...args] = words.map(({ value }) => value);
    const { flags, texts } = programs.get(name) ?? { flags: none, texts: 0 };
    const operands = args.filter((arg) => !arg.startsWith('-'));
    const isKnown = assignments.length === 0 && args.every((arg) => !arg.startsWith('-') || flags.test(arg));
    const isBounded = (name !== 'uniq' || operands.length === 0) && (name !== 'cd' || operands.length === 1);
    return programs.has(name) && isKnown && isBounded ? operands.slice(texts).filter((file) => file !== '') : undefined;
  });
  return reads.includes(undefined) ? undefined : reads.flatMap((files) => files ?? []);
}
