// Markdown → marked's tokens, within limits. marked's lexer overflows the stack on deep nesting and is slow on some
// paragraphs (100 KB of `a.b-c_` took 15 s, 200 KB of lines in a list item 3 s), so a transcript could hang the reader.
import { Lexer, type Token, Tokenizer, type Tokens, type TokensList } from 'marked';

/** A single newline is a line break: answers are written that way, and the client shows them so. */
export function lexMarkdown(text: string): readonly Token[] {
  return new BoundedLexer({ gfm: true, breaks: true, tokenizer: new BoundedTokenizer() }).lex(text);
}

const maxDepth = 24;
const maxInlineChars = 4096;

class BoundedLexer extends Lexer {
  #depth = 0;

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped = false): Token[] {
    if (this.#depth === maxDepth) return pushText(tokens, src);
    this.#depth += 1;
    try {
      return super.blockTokens(src, tokens, lastParagraphClipped);
    } finally {
      this.#depth -= 1;
    }
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    return src.length > maxInlineChars ? pushLines(tokens, src) : super.inlineTokens(src, tokens);
  }
}

const maxHeadingChars = 1024;

class BoundedTokenizer extends Tokenizer {
  /** A heading with a line under it. marked looks for that line up to the end of the paragraph, at each of its lines. */
  override lheading(src: string): Tokens.Heading | undefined {
    const start = src.slice(0, maxHeadingChars);
    const heading = super.lheading(start);
    // The cut may be inside the line under it.
    return heading?.raw.length === start.length ? super.lheading(src) : heading;
  }
}

function pushText(tokens: Token[], src: string): Token[] {
  tokens.push({ type: 'text', raw: src, text: src });
  return tokens;
}

function pushLines(tokens: Token[], src: string): Token[] {
  for (const [i, line] of src.split('\n').entries()) {
    if (i > 0) tokens.push({ type: 'br', raw: '\n' });
    if (line !== '') pushText(tokens, line);
  }
  return tokens;
}
