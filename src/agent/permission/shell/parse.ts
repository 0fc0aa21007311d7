// A shell text → its simple commands, to be compared with rules. Only plain text is read exactly: words, quotes, variables,
// redirects, operators, groups. Anything else is a doubt: no rule with a pattern allows it, and for rules that deny, the
// text is cut at everything that could begin a command.

export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  /** Why the effect is not known before it runs, as ends of a sentence: "it uses command substitution". */
  readonly doubts: readonly string[];
  /** Too long to be compared with rules. */
  readonly isCut: boolean;
}

export interface ShellCommand {
  readonly assignments: readonly ShellWord[];
  readonly words: readonly ShellWord[];
  readonly redirects: readonly Redirect[];
}

export interface Redirect {
  readonly access: 'read' | 'write';
  readonly target: ShellWord;
}

export interface ShellWord {
  /** As written. */
  readonly raw: string;
  /** Without quotes and escapes. */
  readonly value: string;
  /** The command sees exactly `value`: the shell replaces nothing in it. */
  readonly isLiteral: boolean;
}

const maxLength = 50_000;
/** They look like a blank, or like nothing, and are a letter to the shell. */
const invisible =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xa0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff]/;
const keywords = /^(?:if|then|elif|else|fi|while|until|do|done|for|select|case|esac|function|coproc|\[\[)$/;

const doubtful: readonly (readonly [RegExp, string])[] = [
  [invisible, 'it contains invisible characters'],
  [/[^\s]\\\n|\\$/, 'it breaks a line inside a word'],
  [/\$\(\(|\(\(|\$\[/, 'it computes'],
  [/\$\(|`/, 'it uses command substitution'],
  [/[<>]\(/, 'it uses process substitution'],
  [/<<</, 'it feeds text to a command (<<<)'],
  [/<</, 'it uses a here-document'],
  [/\$\{(?!\w+\})/, 'it computes the value of a variable'],
  [/\$['"]/, "it uses $'…' quoting"],
];

export function parseShell(text: string): ShellScript {
  const isCut = text.length > maxLength;
  const shown = withoutQuoted(text.slice(0, maxLength));
  const doubts = doubtful.flatMap(([pattern, why]) => (pattern.test(shown) ? [why] : []));
  const exact = isCut || doubts.length > 0 ? undefined : readPlain(text);
  if (exact !== undefined && typeof exact !== 'string') return { commands: exact, doubts, isCut };
  const why = isCut ? ['it is too long to be checked'] : typeof exact === 'string' ? [exact] : doubts;
  return { commands: cutEverywhere(text.slice(0, maxLength)), doubts: why, isCut };
}

/** The text without what quotes and escapes make plain. It only finds words for a doubt: `readPlain` decides. */
function withoutQuoted(text: string): string {
  return text.replace(/\\[^\n]|"(?:[^"\\]|\\[\s\S])*"|\$'|'[^']*'/g, (quoted) => {
    if (quoted === "$'" || invisible.test(quoted)) return quoted;
    return quoted.startsWith('"') ? quoted.replace(/\\[\s\S]|'/g, '_') : '_';
  });
}

const blank = /(?:[ \t]|(?<=\s)\\\n|(?<=^|[\s;&|()])#[^\n]*)+/y;
const operator = /&&|\|\||\|&|;;|[;&|\n(){}!](?=\s|$|[;&|()])|[;&|\n()]/y;
const redirect = /(?:\d+|&)?(?:>>|>\||<>|[<>]&|[<>])/y;
const piece =
  /(?<plain>[^\s;&|()<>'"\\$`*?[\]{~]+)|\\(?<escaped>[^\n])|'(?<single>[^']*)'|"(?<double>(?:[^"\\$`]|\\[\s\S])*)"|(?<loose>"(?:[^"\\$`]|\\[\s\S]|\$(?:\w+|\{\w+\}|[@*#?$!-]))*"|\$(?:\w+|\{\w+\}|[@*#?$!-])|[*?[\]{~])/y;

/** The commands, or why the text is not plain. */
function readPlain(text: string): readonly ShellCommand[] | string {
  const commands: ShellCommand[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  const readWord = (): ShellWord | undefined => {
    const start = at;
    let value = '';
    let isLiteral = true;
    for (let match = take(piece); match !== null; match = take(piece)) {
      const { plain, escaped, single, double, loose } = match.groups ?? {};
      value += plain ?? escaped ?? single ?? double?.replace(/\\([$`"\\\n])/g, '$1') ?? loose;
      if (loose !== undefined && text.slice(start, at + 1).trim() !== '[') isLiteral = false;
    }
    const raw = text.slice(start, at);
    return raw === '' ? undefined : { raw, value, isLiteral: isLiteral || raw === '{}' };
  };
  let command = { assignments: [] as ShellWord[], words: [] as ShellWord[], redirects: [] as Redirect[] };
  const close = (): void => {
    if (command.assignments.length + command.words.length + command.redirects.length > 0) commands.push(command);
    command = { assignments: [], words: [], redirects: [] };
  };
  let depth = 0;
  while (at < text.length) {
    if (take(blank) !== null) continue;
    const isStart = command.words.length === 0;
    const joint = /[{}!]/.test(text[at] ?? '') && !isStart ? null : take(operator)?.[0];
    if (joint !== undefined && joint !== null) {
      if (joint === '(' && !isStart) return 'it defines a function or a list';
      depth += joint === '(' ? 1 : joint === ')' ? -1 : 0;
      if (depth < 0) return 'its parentheses do not match';
      close();
      continue;
    }
    const sign = take(redirect)?.[0];
    if (sign !== undefined) take(blank);
    const word = readWord();
    if (word === undefined)
      return sign === undefined ? 'a quote or an expansion does not end' : 'a redirect leads nowhere';
    if (sign !== undefined) {
      if (sign.endsWith('&') && /^\d+$|^\d*-$/.test(word.value)) continue;
      if (sign.includes('<')) command.redirects.push({ access: 'read', target: word });
      if (sign.includes('>')) command.redirects.push({ access: 'write', target: word });
    } else if (isStart && keywords.test(word.raw)) return `it is a program (${word.raw} …)`;
    else if (isStart && /^[A-Za-z_]\w*\+?=/.test(word.raw)) command.assignments.push(word);
    else if (isStart && /^[A-Za-z_]\w*\[/.test(word.raw)) return 'it sets part of a list';
    else command.words.push(word);
  }
  close();
  return depth === 0 ? commands : 'its parentheses do not match';
}

/** Every run of words that may be a command, with all quotes removed. */
function cutEverywhere(text: string): readonly ShellCommand[] {
  const plain = text
    .replace(/\\\n/g, '')
    .replace(/\\x([0-9a-fA-F]{1,2})|\\u([0-9a-fA-F]{1,4})|\\([0-7]{1,3})/g, (_, hex, unicode, octal) =>
      String.fromCharCode(octal === undefined ? Number.parseInt(hex ?? unicode, 16) : Number.parseInt(octal, 8)),
    )
    .replace(/\$(?=['"])|['"\\]/g, '');
  const parts = plain.split(/[;&|\n(){}`<>]|(?<=^|\s)(?:if|then|elif|else|while|until|do|in|coproc|time|!)(?=\s)/);
  const redirects = [...plain.matchAll(/(?<![<>])(<>|>>|[<>])[|&]?[ \t]*([^\s;&|()<>`-][^\s;&|()<>`]*)/g)]
    .filter(([, sign, file = '']) => sign === '<' || !/^\d+$/.test(file))
    .map(
      ([, sign = '', file = '']): Redirect => ({ access: sign === '<' ? 'read' : 'write', target: plainWord(file) }),
    );
  const commands = parts.flatMap((part) => {
    const words = part.split(/\s+/).filter((word) => word !== '');
    const first = words.findIndex((word) => !/^\w+\+?=/.test(word));
    if (first < 0) return [];
    return [{ assignments: [], words: words.slice(first).map((word) => plainWord(word)), redirects: [] }];
  });
  return redirects.length === 0 ? commands : [...commands, { assignments: [], words: [], redirects }];
}

function plainWord(value: string): ShellWord {
  return { raw: value, value, isLiteral: !/[$*?[{~]/.test(value) };
}
