// What was typed, and a name → how well they match. Letters may be left out, but not swapped: "lib" and "lbr" find
// "Library", the beginnings of words count most.

/** Higher is better; `undefined`: no match. Every word must match. */
export function matchScore(typed: string, name: string): number | undefined {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const text = name.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const score = wordScore(word, text);
    if (score === undefined) return undefined;
    sum += score;
  }
  // Of two names that match equally, the shorter one has less that was not asked for.
  return sum - text.length / 1000;
}

function wordScore(word: string, text: string): number | undefined {
  const at = text.indexOf(word);
  if (at === 0) return 100;
  if (at > 0) return isBoundary(text, at) ? 80 : 50;
  return scatteredScore(word, text);
}

/** The letters in their order, at the beginnings of words if possible. */
function scatteredScore(word: string, text: string): number | undefined {
  // Two letters are in nearly every name.
  if (word.length < 3) return undefined;
  let at = -1;
  let atStart = 0;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return undefined;
    if (isBoundary(text, at)) atStart++;
  }
  return 10 + (20 * atStart) / word.length;
}

function isBoundary(text: string, at: number): boolean {
  return at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1] ?? '');
}

/** The best first; without a text, all in their order. */
export function bestMatches<T extends { readonly name: string }>(typed: string, all: readonly T[]): readonly T[] {
  if (typed.trim() === '') return all;
  return all
    .map((entry, order) => ({ entry, order, score: matchScore(typed, entry.name) }))
    .filter((each): each is typeof each & { score: number } => each.score !== undefined)
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .map(({ entry }) => entry);
}

/** Until the answer is here, Enter must not open a session that does not match. */
export function stillMatching<T extends { readonly id: string; readonly name: string }>(
  entries: readonly T[],
  asked: string,
  typed: string,
): readonly T[] {
  if (asked === typed) return entries;
  const words = typed.toLowerCase().split(/\s+/);
  return entries.filter(({ id, name }) => words.every((word) => `${id} ${name}`.toLowerCase().includes(word)));
}
