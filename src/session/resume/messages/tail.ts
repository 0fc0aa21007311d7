// Drafts → drafts whose end a prompt can follow, and the prompt. (RESUME rules 35–37, 51, 68, R8.)
import { asString } from '../../../base/json/json.ts';
import { texts } from '../client/client.ts';
import { type ClientRules, currentRules } from '../client/client-rules.ts';
import { type Draft, madeDraft, ownReminder, textBlock } from './draft.ts';
import { hasResult } from './filter.ts';

/** Rule 35: a conversation that ends with the user gets an answer, so that the prompt is a separate message. */
export function withAnsweredEnd(ended: readonly Draft[], rules: ClientRules = currentRules): Draft[] {
  const drafts = rules.has('closesOpenCalls') ? ended : withOpenTurnContinued(ended, rules);
  const lastMessage = drafts.findLastIndex((draft) => draft.source === 'message');
  const end = lastMessage < 0 ? drafts.length - 1 : lastMessage;
  const last = drafts[end];
  if (last === undefined || last.source === 'local-command') return [...drafts];
  if (last.role === 'user' ? endsInCommand(drafts, end) || isInterrupted(drafts, end) : !joinsBeforeNote(drafts, end))
    return [...drafts];
  let at = drafts.length;
  while (drafts[at - 1]?.source === 'local-command') at--;
  return [...drafts.slice(0, at), madeDraft('assistant', [textBlock(texts.noResponse)]), ...drafts.slice(at)];
}

/** Older clients: a turn that ended in a result or an attachment gets a text that asks the model to continue. */
function withOpenTurnContinued(drafts: readonly Draft[], rules: ClientRules): readonly Draft[] {
  const isSaid = ({ source, isApiError }: Draft): boolean => source === 'message' && !isApiError;
  const last = drafts.findLast((draft) => isSaid(draft) || draft.source === 'attachment');
  const said = drafts.findLast(isSaid);
  const isOpen =
    last?.source !== 'attachment'
      ? last?.role === 'user' && hasResult(last)
      : !rules.has('looksPastAttachments') || (said?.role === 'user' && !interruptions.has(firstText(said)));
  return isOpen ? [...drafts, { ...madeDraft('user', [textBlock(texts.goOn)]), source: 'message' }] : drafts;
}

/** Rule 37: not if the end is the output of a command that the user ran outside the conversation. */
function endsInCommand(drafts: readonly Draft[], end: number): boolean {
  let i = end;
  while (i >= 0 && drafts[i]?.role === 'user' && commandStart.test(firstText(drafts[i]))) i--;
  const before = drafts[i];
  return before?.isMeta === true && firstText(before).startsWith('<local-command-caveat>');
}

/** R8: not if the end is an interruption mark with an attachment below it. */
function isInterrupted(drafts: readonly Draft[], end: number): boolean {
  return interruptions.has(firstText(drafts[end])) && drafts[end + 1]?.source === 'attachment';
}

const interruptions: ReadonlySet<string> = new Set([
  '[Request interrupted by user]',
  '[Request interrupted by user for tool use]',
]);

/** Whether the last line joins a message before a result with an attachment; then the result is the end. */
function joinsBeforeNote(drafts: readonly Draft[], end: number): boolean {
  const id = drafts[end]?.id;
  if (id === undefined) return false;
  const start = drafts.findLastIndex((draft, i) => i < end && draft.id !== id && draft.role === 'assistant') + 1;
  const between = drafts.slice(start, end);
  const result = between.findLastIndex(hasResult);
  const isJoined = result >= 0 && between.slice(0, result).some((draft) => draft.id === id);
  return isJoined && between.slice(result + 1).some((draft) => draft.source === 'attachment');
}

const commandStart = /^<(local-command-stdout|local-command-stderr|command-name|command-message)>/;

function firstText(draft: Draft | undefined): string {
  const block = draft?.content[0];
  return block?.type === 'text' ? (asString(block.text) ?? '') : '';
}

/** Rules 51 and 68: the prompt and then the client's reminders, which `moveAttachmentsUp` places. */
export function withPrompt(drafts: readonly Draft[], prompt: string, hasReminders: boolean): Draft[] {
  const asked = [...drafts, madeDraft('user', [textBlock(prompt)])];
  if (!hasReminders) return asked;
  return [...asked, { ...madeDraft('user', [ownReminder]), source: 'attachment' }];
}
