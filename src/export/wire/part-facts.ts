// What a part of a turn holds, as far as the heads of its lines say: small numbers in the head of a session, so that a
// filtered view knows its rows before it loads them. Types and names only, for the builder and for the page.

/** Bits of `TurnRow.partBits`. A part may turn out to hold less than its bits say, never more. */
export const partBits = {
  prompt: 1,
  /** A prompt typed while the agent worked. */
  queued: 2,
  /** Answers, readable notes, images, forks, files that the user attached. */
  talk: 4,
  /** Thinking, readable or not. */
  thinking: 8,
  call: 16,
  /** A failed call or request. */
  error: 32,
  /** Lines that say only in their content whether they are an error. */
  maybeError: 64,
  compaction: 128,
  /** What the client sent only to the model, and its own bookkeeping. */
  context: 256,
} as const;

/** A tool of the session. */
export interface ToolCount {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
}

/**
 * The attachments that a user chose: files and folders named with `@`, and what is selected in the editor. The client
 * attaches everything else on its own. By `attachment.type`.
 */
export const chosenAttachments: readonly string[] = [
  'file',
  'directory',
  'pdf_reference',
  'compact_file_reference',
  'already_read_file',
  'mcp_resource',
  'agent_mention',
  'selected_lines_in_ide',
  'opened_file_in_ide',
];
