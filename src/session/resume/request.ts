// A transcript → exactly the messages that client 2.1.325 sends when it resumes it, before its own additions
// (reminders, cache marks), or why it refuses. One stage after the other; each stage is a file beside this one.
import type { Node } from '../node.ts';
import { takesSystemRole } from './client.ts';
import { draftLines, type WireMessage } from './draft.ts';
import { filterDrafts } from './filter.ts';
import { type ResumeSource, resumeLines } from './lines.ts';
import { mergeDrafts } from './merge.ts';
import { forModel, requestModel } from './model.ts';
import { repairMessages } from './repair.ts';
import { withAnsweredEnd, withPrompt } from './tail.ts';

export type ResumeRequest =
  | { readonly messages: readonly WireMessage[]; readonly model: string }
  | { readonly refused: string };

/** Without a prompt: the history alone, as it stands before one is added. */
export function requestMessages(session: { readonly transcript: ResumeSource }, prompt?: string): ResumeRequest {
  const source = session.transcript;
  const found = resumeLines(session);
  if ('refused' in found) return found;
  const { lines } = found;
  const filtered = filterDrafts(draftLines(lines, (node) => source.read(node)));
  const model = requestModel(filtered);
  const answered = withAnsweredEnd(forModel(filtered, model));
  const asked = prompt === undefined ? answered : withPrompt(answered, prompt, hasReminders(lines, model));
  return { messages: repairMessages(mergeDrafts(asked)), model };
}

/** Rule 51: the client adds reminders of its own, unless the session already has what they would say. */
function hasReminders(lines: readonly Node[], model: string): boolean {
  return !takesSystemRole(model) || !lines.some((node) => node.subtype === 'remote_session_change');
}
