// The commands that only read, and what would make each of them do more: flags that write or run something, operands
// that are written to, scripts in a language of their own. Unknown commands and unclear words are not read-only.
import { isAbbreviation, operandsOf } from './arguments.ts';
import { checkGit } from './read-only-git.ts';
import { isLiteral, type ShellWord } from './script.ts';

/** `paths`: what it may read, to be judged one by one; `problem`: why this use of it is not just reading. */
export type ReadCheck = { readonly paths: readonly ShellWord[] } | { readonly problem: string };

export interface Reader {
  /** Short flags that do more than read. */
  readonly letters?: string;
  /** Long options that do more than read; an abbreviation of one counts as it. */
  readonly options?: readonly string[];
  /** Words that do more than read, for commands with flags of their own style. */
  readonly words?: readonly string[];
  /** The first operand is a pattern or a program, not a file. */
  readonly hasPattern?: boolean;
  /** `-e` takes a pattern. */
  readonly hasPatternFlag?: boolean;
  /** Operands are no files. */
  readonly isPlain?: boolean;
  /** More to say about the arguments: a problem, or `undefined`. */
  readonly look?: (args: readonly string[]) => string | undefined;
}

const files: Reader = {};
const plain: Reader = { isPlain: true };

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...['cat', 'head', 'tac', 'nl', 'rev', 'cut', 'fold', 'expand', 'unexpand', 'paste', 'join', 'comm', 'cmp'].map(
    named(files),
  ),
  ...['md5sum', 'sha1sum', 'sha256sum', 'sha512sum', 'cksum', 'od', 'hexdump', 'strings', 'stat', 'column'].map(
    named(files),
  ),
  ...['tail', 'realpath', 'readlink', 'ls', 'df'].map(named(files)),
  ...['pwd', 'true', 'false', ':', 'echo', 'basename', 'dirname', 'seq', 'sleep', 'whoami', 'id', 'uname', 'arch'].map(
    named(plain),
  ),
  ...['tr', 'nproc', 'uptime', 'tty', 'which', 'type', 'expr', 'groups', 'locale'].map(named(plain)),
  // `test -v 'a[$(…)]'` runs what it is given.
  ['test', { letters: 'v' }],
  ['[', { letters: 'v' }],
  ['base64', { letters: 'o', options: ['output'] }],
  ['printf', { isPlain: true, letters: 'v' }],
  ['wc', { options: ['files0-from'] }],
  ['du', { letters: 'L', options: ['files0-from', 'dereference'] }],
  ['diff', { letters: 'l', options: ['paginate'] }],
  ['file', { letters: 'Cmf', options: ['compile', 'magic-file', 'files-from'] }],
  ['sort', { letters: 'oT', options: ['output', 'compress-program', 'temporary-directory', 'files0-from'] }],
  ['uniq', { look: (args) => (operandsOf(args).length > 1 ? 'uniq writes its second operand' : undefined) }],
  ['tree', { letters: 'oRl', options: ['output'] }],
  ['date', { isPlain: true, letters: 'sf', options: ['set', 'file'], look: onlyFormats }],
  ['grep', { hasPattern: true, hasPatternFlag: true, letters: 'R', options: ['dereference-recursive'] }],
  ['egrep', { hasPattern: true, hasPatternFlag: true, letters: 'R', options: ['dereference-recursive'] }],
  ['fgrep', { hasPattern: true, hasPatternFlag: true, letters: 'R', options: ['dereference-recursive'] }],
  [
    'rg',
    {
      hasPattern: true,
      hasPatternFlag: true,
      letters: 'Lz',
      options: ['follow', 'pre', 'hostname-bin', 'search-zip', 'ignore-file'],
    },
  ],
  [
    'find',
    {
      words: [
        '-delete',
        '-exec',
        '-execdir',
        '-ok',
        '-okdir',
        '-fprint',
        '-fprint0',
        '-fprintf',
        '-fls',
        '-files0-from',
        '-L',
        '-follow',
      ],
    },
  ],
  ['jq', { hasPattern: true, letters: 'L', look: checkJq }],
  ['sed', { hasPattern: true, look: checkSed }],
  ['awk', { hasPattern: true, look: checkAwk }],
  ['git', { look: checkGit }],
]);

const versioned = new Set([
  'node',
  'npm',
  'npx',
  'yarn',
  'pnpm',
  'bun',
  'deno',
  'tsc',
  'python',
  'python3',
  'pip',
  'git',
  'cargo',
  'rustc',
  'go',
  'java',
  'ruby',
  'make',
  'cmake',
  'gcc',
  'clang',
  'docker',
  'gh',
  'bash',
]);

/** `undefined` for a command that is not known to be a reader. */
export function checkReadOnly(words: readonly ShellWord[]): ReadCheck | undefined {
  const [head, ...rest] = words;
  if (head === undefined || !isLiteral(head)) return undefined;
  const args = rest.map(({ value }) => value);
  if (
    versioned.has(head.value) &&
    args.length === 1 &&
    /^(?:--version|-v|-V)$/.test(args[0] ?? '') &&
    head.value !== 'git'
  )
    return { paths: [] };
  if (head.value === 'command' && /^-[vV]$/.test(args[0] ?? '')) return { paths: [] };
  const reader = readers.get(head.value);
  if (reader === undefined) return undefined;
  const problem = unclear(head.value, rest, reader) ?? forbidden(head.value, args, reader) ?? reader.look?.(args);
  if (problem !== undefined) return { problem };
  return { paths: reader.isPlain ? rest.filter((word) => word.expands.has('glob')) : pathWords(rest, reader) };
}

