// Describes a difference between a request and the recording, with both sides cut to where they differ.

/** A difference between a request and the recorded session. */
export interface Mismatch {
  /** `end`: nothing was recorded after this. */
  readonly kind: 'prompt' | 'result' | 'answer' | 'end';
  readonly what: string;
  readonly recorded: string;
  readonly sent: string;
}

const before = 20;
const shown = 120;

export function makeMismatch(kind: Mismatch['kind'], what: string, recorded: string, sent: string): Mismatch {
  let same = 0;
  while (same < recorded.length && recorded[same] === sent[same]) same++;
  return { kind, what, recorded: excerpt(recorded, same), sent: excerpt(sent, same) };
}

function excerpt(text: string, at: number): string {
  const start = text.length <= shown ? 0 : Math.max(0, at - before);
  const end = start + shown;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`.toWellFormed();
}

/** `the prompt differs: recorded "fix it", sent "repair it"` */
export function mismatchText({ kind, what, recorded, sent }: Mismatch): string {
  if (kind === 'end') return what;
  return `${what} differs: recorded ${JSON.stringify(recorded)}, sent ${JSON.stringify(sent)}`;
}
