// A shell text → its simple commands and doubts. It never fails: what it cannot place becomes a doubt, and reading goes
// on, because a command that a rule denies must be found wherever it stands.
import type { Assignment, Redirect, ShellCommand, ShellScript, ShellWord } from './script.ts';
import { WordReader } from './word-reader.ts';

const maxLength = 50_000;
const maxDepth = 30;

export function parseShell(text: string): ShellScript {
  const found: Found = {
    commands: [],
    doubts: new Set(),
    isCut: text.length > maxLength,
    isStraight: true,
    chain: 0,
  };
  if (found.isCut) found.doubts.add('it is too long to be checked');
  // Such characters look like a blank, or like nothing, to a person, and are a letter to the shell.
  if (
    /[\0-\x08\x0b-\x1f\x7f-\x9f\xa0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff]/.test(
      text,
    )
  )
    found.doubts.add('it contains invisible characters');
  new ScriptReader(text.slice(0, maxLength), found, 0).readAll();
  const { commands, doubts, isStraight, isCut } = found;
  return { commands, doubts: [...doubts], isStraight, isCut };
}

interface Found {
  readonly commands: ShellCommand[];
  readonly doubts: Set<string>;
  isCut: boolean;
  isStraight: boolean;
  chain: number;
}

interface Heredoc {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
}

/** Words that open or join commands: the command follows. Those that are no mere grouping make it a program. */
const leadingKeywords: ReadonlySet<string> = new Set([
  '{',
  '}',
  '!',
  'if',
  'then',
  'elif',
  'else',
  'fi',
  'while',
  'until',
  'do',
  'done',
  'esac',
  'coproc',
]);
const headKeywords: ReadonlySet<string> = new Set(['for', 'select', 'case']);
const grouping: ReadonlySet<string> = new Set(['{', '}', '!']);

class ScriptReader extends WordReader {
  private readonly found: Found;
  private depth: number;
  private heredocs: Heredoc[] = [];

  constructor(text: string, found: Found, depth: number) {
    super(text, found.doubts);
    this.found = found;
    this.depth = depth;
  }

  readAll(): void {
    this.readList(false);
  }

  protected readNested(): void {
    this.readList(true);
  }

  protected readInner(text: string): void {
    new ScriptReader(text, this.found, this.depth).readAll();
  }

  protected goDeeper(read: () => void): void {
    this.depth += 1;
    if (this.depth <= maxDepth) read();
    else {
      this.doubts.add('it is nested too deeply to be checked');
      this.found.isCut = true;
      this.at = this.text.length;
    }
    this.depth -= 1;
  }

  private readList(isNested: boolean): void {
    while (this.at < this.text.length) {
      this.skipBlanks();
      const char = this.text[this.at];
      if (char === undefined) break;
      if (this.takeAnd()) continue;
      if ('();|&\n'.includes(char)) this.found.chain += 1;
      if (char === '|' && this.text[this.at + 1] === '|') this.found.isStraight = false;
      if (char === ')') {
        this.at += 1;
        if (isNested) return;
        this.doubts.add('its parentheses do not match');
      } else if (char === '\n') {
        this.at += 1;
        this.readHeredocs();
      } else if (char === '(') {
        this.readParenthesis();
      } else if (char === ';' || char === '|' || (char === '&' && this.text[this.at + 1] !== '>')) {
        this.at += 1;
      } else {
        this.readCommand();
      }
    }
    if (isNested) this.doubts.add('its parentheses do not match');
    if (this.heredocs.length > 0) this.readHeredocs();
  }

  private takeAnd(): boolean {
    if (!this.text.startsWith('&&', this.at)) return false;
    this.at += 2;
    return true;
  }

  private readParenthesis(): void {
    if (this.text[this.at + 1] === '(' && this.readArithmetic(this.at + 2, new Set())) return;
    this.at += 1;
    this.goDeeper(() => this.readNested());
  }

  private readCommand(): void {
    const assignments: Assignment[] = [];
    const words: ShellWord[] = [];
    const redirects: Redirect[] = [];
    const start = this.at;
    for (;;) {
      this.skipBlanks();
      const char = this.text[this.at];
      if (char === undefined || '\n;|)'.includes(char)) break;
      if (char === '&' && this.text[this.at + 1] !== '>') break;
      if (char === '(') {
        this.doubts.add('it defines a function or a list');
        break;
      }
      if (char === '<' || char === '>' || char === '&') {
        this.readRedirect(redirects, words);
        continue;
      }
      const word = this.readWord();
      if (/^\d+$/.test(word.raw) && '<>'.includes(this.text[this.at] ?? ' ')) continue; // the number of a redirect
      if (words.length === 0 && this.takeKeyword(word)) continue;
      const name = words.length === 0 ? /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/.exec(word.raw)?.[1] : undefined;
      if (name !== undefined) assignments.push({ name, word });
      else words.push(word);
    }
    if (this.at === start) this.at += 1; // never stand still
    if (assignments.length + words.length + redirects.length > 0)
      this.found.commands.push({ chain: this.found.chain, assignments, words, redirects });
  }

