// Text that the user has to approve → the same text with every invisible character written out. Unlike `neutralise` it
// removes nothing, because hidden text may be what runs.

/** Controls, formats (bidi, zero width), characters that fonts leave blank, and unusual spaces. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|[^\S \n\t]/gu;

/** Newlines and tabs stay; other invisible characters become `‹U+001B›`. */
export function reveal(text: string): string {
  return text.replace(unseen, (char) => {
    if (char === '\n' || char === '\t') return char;
    const code = char.codePointAt(0) ?? 0;
    return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
  });
}
