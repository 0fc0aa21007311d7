// An expression of FTS5, as the search writes them → its parts, with the words that SQLite would look for. The language is the
// one that `parseWords`, `parseQuestion` and the ranking write: "phrases", `*` after one, `+`, AND, OR, NOT, parentheses, NEAR.
import { lexemeOf } from '../words/index.ts';

export interface Token {
  readonly word: string;
  /** Any word that begins with it. */
  readonly isPrefix: boolean;
}

/** Words next to each other; without any it matches nothing. */
export interface Phrase {
  readonly kind: 'phrase';
  readonly tokens: readonly Token[];
}

export type Expression =
  | Phrase
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Expression[] }
  | { readonly kind: 'not'; readonly wanted: Expression; readonly unwanted: Expression }
  /** With at most `distance` words between the first and the last. */
  | { readonly kind: 'near'; readonly phrases: readonly Phrase[]; readonly distance: number };

/** `wordsOf` splits the text of a phrase, and stems it where the words of the index are stemmed. */
export function parseExpression(match: string, wordsOf: (text: string) => readonly string[]): Expression {
  return new ExpressionParser(match, wordsOf).parse();
}

class ExpressionParser {
  readonly #symbols: readonly string[];
  readonly #wordsOf: (text: string) => readonly string[];
  #at = 0;

  constructor(match: string, wordsOf: (text: string) => readonly string[]) {
    this.#symbols = match.match(/"[^"]*"|[()*+,]|[^\s"()*+,]+/g) ?? [];
    this.#wordsOf = wordsOf;
  }

  parse(): Expression {
    const found = this.#or();
    if (this.#at < this.#symbols.length) throw new Error(`unexpected ${this.#symbols[this.#at]} in an expression`);
    return found;
  }

  /** NOT binds more than AND, and AND more than OR. */
  #or(): Expression {
    return this.#list('OR', 'or', () => this.#list('AND', 'and', () => this.#not()));
  }

  #list(symbol: string, kind: 'and' | 'or', part: () => Expression): Expression {
    const first = part();
    const parts = [first];
    while (this.#takes(symbol)) parts.push(part());
    return parts.length === 1 ? first : { kind, parts };
  }

  #not(): Expression {
    let found = this.#single();
    while (this.#takes('NOT')) found = { kind: 'not', wanted: found, unwanted: this.#single() };
    return found;
  }

  #single(): Expression {
    if (this.#takes('(')) {
      const inner = this.#or();
      this.#expect(')');
      return inner;
    }
    return this.#takes('NEAR') ? this.#near() : this.#phrase();
  }

  #near(): Expression {
    this.#expect('(');
    const phrases = [this.#phrase()];
    while (!this.#takes(',')) phrases.push(this.#phrase());
    const distance = Number(this.#next());
    this.#expect(')');
    return { kind: 'near', phrases, distance };
  }

  #phrase(): Phrase {
    const tokens = [...this.#string()];
    while (this.#takes('+')) tokens.push(...this.#string());
    return { kind: 'phrase', tokens };
  }

  #string(): readonly Token[] {
    const text = this.#next();
    if (!text.startsWith('"')) throw new Error(`unexpected ${text} in an expression`);
    const words = this.#wordsOf(text.slice(1, -1));
    const isPrefix = this.#takes('*');
    return words.map((word, i) => ({ word, isPrefix: isPrefix && i === words.length - 1 }));
  }

  #takes(symbol: string): boolean {
    if (this.#symbols[this.#at] !== symbol) return false;
    this.#at++;
    return true;
  }

  #expect(symbol: string): void {
    if (!this.#takes(symbol)) throw new Error(`${symbol} expected in an expression`);
  }

  #next(): string {
    const symbol = this.#symbols[this.#at++];
    if (symbol === undefined) throw new Error('an expression ends too early');
    return symbol;
  }
}

/** In the order in which FTS5 numbers them. */
export function phrasesOf(expression: Expression): readonly Phrase[] {
  switch (expression.kind) {
    case 'phrase':
      return [expression];
    case 'near':
      return expression.phrases;
    case 'not':
      return [...phrasesOf(expression.wanted), ...phrasesOf(expression.unwanted)];
    default:
      return expression.parts.flatMap(phrasesOf);
  }
}

/** What PostgreSQL reads as a `tsquery`; NEAR is only that all are there. `letter`: of the field, before each word. */
export function queryText(expression: Expression, letter: string = ''): string {
  switch (expression.kind) {
    case 'phrase':
      return phraseText(expression, letter);
    case 'near':
      return `(${expression.phrases.map((phrase) => phraseText(phrase, letter)).join(' & ')})`;
    case 'not':
      return `(${queryText(expression.wanted, letter)} & !${queryText(expression.unwanted, letter)})`;
    default: {
      const parts = expression.parts.map((part) => queryText(part, letter));
      return `(${parts.join(expression.kind === 'and' ? ' & ' : ' | ')})`;
    }
  }
}

function phraseText({ tokens }: Phrase, letter: string): string {
  // No text has this word: words have no spaces.
  if (tokens.length === 0) return "'nothing at all'";
  return `(${tokens.map(({ word, isPrefix }) => `'${lexemeOf(`${letter}${word}`)}'${isPrefix ? ':*' : ''}`).join(' <-> ')})`;
}
