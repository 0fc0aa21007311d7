// What a user looks for → a regular expression with the flag `g`: a text as it is, or an expression.

/** Without the flag `u` an ASCII letter equals no other letter than its own other case. */
export function exactPattern(text: string, ignoreCase: boolean): RegExp {
  return new RegExp(escapePattern(text), ignoreCase ? 'gi' : 'g');
}

/** `^` and `$` are those of a line. Unicode mode where the expression allows it, because it has `\p{…}`. Throws. */
export function expressionPattern(source: string, ignoreCase: boolean): RegExp {
  const flags = ignoreCase ? 'gim' : 'gm';
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    return new RegExp(source, flags);
  }
}

/** Case does not matter; white space in the text matches any white space, as the page draws it. */
export function loosePattern(text: string): RegExp {
  return new RegExp(text.trim().split(/\s+/).map(escapePattern).join('\\s{1,20}'), 'giu');
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
