// Matches the patterns of permission rules in time proportional to pattern × text. Rules come from the project and
// texts from the model, and neither may stall the judge, as a regular expression could.

export interface Folding {
  /** For deny rules: on many disks `.ENV` is `.env`. */
  readonly ignoresCase: boolean;
}

type Token = { readonly kind: 'star' } | { readonly kind: 'one'; readonly accepts: (char: string) => boolean };

/** `*` matches any text. */
export function matchesText(pattern: string, text: string): boolean {
  const tokens = [...pattern].map((char): Token => (char === '*' ? { kind: 'star' } : literal(char)));
  return matchTokens(tokens, [...text]);
}

/** `*.example.com` matches every host below it; a plain domain matches only that host. */
export function matchesHost(pattern: string, host: string): boolean {
  if (pattern.startsWith('*.')) return host.endsWith(pattern.slice(1));
  return pattern === '*' || pattern === host;
}

/** A gitignore pattern, split at `/`; it also matches everything below a folder that it matches. */
export function matchesPath(pattern: readonly string[], path: readonly string[], folding: Folding): boolean {
  const fold = (text: string): string => (folding.ignoresCase ? foldName(text) : text);
  const segments = pattern.map((part) => (part === '**' ? undefined : tokensOf(fold(part))));
  const names = path.map((name) => [...fold(name)]);
  // reached[j]: the segments so far match exactly the first j names.
  let reached = names.map(() => false);
  reached = [true, ...reached];
  for (const [index, segment] of segments.entries()) {
    if (segment === undefined) {
      const first = reached.indexOf(true);
      // At the end, `a/**` means the content of `a`, not `a`.
      const from = first < 0 ? reached.length : first + (index === segments.length - 1 ? 1 : 0);
      reached = reached.map((_, j) => j >= from);
    } else {
      reached = reached.map((_, j) => j > 0 && reached[j - 1] === true && matchTokens(segment, names[j - 1] ?? []));
    }
  }
  return reached.includes(true);
}

/** Makes names equal that a disk or a reader takes for the same: case, composition, zero-width characters. */
export function foldName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .toLowerCase()
    .replace(/[. ]+$/, (tail) => (name === '.' || name === '..' ? tail : ''));
}

function tokensOf(segment: string): readonly Token[] {
  const tokens: Token[] = [];
  const chars = [...segment];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] ?? '';
    const close = char === '[' ? chars.indexOf(']', i + 2) : -1;
    if (char === '*') tokens.push({ kind: 'star' });
    else if (char === '?') tokens.push({ kind: 'one', accepts: () => true });
    else if (char === '\\' && i + 1 < chars.length) tokens.push(literal(chars[++i] ?? ''));
    else if (close > 0) {
      tokens.push(classToken(chars.slice(i + 1, close)));
      i = close;
    } else tokens.push(literal(char));
  }
  return tokens;
}

function classToken(body: readonly string[]): Token {
  const isNegated = body[0] === '!' || body[0] === '^';
  const members = isNegated ? body.slice(1) : body;
  const accepts = (char: string): boolean =>
    members.some((from, i) => {
      if (members[i + 1] === '-' && members[i + 2] !== undefined) return char >= from && char <= (members[i + 2] ?? '');
      return from === char;
    });
  return { kind: 'one', accepts: (char) => accepts(char) !== isNegated };
}

function literal(wanted: string): Token {
  return { kind: 'one', accepts: (char) => char === wanted };
}

/** Greedy; backtracks only to the last star. */
function matchTokens(tokens: readonly Token[], text: readonly string[]): boolean {
  let t = 0;
  let star = -1;
  let retry = 0;
  for (let i = 0; i < text.length; ) {
    const token = tokens[t];
    if (token?.kind === 'star') {
      star = t++;
      retry = i;
    } else if (token?.accepts(text[i] ?? '')) {
      t += 1;
      i += 1;
    } else if (star >= 0) {
      t = star + 1;
      i = ++retry;
    } else return false;
  }
  return tokens.slice(t).every((token) => token.kind === 'star');
}
