// A text as the index of exchanges gets it: with the parts of its identifiers after it, so that `getUserById` is found by
// `user` and TS2345 by `2345`, and the words of the text stay next to each other. SQLite splits `snake_case`, paths and
// dotted names itself.
import { indexable } from '../text/index.ts';

export function searchable(text: string): string {
  const parts = identifierParts(text);
  return indexable(parts === '' ? text : `${text}\n${parts}`);
}

/** A change from lower to upper case, or letters and then digits: nothing else has parts. */
const hasParts = /[a-z0-9][A-Z]|^[A-Za-z]+\d+$|[A-Z]{2}[a-z]/;
/** Where that may be: a word without it is passed over. */
const edge = /[a-z0-9][A-Z]|[A-Za-z][0-9]|[A-Z]{2}[a-z]/g;
const [shortest, longest] = [3, 60];

/** The parts of the identifiers in a text, each identifier once and on a line of its own. */
export function identifierParts(text: string): string {
  const seen = new Set<string>();
  const lines: string[] = [];
  edge.lastIndex = 0;
  while (edge.test(text)) {
    let end = edge.lastIndex;
    let start = end - 1;
    while (isWordCode(text.charCodeAt(start - 1))) start--;
    while (isWordCode(text.charCodeAt(end))) end++;
    edge.lastIndex = end;
    if (end - start < shortest || end - start > longest || !isApart(text, start, end)) continue;
    const word = text.slice(start, end);
    if (!/^[A-Za-z]/.test(word) || !hasParts.test(word) || seen.has(word)) continue;
    seen.add(word);
    const parts = splitIdentifier(word);
    if (parts.length > 1 && parts.length <= mostParts) lines.push(parts.join(' '));
  }
  return lines.join('\n');
}

/** A letter or digit of ASCII. */
function isWordCode(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 32) >= 0x61 && (code | 32) <= 0x7a);
}

/** Whether no letter or number of another script is next to it, which may need two units. */
function isApart(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(start - 1) >= 128 && /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, start - 2), start)))
    return false;
  return !(text.charCodeAt(end) >= 128 && /^[\p{L}\p{N}]/u.test(text.slice(end, end + 2)));
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