  /** The head of a loop or a `case` is no command; its words are read for what they substitute. */
  private takeKeyword(word: ShellWord): boolean {
    if (headKeywords.has(word.raw)) {
      this.doubts.add(`it is a program (${word.raw} …)`);
      for (this.skipBlanks(); !'\n;&|()<>'.includes(this.text[this.at] ?? '\n'); this.skipBlanks()) {
        if (this.readWord().raw === 'do') break; // `for x do …`
      }
      return true;
    }
    if (word.raw === 'function') {
      this.doubts.add('it defines a function or a list');
      this.skipBlanks();
      this.readWord();
      return true;
    }
    if (!leadingKeywords.has(word.raw)) {
      if (word.raw === '[[') this.doubts.add('it is a program ([[ …)');
      return false;
    }
    this.found.isStraight = false;
    if (!grouping.has(word.raw)) this.doubts.add(`it is a program (${word.raw} …)`);
    return true;
  }

  private readRedirect(redirects: Redirect[], words: ShellWord[]): void {
    const operator =
      /^(?:&>>|&>|<<<|<<-|<<|<&|<>|<\(|>\(|>>|>&|>\||<|>)/.exec(this.text.slice(this.at, this.at + 3))?.[0] ?? '';
    this.at += operator.length;
    if (operator === '<(' || operator === '>(') {
      this.readProcess(words, operator);
      return;
    }
    this.skipBlanks();
    if (/^[<>]\(/.test(this.text.slice(this.at, this.at + 2))) return; // the next turn reads the substitution
    const target = this.readWord();
    if (target.raw === '') {
      this.doubts.add('a redirect leads nowhere');
    } else if (operator === '<<' || operator === '<<-') {
      this.doubts.add('it uses a here-document');
      const isQuoted = target.raw !== target.value;
      this.heredocs.push({ delimiter: target.value, isQuoted, stripsTabs: operator === '<<-' });
    } else if (operator === '<<<') {
      this.doubts.add('it feeds text to a command (<<<)');
    } else if (!operator.endsWith('&') || !/^\d*-?$/.test(target.value)) {
      if (operator.startsWith('<')) redirects.push({ kind: 'read', target });
      if (operator !== '<' && operator !== '<&') redirects.push({ kind: 'write', target });
    }
  }

  private readProcess(words: ShellWord[], operator: string): void {
    const start = this.at - operator.length;
    this.doubts.add('it uses process substitution');
    this.goDeeper(() => this.readNested());
    const raw = this.text.slice(start, this.at);
    words.push({ raw, value: raw, expands: new Set(['command']) });
  }

  /** The bodies that begin on this line. One that does not end is read as commands: it may be no body at all. */
  private readHeredocs(): void {
    const pending = this.heredocs;
    this.heredocs = [];
    for (const { delimiter, isQuoted, stripsTabs } of pending) {
      const start = this.at;
      let end = -1;
      let next = start;
      while (end < 0 && next < this.text.length) {
        const newline = this.text.indexOf('\n', next);
        const stop = newline < 0 ? this.text.length : newline;
        const line = this.text.slice(next, stop);
        if ((stripsTabs ? line.replace(/^\t+/, '') : line) === delimiter) end = next;
        next = stop + 1;
      }
      if (end < 0) {
        this.doubts.add('a here-document does not end');
        return;
      }
      this.at = Math.min(next, this.text.length);
      if (!isQuoted) new ScriptReader(this.text.slice(start, end), this.found, this.depth).readBody();
    }
  }

  private readBody(): void {
    this.readQuoted('', new Set());
  }

  private skipBlanks(): void {
    for (;;) {
      const char = this.text[this.at];
      if (char === ' ' || char === '\t') this.at += 1;
      else if (char === '\\' && this.text[this.at + 1] === '\n') this.at += 2;
      else if (char === '#') {
        const newline = this.text.indexOf('\n', this.at);
        this.at = newline < 0 ? this.text.length : newline;
      } else return;
    }
  }
}
