// A snippet as a reader sees it: one line, without the marks of Markdown, the escapes of JSON and the colours of a terminal.
// Each piece is cleaned alone, so a match stays a match.
import { neutralise } from '../../../base/text/index.ts';
import type { SnippetPiece, TextKind } from '../../wire/index.ts';

export function cleanSnippet(pieces: readonly SnippetPiece[], kind: TextKind): readonly SnippetPiece[] {
  return pieces
    .map(({ text, isMatch }) => ({ text: isMatch ? oneLine(text) : cleanText(text, kind), isMatch }))
    .filter(({ text }) => text !== '');
}

const written: ReadonlySet<TextKind> = new Set(['prompt', 'answer', 'thinking', 'note', 'attachment']);

function cleanText(text: string, kind: TextKind): string {
  const plain = neutralise(text);
  return oneLine(written.has(kind) ? withoutMarkdown(plain) : withoutEscapes(plain));
}

function withoutMarkdown(text: string): string {
  return text
    .replace(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, '$1')
    .replace(/^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+]\s+|```\w*$)/gm, '')
    .replace(/\*\*|__|`+/g, '')
    .replace(/^\s*\|?(?:\s*:?-{3,}:?\s*\|)+\s*:?-*:?\s*$/gm, '');
}

/** Output is often JSON as text. */
function withoutEscapes(text: string): string {
  return text.replace(/\\r?\\n|\\[nrt]/g, ' ').replace(/\\(["\\/])/g, '$1');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
