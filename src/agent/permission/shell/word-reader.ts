// Characters of a shell text → words: quotes, escapes and expansions. What a substitution runs is handed to `nested`,
// so that its commands are judged like all others.
import type { Expansion, ShellWord } from './script.ts';

const metaCharacters: ReadonlySet<string> = new Set([' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>']);

export abstract class WordReader {
  protected readonly text: string;
  protected at = 0;
  readonly doubts: Set<string>;

  constructor(text: string, doubts: Set<string>) {
    this.text = text;
    this.doubts = doubts;
  }

  /** Reads commands up to the `)` that ends a substitution. */
  protected abstract readNested(): void;
  /** `read` one level deeper, or nothing more of the text where that is too deep: the stack has an end. */
  protected abstract goDeeper(read: () => void): void;
  /** Reads the commands of a text of its own: between backticks. */
  protected abstract readInner(text: string): void;

  protected readWord(): ShellWord {
    const start = this.at;
    const expands = new Set<Expansion>();
    let value = '';
    while (this.at < this.text.length && !metaCharacters.has(this.text[this.at] ?? '')) {
      value += this.readPiece(expands, this.at === start);
    }
    const raw = this.text.slice(start, this.at);
    // `[` is a command and `{}` what find replaces: no expansions.
    if (raw === '[') expands.delete('glob');
    if (raw === '{' || raw === '}' || raw === '{}') expands.delete('brace');
    return { raw, value, expands };
  }

  private readPiece(expands: Set<Expansion>, isFirst: boolean): string {
    const char = this.text[this.at] ?? '';
    switch (char) {
      case '\\':
        return this.readEscape();
      case "'":
        return this.readSingle();
      case '"':
        return this.readDouble(expands);
      case '$':
        return this.readDollar(expands, false);
      case '`':
        return this.readBackticks(expands);
    }
    if (char === '*' || char === '?' || char === '[') expands.add('glob');
    if (char === '{') expands.add('brace');
    if (char === '~' && (isFirst || '=:'.includes(this.text[this.at - 1] ?? ' '))) expands.add('tilde');
    this.at += 1;
    return char;
  }

  private readEscape(): string {
    const next = this.text[this.at + 1];
    this.at = Math.min(this.at + 2, this.text.length);
    if (next === undefined) this.doubts.add('it ends in the middle of an escape');
    return next === undefined || next === '\n' ? '' : next;
  }

  private readSingle(): string {
    const end = this.text.indexOf("'", this.at + 1);
    const value = this.text.slice(this.at + 1, end < 0 ? this.text.length : end);
    if (end < 0) this.doubts.add('a quote is not closed');
    this.at = end < 0 ? this.text.length : end + 1;
    return value;
  }

  private readDouble(expands: Set<Expansion>): string {
    this.at += 1;
    const value = this.readQuoted('"', expands);
    if (this.at >= this.text.length) this.doubts.add('a quote is not closed');
    this.at = Math.min(this.at + 1, this.text.length);
    return value;
  }

  /** Text in which only `$`, backticks and backslashes mean something; stops before `close`, or at the end. */
  protected readQuoted(close: string, expands: Set<Expansion>): string {
    let value = '';
    while (this.at < this.text.length && this.text[this.at] !== close) {
      const char = this.text[this.at] ?? '';
      if (char === '$') value += this.readDollar(expands, true);
      else if (char === '`') value += this.readBackticks(expands);
      else if (char === '\\' && '$`"\\\n'.includes(this.text[this.at + 1] ?? ' ')) value += this.readEscape();
      else {
        value += char;
        this.at += 1;
      }
    }
    return value;
  }

