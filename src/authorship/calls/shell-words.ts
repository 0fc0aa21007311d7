// A shell command → its simple commands with words, redirections and here-documents. Nothing is run and nothing is
// expanded: a word with a variable, a pattern or another command in it is marked, and proves nothing.

export interface SimpleCommand {
  readonly words: readonly string[];
  /** Where its output goes. */
  readonly output: { readonly path: string; readonly isAppended: boolean } | undefined;
  /** The here-document, if it has one. */
  readonly input: string | undefined;
  /** The output goes to the next command. */
  readonly isPiped: boolean;
}

interface Draft {
  words: string[];
  output: SimpleCommand['output'];
  input: string | undefined;
}

interface Pending {
  readonly draft: Draft;
  readonly end: string;
  readonly isQuoted: boolean;
  readonly isIndented: boolean;
}

const mostChars = 1_000_000;

export function readCommands(text: string): readonly SimpleCommand[] {
  return text.length > mostChars ? [] : new CommandReader(text.replaceAll('\r\n', '\n')).read();
}

class CommandReader {
  readonly #text: string;
  #at = 0;
  #draft: Draft = { words: [], output: undefined, input: undefined };
  #pending: Pending[] = [];
  readonly #done: { draft: Draft; isPiped: boolean }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly SimpleCommand[] {
    while (this.#at < this.#text.length) this.#step();
    this.#endCommand(false);
    return this.#done.map(({ draft, isPiped }) => ({ ...draft, isPiped }));
  }

  #step(): void {
    const char = this.#text[this.#at] as string;
    if (char === '\n') {
      this.#at++;
      this.#endCommand(false);
      this.#readDocuments();
    } else if (char === ' ' || char === '\t') this.#at++;
    else if (char === '#') this.#skipComment();
    else if (';&|(){}'.includes(char) && !this.#isBraceWord()) this.#separator(char);
    else if (/^(?:\d*>>?|&>>?)/.test(this.#text.slice(this.#at, this.#at + 6))) this.#redirect();
    else if (this.#text.startsWith('<<', this.#at) && this.#text[this.#at + 2] !== '<') this.#startDocument();
    else if (char === '<') {
      this.#at++;
      this.#skipBlanks();
      this.#word();
    } else this.#draft.words.push(this.#word());
  }

  #isBraceWord(): boolean {
    const char = this.#text[this.#at];
    return (char === '{' || char === '}') && /\S/.test(this.#text[this.#at + 1] ?? ' ') && char === '{';
  }

  #separator(char: string): void {
    const isDouble = this.#text[this.#at + 1] === char;
    if (char === '&' && this.#text[this.#at + 1] === '>') {
      this.#redirect();
      return;
    }
    this.#at += isDouble && char !== ';' ? 2 : 1;
    this.#endCommand(char === '|' && !isDouble);
  }

  #endCommand(isPiped: boolean): void {
    const { words, output, input } = this.#draft;
    const isWaiting = this.#pending.some(({ draft }) => draft === this.#draft);
    if (words.length > 0 || output !== undefined || input !== undefined || isWaiting)
      this.#done.push({ draft: this.#draft, isPiped });
    this.#draft = { words: [], output: undefined, input: undefined };
  }

  #skipComment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #skipBlanks(): void {
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at++;
  }

  #redirect(): void {
    const found = /^(\d*|&)>(>?)(&?\|?)/.exec(this.#text.slice(this.#at, this.#at + 8));
    this.#at += found?.[0].length ?? 1;
    this.#skipBlanks();
    const path = this.#word();
    const isOutput = found?.[1] === '' || found?.[1] === '1' || found?.[1] === '&';
    if (isOutput && found?.[3] !== '&') this.#draft.output = { path, isAppended: found?.[2] === '>' };
  }

  #startDocument(): void {
    this.#at += 2;
    const isIndented = this.#text[this.#at] === '-';
    if (isIndented) this.#at++;
    this.#skipBlanks();
    const isQuoted = /^['"\\]/.test(this.#text[this.#at] ?? '');
    this.#pending.push({ draft: this.#draft, end: this.#word(), isQuoted, isIndented });
  }

  #readDocuments(): void {
    for (const { draft, end, isQuoted, isIndented } of this.#pending) {
      const lines: string[] = [];
      while (this.#at < this.#text.length) {
        const stop = this.#text.indexOf('\n', this.#at);
        const line = this.#text.slice(this.#at, stop < 0 ? this.#text.length : stop);
        this.#at = stop < 0 ? this.#text.length : stop + 1;
        const content = isIndented ? line.replace(/^\t+/, '') : line;
        if (content === end) break;
        lines.push(isQuoted ? content : content.replace(/\\([$`\\])/g, '$1'));
      }
      draft.input = lines.map((line) => `${line}\n`).join('');
    }
    this.#pending = [];
  }

  /** A word without its quotes. A part that the shell would expand is a NUL, which no file name has. */
  #word(): string {
    let word = '';
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at] as string;
      if (char === "'") {
        const end = this.#text.indexOf("'", this.#at + 1);
        word += this.#text.slice(this.#at + 1, end < 0 ? this.#text.length : end);
        this.#at = end < 0 ? this.#text.length : end;
      } else if (char === '"') word += this.#doubleQuoted();
      else if (char === '\\') {
        this.#at++;
        if (this.#text[this.#at] !== '\n') word += this.#text[this.#at] ?? '';
      } else if (/[\s;&|<>()]/.test(char)) break;
      else word += /[$`*?]/.test(char) ? '\0' : char;
    }
    return word;
  }

  #doubleQuoted(): string {
    let text = '';
    for (this.#at++; this.#at < this.#text.length && this.#text[this.#at] !== '"'; this.#at++) {
      const char = this.#text[this.#at] as string;
      if (char === '\\' && /[$`"\\\n]/.test(this.#text[this.#at + 1] ?? '')) {
        this.#at++;
        if (this.#text[this.#at] !== '\n') text += this.#text[this.#at];
      } else text += char === '$' || char === '`' ? '\0' : char;
    }
    return text;
  }
}
