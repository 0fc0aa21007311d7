// A text as the index of exchanges gets it: with the parts of its identifiers after it, so that `getUserById` is found by
// `user` and TS2345 by `2345`, and the words of the text stay next to each other. SQLite splits `snake_case`, paths and
// dotted names itself.
import { indexable } from '../text/index.ts';

export function searchable(text: string): string {
  const parts = identifierParts(text);
  return indexable(parts === '' ? text : `${text}\n${parts}`);
}

const identifier = /(?<![\p{L}\p{N}])[A-Za-z][A-Za-z0-9]{2,59}(?![\p{L}\p{N}])/gu;
/** A change from lower to upper case, or letters and then digits: nothing else has parts. */
const hasParts = /[a-z0-9][A-Z]|^[A-Za-z]+\d+$|[A-Z]{2}[a-z]/;

/** The parts of the identifiers in a text, each identifier once and on a line of its own. */
export function identifierParts(text: string): string {
  const seen = new Set<string>();
  const lines: string[] = [];
  for (const [word] of text.matchAll(identifier)) {
    if (!hasParts.test(word) || seen.has(word)) continue;
    seen.add(word);
    const parts = splitIdentifier(word);
    if (parts.length > 1 && parts.length <= mostParts) lines.push(parts.join(' '));
  }
  return lines.join('\n');
}

/** Text in base64 has more changes of case than any name. */
const mostParts = 8;

/** `getHTTPServer2` → get, HTTP, Server, 2. */
export function splitIdentifier(word: string): readonly string[] {
  return word
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/([A-Za-z])(\d)/g, '$1 $2')
    .split(' ');
}
