// Distinguishes words from random letters: a password of letters has pairs that words do not have.

/**
 * A row per first letter, a digit per second letter: the logarithm of the frequency of the pair in words relative to
 * chance, from 0 (1/16) over 4 (equal) to 7 (8 times). Counted in the 16,000 different words of this program's sources and
 * its packages.
 */
const pairs: readonly string[] = [
  '25541241403646040656332131',
  '64436311521622520552511030',
  '61326116405420610435410020',
  '53347331611322520452421120',
  '42563331201446232664132420',
  '52335610600522620534501140',
  '52217145501434520643502121',
  '62227022601332620534400030',
  '43544440002447540355040203',
  '62326132403233641063623011',
  '53237233612333520354412030',
  '61237210602511620044420050',
  '64226100601342560142400020',
  '51555361513223420256330020',
  '33442240312556440644544210',
  '61226114401511640645400020',
  '42434322301432242443723201',
  '61337230603243520454320030',
  '41526225503322451156512030',
  '50316114600321520554401040',
  '45434230401556240555100000',
  '62427210600222520224210020',
  '62236234602315510553002210',
  '52535313502331462246211430',
  '54435331512555460354313132',
  '61327123622332410033201144',
];

/** The mean over all pairs, without those where a camelCase word starts; words have 1 and more, random letters less than 0. */
export function wordiness(letters: string): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i + 1 < letters.length; i++) {
    const [first, second] = [letters.charCodeAt(i), letters.charCodeAt(i + 1)];
    if (first > second && first >= 97 && second <= 90) continue;
    const odds = pairs[(first | 32) - 97]?.charCodeAt((second | 32) - 97);
    if (odds === undefined || Number.isNaN(odds)) continue;
    sum += odds - 52;
    count++;
  }
  return count === 0 ? 0 : sum / count;
}

/** Whether a value of only letters is not made of words. */
export function isRandomLetters(value: string): boolean {
  if (value.length < 8 || !/^[A-Za-z]+$/.test(value)) return false;
  const limit = value.length < 12 ? 0 : value.length < 20 ? 0.3 : 0.5;
  const words = wordiness(value);
  return words <= limit || (words < 0.9 && isUneven(value, 3.2)) || (words < 1.6 && isUneven(value, 2.6));
}

/** The maximum mean length of words in randomly mixed case. */
function isUneven(value: string, letters: number): boolean {
  const words = value.match(/[A-Z]?[a-z]+|[A-Z]+/g)?.length ?? 0;
  return value.length >= 10 && words > value.length / letters;
}
