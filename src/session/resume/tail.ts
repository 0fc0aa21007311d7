// Drafts → the drafts with an end that a prompt can follow, and the prompt. (RESUME rules 35–37, 51, 68.)
import { asString } from '../../base/json.ts';
import { texts } from './client.ts';
import { type Draft, madeDraft, textBlock, type WireBlock } from './draft.ts';

/** Marks the place of the client's own reminders: they are not ours to predict, but they decide where a newline goes. */
const reminder: unique symbol = Symbol('own reminder');

export function isReminder(block: WireBlock): boolean {
  return reminder in block;
}

/** Rule 35: a conversation that ends with the user gets an answer, so that the prompt is a message of its own. */
export function withAnsweredEnd(drafts: readonly Draft[]): Draft[] {
  const lastMessage = drafts.findLastIndex((draft) => draft.source === 'message');
  const end = lastMessage < 0 ? drafts.length - 1 : lastMessage;
  const last = drafts[end];
  if (last === undefined || last.role !== 'user' || last.source === 'local-command') return [...drafts];
  if (endsInCommand(drafts, end)) return [...drafts];
  let at = end + 1;
  while (drafts[at]?.source === 'attachment') at++;
  return [...drafts.slice(0, at), madeDraft('assistant', [textBlock(texts.noResponse)]), ...drafts.slice(at)];
}

/** Rule 37: not where the end is the output of a command that the user ran beside the conversation. */
function endsInCommand(drafts: readonly Draft[], end: number): boolean {
  let i = end;
  while (i >= 0 && drafts[i]?.role === 'user' && commandStart.test(firstText(drafts[i]))) i--;
  const before = drafts[i];
  return before?.isMeta === true && firstText(before).startsWith('<local-command-caveat>');
}

const commandStart = /^<(local-command-stdout|local-command-stderr|command-name|command-message)>/;

function firstText(draft: Draft | undefined): string {
  const block = draft?.content[0];
  return block?.type === 'text' ? (asString(block.text) ?? '') : '';
}

/** Rules 51 and 68: the prompt, and behind it the client's reminders, which `moveAttachmentsUp` then places. */
export function withPrompt(drafts: readonly Draft[], prompt: string, hasReminders: boolean): Draft[] {
  const asked = [...drafts, madeDraft('user', [textBlock(prompt)])];
  if (!hasReminders) return asked;
  const mark: WireBlock = Object.assign(textBlock(''), { [reminder]: true });
  return [...asked, { ...madeDraft('user', [mark]), source: 'attachment' }];
}
