// The text of a file read, as the model got it, with a number before every line → the number of its first line and the
// lines themselves. No imports: the page uses it too, on texts that it asks for later.

export interface NumberedText {
  readonly firstLine: number;
  readonly content: string;
}

const numbered = /^ *(\d{1,9})(?:→|\t)/;

/** `undefined` if the text does not begin with a number. Reminders of the client after the lines are left out. */
export function readNumbered(text: string): NumberedText | undefined {
  const first = numbered.exec(text);
  if (first === null) return undefined;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const match = numbered.exec(line);
    if (match === null) break;
    lines.push(line.slice(match[0].length));
  }
  return { firstLine: Number(first[1]), content: lines.join('\n') };
}
