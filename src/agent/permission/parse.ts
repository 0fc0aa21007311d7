// A shell text → its simple commands, to compare with rules. Only plain text is parsed exactly: words, quotes,
// variables, redirects, operators, groups. A pattern rule allows no other text; for deny rules, such text is split at
// everything that could begin a command.

export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  /** Whether the commands are exactly what runs. */
  readonly isPlain: boolean;
}

export interface ShellCommand {
  readonly assignments: readonly ShellWord[];
  readonly words: readonly ShellWord[];
  /** To and from files, without `/dev/null`. */
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
  /** The command sees exactly `value`: the shell expands nothing in it. */
  readonly isLiteral: boolean;
}

/** They look like a blank or like nothing, but the shell reads them as letters. */
const invisible =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xa0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff]/;
const keywords = /^(?:if|then|elif|else|fi|while|until|do|done|for|select|case|esac|function|coproc|\[\[)$/;
const variable = String.raw`\$(?:\w+|\{\w+\}|[@*#?$!-])`;
const quoted = String.raw`\\[^\n]|'[^']*'|"(?:[^"\\$${'`'}]|\\[\s\S])*"`;
const piece = String.raw`[^\s;&|()<>'"\\$${'`'}*?[\]{}~]+|${quoted}|"(?:[^"\\$${'`'}]|\\[\s\S]|${variable})*"|${variable}|[*?[\]{}~]`;
const token = new RegExp(
  [
    String.raw`(?<blank>(?:[ \t]|(?<=\s)\\\n|(?<=^|[\s;&|()])#[^\n]*)+)`,
    String.raw`(?<sign>(?:\d+|&)?(?:>>|>\||<>|[<>]&|[<>]))`,
    String.raw`(?<joint>&&|\|\||\|&|;;|[;&|\n()])`,
    `(?<raw>(?:${piece})+)`,
  ].join('|'),
  'y',
);

export function parseShell(text: string): ShellScript {
  const commands = invisible.test(text) ? undefined : readPlain(text);
  return { commands: commands ?? cutEverywhere(text), isPlain: commands !== undefined };
}

/** `undefined` for a text that is not plain. */
function readPlain(text: string): readonly ShellCommand[] | undefined {
  const commands = [{ assignments: [] as ShellWord[], words: [] as ShellWord[], redirects: [] as Redirect[] }];
  let sign: string | undefined;
  let depth = 0;
  for (token.lastIndex = 0; token.lastIndex < text.length; ) {
    const found = token.exec(text)?.groups;
    const command = commands.at(-1);
    if (found === undefined || command === undefined) return undefined;
    const isStart = command.words.length === 0;
    const joint = found.joint ?? (isStart && /^[{}!]$/.test(found.raw ?? '') ? found.raw : undefined);
    if (found.blank !== undefined) continue;
    // A parenthesis after a word defines a function or a list; a redirect needs a file.
    if ((found.raw === undefined && sign !== undefined) || (joint === '(' && !isStart)) return undefined;
    sign ??= found.sign;
    if (joint !== undefined) {
      depth += joint === '(' ? 1 : joint === ')' ? -1 : 0;
      if (depth < 0) return undefined;
      commands.push({ assignments: [], words: [], redirects: [] });
    } else if (found.raw !== undefined) {
      if (isStart && sign === undefined && /^[A-Za-z_]\w*\[/.test(found.raw)) return undefined;
      if (isStart && sign === undefined && keywords.test(found.raw)) return undefined;
      const word = readWord(found.raw);
      if (sign !== undefined) command.redirects.push(...readRedirect(sign, word));
      else (isStart && /^[A-Za-z_]\w*\+?=/.test(word.raw) ? command.assignments : command.words).push(word);
      sign = undefined;
    }
  }
  if (depth !== 0 || sign !== undefined) return undefined;
  return commands.filter((each) => each.assignments.length + each.words.length + each.redirects.length > 0);
}

function readRedirect(sign: string, target: ShellWord): readonly Redirect[] {
  const nowhere = sign.endsWith('&') ? /^\d+$|^\d*-$/ : /^\/dev\/(?:null|stdout|stderr)$/;
  if (nowhere.test(target.value)) return [];
  const read: Redirect = { access: 'read', target };
  const write: Redirect = { access: 'write', target };
  return [...(sign.includes('<') ? [read] : []), ...(sign.includes('>') ? [write] : [])];
}

function readWord(raw: string): ShellWord {
  const bare = raw.replace(new RegExp(quoted, 'g'), '');
  const value = raw.replace(
    /\\([^\n])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"/g,
    (_, escaped, single, double) => escaped ?? single ?? double.replace(/\\([$`"\\\n])/g, '$1'),
  );
  return { raw, value, isLiteral: raw === '[' || raw === '{}' || !/["$*?[\]{}~]/.test(bare) };
}

/** Every sequence of words that may be a command, with all quotes removed. */
function cutEverywhere(text: string): readonly ShellCommand[] {
  const plain = text
    .replace(/\\\n/g, '')
    .replace(/\\x([0-9a-fA-F]{1,2})|\\u([0-9a-fA-F]{1,4})|\\([0-7]{1,3})/g, (_, hex, unicode, octal) =>
      String.fromCharCode(octal === undefined ? Number.parseInt(hex ?? unicode, 16) : Number.parseInt(octal, 8)),
    )
    .replace(/\$(?=['"])|['"\\]/g, '');
  const parts = plain.split(/[;&|\n(){}`<>]|(?<=^|\s)(?:if|then|elif|else|while|until|do|in|coproc|time|!)(?=\s)/);
  return parts.flatMap((part) => {
    const words = part.split(/\s+/).filter((word) => word !== '');
    const first = words.findIndex((word) => !/^\w+\+?=/.test(word));
    return first < 0 ? [] : [{ assignments: [], words: words.slice(first).map(plainWord), redirects: [] }];
  });
}

function plainWord(value: string): ShellWord {
  return { raw: value, value, isLiteral: !/[$*?[{~]/.test(value) };
}