function unclear(name: string, words: readonly ShellWord[], reader: Reader): string | undefined {
  const hidden = words.find(({ expands }) => expands.has('variable') || expands.has('brace') || expands.has('command'));
  if (hidden !== undefined) return `what ${name} reads depends on ${hidden.raw}`;
  const hasLimits = (reader.letters ?? reader.options ?? reader.words ?? reader.look) !== undefined;
  // A file may be named like a flag.
  const flagLike = hasLimits && words.find(({ raw, expands }) => expands.has('glob') && /^[*?[]/.test(raw));
  return flagLike ? `${flagLike.raw} may stand for a flag of ${name}` : undefined;
}

function forbidden(name: string, args: readonly string[], reader: Reader): string | undefined {
  const end = args.indexOf('--');
  const flags = args.slice(0, end < 0 ? args.length : end).filter((arg) => arg.startsWith('-') && arg !== '-');
  const bad = flags.find((flag) => {
    if (reader.words !== undefined) return reader.words.includes(flag);
    if (flag.startsWith('--')) return isAbbreviation(flag, reader.options ?? []);
    return [...(reader.letters ?? '')].some((letter) => flag.includes(letter));
  });
  return bad === undefined ? undefined : `${name} ${bad} does more than read`;
}

/** Whatever may be a file: operands, and values glued to flags. */
function pathWords(words: readonly ShellWord[], reader: Reader): readonly ShellWord[] {
  const givesPattern = words.some(({ value }) => /^(?:-[a-zA-Z]*[ef]|--(?:re|f|type-list))/.test(value));
  let skips = reader.hasPattern === true && !givesPattern ? 1 : 0;
  let isOver = false;
  const patternAt = reader.hasPatternFlag === true ? findPattern(words) : -1;
  return words.flatMap((word, i) => {
    if (i === patternAt) return [];
    if (!isOver && word.value === '--') {
      isOver = true;
      return [];
    }
    if (!isOver && word.value.startsWith('-')) return gluedPath(word);
    if (skips > 0) {
      skips -= 1;
      return [];
    }
    // `git show HEAD:file`
    const inside = /^[^/:]+:(.+)$/.exec(word.value)?.[1];
    return inside === undefined ? [word] : [word, { ...word, value: inside, raw: inside }];
  });
}

/** After `-e`, with only flags before it that take no value: else `-e` itself may be the value. */
function findPattern(words: readonly ShellWord[]): number {
  const first = words.findIndex(({ value }) => !/^-[inrwEFlchovHsqxP]+$/.test(value));
  return words[first]?.value === '-e' ? first + 1 : -1;
}

function gluedPath(word: ShellWord): readonly ShellWord[] {
  const value = /^--[\w-]+=(.*)$/s.exec(word.value)?.[1] ?? /^-[a-zA-Z](?=.*[/~]|\.\.)(.*)$/s.exec(word.value)?.[1];
  return value === undefined || value === '' ? [] : [{ ...word, value, raw: value }];
}

function onlyFormats(args: readonly string[]): string | undefined {
  const isSafe = args.every(
    (arg) => arg.startsWith('+') || /^-(?:u|-utc|I\w*|-iso-8601(?:=\w+)?|R|-rfc-\w+(?:=\w+)?)$/.test(arg),
  );
  return isSafe ? undefined : 'date may set the clock';
}

function checkSed(args: readonly string[]): string | undefined {
  const flags = args.filter((arg) => arg.startsWith('-') && arg !== '-');
  const script = operandsOf(args)[0] ?? '';
  const steps = /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?|\/(?:[^/\\\n]|\\.)*\/)?[pdq=](?:;(?:\d+|\$)[pdq=])*$/;
  const swap = /^s\/(?:[^/\\\n]|\\.)*\/(?:[^/\\\n]|\\.)*\/[gpiI0-9]*$/;
  const isSafe = flags.every((flag) => /^-[nEru]+$/.test(flag)) && (steps.test(script) || swap.test(script));
  return isSafe ? undefined : 'sed may write files or run commands';
}

function checkAwk(args: readonly string[]): string | undefined {
  const flags = args.filter((arg) => arg.startsWith('-') && arg !== '-');
  const script = operandsOf(args)[0] ?? '';
  const isSafe = flags.every((flag) => /^-F[^/]?.?$/.test(flag) && flag.length > 2);
  const isTame = !/system|getline|close|ARG|ENVIRON|PROCINFO|[|><@]/.test(script);
  return isSafe && isTame ? undefined : 'awk may write files or run commands';
}

function checkJq(args: readonly string[]): string | undefined {
  const hasFile = args.some((arg) => /^-[a-zA-Z]*f|^--(?:f|l|raw|slurpf)/.test(arg));
  return hasFile || /\benv\b|\$ENV|\b(?:import|include|input_filename)\b/.test(operandsOf(args)[0] ?? '')
    ? 'jq may read more than the files it is given'
    : undefined;
}

function named(reader: Reader): (name: string) => [string, Reader] {
  return (name) => [name, reader];
}
