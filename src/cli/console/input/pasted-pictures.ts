// Turns a pasted text that consists only of image paths into mentions, so that the images are attached. A terminal
// pastes the path of a dropped file quoted, with backslashes or as a URL.
import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const maxChars = 10_000;
const isPicture = /\.(?:png|jpe?g|gif|webp)$/i;

/** Returns `undefined` if the text should be pasted unchanged. */
export function mentionPastedPictures(pasted: string, cwd: string): string | undefined {
  const text = pasted.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  if (text.length > maxChars || !isPicture.test(text.replace(/['"]$/, ''))) return undefined;
  const whole = findPicture(text, cwd);
  const files = whole === undefined ? readWords(text)?.map((word) => findPicture(word, cwd)) : [whole];
  const mentions = files?.map((file) => file && mentionOf(file, cwd)) ?? [];
  return mentions.length === 0 || mentions.includes(undefined) ? undefined : `${mentions.join(' ')} `;
}

/** Splits words as a shell does, but only at plain spaces: the names of screenshots contain other blanks. */
function readWords(text: string): readonly string[] | undefined {
  const pattern = /(?:'([^'\n]*)'|"((?:[^"\\\n]|\\.)*)"|\\([^\n])|([^ \t\n'"\\]+))/y;
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const piece = pattern.exec(text);
    if (piece !== null) {
      word = `${word ?? ''}${piece[1] ?? piece[2]?.replace(/\\(.)/g, '$1') ?? piece[3] ?? piece[4] ?? ''}`;
      continue;
    }
    if (!' \t\n'.includes(text.charAt(at))) return undefined;
    if (word !== undefined) words.push(word);
    word = undefined;
    pattern.lastIndex = at + 1;
  }
  return word === undefined ? words : [...words, word];
}

function findPicture(written: string, cwd: string): string | undefined {
  if (!isPicture.test(written)) return undefined;
  try {
    const file = written.startsWith('file://') ? fileURLToPath(written) : path.resolve(cwd, written);
    return statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined; // missing, or not a valid file name
  }
}

/** The shortest form; `undefined` if a mention cannot express it. */
function mentionOf(file: string, cwd: string): string | undefined {
  const below = path.relative(cwd, file);
  const name = below.startsWith('..') ? file : below;
  if (/^[\w./+-]+$/.test(name)) return `@${name}`;
  return /["\n]/.test(name) ? undefined : `@"${name}"`;
}
