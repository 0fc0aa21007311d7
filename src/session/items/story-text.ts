// A text of a transcript with the place it was read from, so that a sink may cut it and fetch the rest later.

/** A value inside a record: the JSON Pointer (RFC 6901) from its root. */
export interface Ref {
  /** Among the records of the transcript, from 0. */
  readonly record: number;
  readonly pointer: string;
}

/** What a text is: a sink chooses how much of it to show. */
export type TextRole = 'answer' | 'prompt' | 'thinking' | 'output' | 'note';

/** A text with the place it was read from. It is a class, so that a sink can recognise texts anywhere in an item. */
export class StoryText {
  readonly text: string;
  readonly role: TextRole;
  readonly at: Ref | null;

  constructor(text: string, role: TextRole, at: Ref | null) {
    this.text = text;
    this.role = role;
    this.at = at;
  }

  get isBlank(): boolean {
    return this.text.trim() === '';
  }
}
