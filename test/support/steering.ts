// What a terminal must never get from a session, a file name or an argument.

/** All but tabs and newlines that moves a cursor, starts a sequence or changes the direction of text. */
const steering = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** The first control sequence with its context; `undefined` if everything is text. */
export function steeringIn(text: string): string | undefined {
  const at = text.search(steering);
  return at < 0 ? undefined : `prints ${JSON.stringify(text.slice(Math.max(0, at - 40), at + 20))}`;
}

/** Removes what a terminal and Clew add without colours: line ends, progress bars, and the line of a question. */
export function withoutOwnSequences(text: string): string {
  return text
    .replace(/\r\x1b\[K|\r[^\r\n\x1b]*\x1b\[K/g, '')
    .replace(/\x1b\[1G\x1b\[0J|\x1b\[\d+G/g, '')
    .replace(/\r+\n/g, '\n');
}
