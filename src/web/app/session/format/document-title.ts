// The title of the document: what a tab, a bookmark and the history show.
import { neutralise } from '../../../../base/text/index.ts';

const maxChars = 79;
const name = ' · Clew';

/** On one line, under 80 characters. */
export function documentTitle(text: string): string {
  const line = neutralise(text.replace(/\s+/g, ' ').trim());
  const room = maxChars - name.length;
  const cut =
    line.length <= room
      ? line
      : `${line
          .slice(0, room - 1)
          .toWellFormed()
          .replace(/\ufffd$/, '')
          .trimEnd()}…`;
  return `${cut}${name}`;
}
