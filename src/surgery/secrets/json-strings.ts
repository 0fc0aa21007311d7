// Finds the strings in the text of a JSON value, including keys, each with its path. Iterative, because a hostile line may
// be nested a million levels deep.

export interface JsonString {
  /** Between the quotes. */
  readonly start: number;
  readonly end: number;
  readonly isKey: boolean;
  /** Of the member whose value it is. */
  readonly name: string | undefined;
  /** Its path; for a key, that of its object. Valid until the next string. */
  readonly path: readonly (string | number)[];
}

/** `text` must be one complete JSON value. */
export function* jsonStrings(text: string): Generator<JsonString> {
  const path: (string | number)[] = [];
  /** Whether a key comes next, for each open bracket. */
  const open: ('object' | 'array')[] = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charAt(at)) {
      case '{':
        open.push('object');
        path.push('');
        isKeyNext = true;
        break;
      case '[':
        open.push('array');
        path.push(0);
        isKeyNext = false;
        break;
      case '}':
      case ']':
        open.pop();
        path.pop();
        isKeyNext = false;
        break;
      case ',':
        isKeyNext = open.at(-1) === 'object';
        if (!isKeyNext) path.push(Number(path.pop()) + 1);
        break;
      case '"': {
        const end = endOfString(text, at);
        if (isKeyNext) path.pop();
        const last = isKeyNext ? undefined : path.at(-1);
        const name = typeof last === 'string' ? last : undefined;
        yield { start: at + 1, end: end - 1, isKey: isKeyNext, name, path };
        if (isKeyNext) path.push(decodeKey(text.slice(at, end)));
        isKeyNext = false;
        at = end - 1;
        break;
      }
    }
  }
}

function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slash = end;
    while (text.charCodeAt(slash - 1) === 0x5c) slash--;
    if (((end - slash) & 1) === 0) return end + 1;
  }
  return text.length;
}

function decodeKey(literal: string): string {
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
}
