// Text that a person decides about → the same text with every character that does not show as itself written out. Unlike
// `neutralise`, which removes terminal sequences for reading, nothing is left out: what is hidden could be what runs.

/** Controls, formats (bidi, zero width), what fonts leave blank, and spaces that are not the ordinary one. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|[^\S \n\t]/gu;

/** Only newlines and tabs stay; all else that cannot be seen becomes `‹U+001B›`. */
export function reveal(text: string): string {
  return text.replace(unseen, (char) => {
    if (char === '\n' || char === '\t') return char;
    const code = char.codePointAt(0) ?? 0;
    return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
  });
}