  private readDollar(expands: Set<Expansion>, isQuoted: boolean): string {
    const start = this.at;
    const rest = this.text.slice(this.at + 1, this.at + 3);
    const name = /^\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[0-9@*#?$!-])/.exec(this.text.slice(start, start + 200))?.[0];
    if (rest.startsWith('(')) {
      expands.add('command');
      if (rest === '((' && this.readArithmetic(start + 3, expands)) return this.text.slice(start, this.at);
      this.doubts.add('it uses command substitution');
      this.at += 2;
      this.goDeeper(() => this.readNested());
    } else if (name !== undefined) {
      // These four are numbers: no path, no flag, no secret.
      if (!'#?$!'.includes(name.slice(1))) expands.add('variable');
      this.at += name.length;
    } else if (rest.startsWith('{')) {
      expands.add('variable');
      this.doubts.add('it computes the value of a variable');
      this.at += 2;
      this.goDeeper(() => this.readParameter(expands));
    } else if (rest.startsWith("'") && !isQuoted) {
      this.doubts.add("it uses $'…' quoting");
      return this.readAnsi();
    } else {
      if (rest.startsWith('[')) this.doubts.add('it computes with $[…]');
      if (rest.startsWith('"') && !isQuoted) this.doubts.add('it uses $"…" quoting');
      this.at += 1;
      return rest.startsWith('"') && !isQuoted ? '' : '$';
    }
    return this.text.slice(start, this.at);
  }

  /** Arithmetic can hold substitutions. `false`, and nothing read, where `((` begins a subshell in a substitution. */
  protected readArithmetic(from: number, expands: Set<Expansion>): boolean {
    let depth = 2;
    let end = from;
    for (; end < this.text.length && depth > 0; end++) {
      if (this.text[end] === '(') depth += 1;
      if (this.text[end] === ')') depth -= 1;
    }
    if (depth > 0 || this.text[end - 2] !== ')') return false;
    this.doubts.add('it computes with ((…))');
    this.at = from;
    while (this.at < end - 2) {
      const char = this.text[this.at];
      if (char === '$') this.goDeeper(() => this.readDollar(expands, true));
      else if (char === '`') this.readBackticks(expands);
      else this.at += 1;
    }
    this.at = Math.max(this.at, end);
    return true;
  }

  private readParameter(expands: Set<Expansion>): void {
    while (this.at < this.text.length && this.text[this.at] !== '}') {
      const char = this.text[this.at] ?? '';
      if (char === '$') this.readDollar(expands, false);
      else if (char === '`') this.readBackticks(expands);
      else if (char === '\\') this.readEscape();
      else if (char === "'") this.readSingle();
      else if (char === '"') this.readDouble(expands);
      else this.at += 1;
    }
    if (this.at >= this.text.length) this.doubts.add('a brace is not closed');
    this.at = Math.min(this.at + 1, this.text.length);
  }

  private readBackticks(expands: Set<Expansion>): string {
    const start = this.at;
    expands.add('command');
    this.doubts.add('it uses command substitution');
    let inner = '';
    for (this.at += 1; this.at < this.text.length && this.text[this.at] !== '`'; this.at++) {
      const isEscape = this.text[this.at] === '\\' && '`$\\'.includes(this.text[this.at + 1] ?? ' ');
      if (isEscape) this.at += 1;
      inner += this.text[this.at] ?? '';
    }
    if (this.at >= this.text.length) this.doubts.add('a backtick is not closed');
    this.at = Math.min(this.at + 1, this.text.length);
    this.goDeeper(() => this.readInner(inner));
    return this.text.slice(start, this.at);
  }

  private readAnsi(): string {
    const match = /^\$'((?:[^'\\]|\\[\s\S])*)'/.exec(this.text.slice(this.at));
    if (match === null) {
      this.at += 1;
      return this.readSingle();
    }
    this.at += match[0].length;
    return (match[1] ?? '').replace(
      /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|([\s\S]))/g,
      (_, hex, unicode, octal, char) => {
        if (hex ?? unicode) return String.fromCharCode(Number.parseInt(hex ?? unicode, 16));
        if (octal) return String.fromCharCode(Number.parseInt(octal, 8));
        return { n: '\n', t: '\t', r: '\r' }[char as string] ?? char;
      },
    );
  }
}
