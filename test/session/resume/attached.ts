// A session with an attachment between two turns.
import { type Fields, type TranscriptBuilder, transcript } from '../../support/transcript-builder.ts';

export function attached(attachment: object, rendered?: unknown): TranscriptBuilder {
  return transcript()
    .user('q')
    .assistant('a')
    .attachment('x', undefined, { attachment, rendered } as Fields)
    .user('q2')
    .assistant('b');
}
