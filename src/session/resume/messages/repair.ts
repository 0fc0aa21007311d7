// Messages → messages the API accepts: calls and results in pairs, no empty texts, well-formed strings.
// (RESUME rules 1, 32, 44, 57–63, R3–R5.)
import { asObject, asString, hasLoneSurrogate, isArray, wellFormed } from '../../../base/json/index.ts';
import type { Node } from '../../transcript/index.ts';
import { type ClientRules, currentRules, texts } from '../client/index.ts';
import { type Draft, isOwnReminder, madeDraft, textBlock, type WireBlock, type WireMessage } from './draft.ts';
import { type CallId, callIds, isBlankText, resultFor } from './filter.ts';
import { callsLast } from './merge.ts';

/** Each message with the lines it comes from. */
export function repairMessages(merged: readonly Draft[], rules: ClientRules = currentRules): ResumeMessage[] {
  const assistants = withAnswersBetween(repairAssistants(merged, rules));
  return repairUsers(assistants, rules)
    .map(({ role, content, lines }) => ({ role, content: content.filter((block) => !isOwnReminder(block)), lines }))
    .filter((message) => message.content.length > 0)
    .map((message) =>
      rules.has('replacesSurrogates') && hasLoneSurrogate(message.content)
        ? // Rule 1: a lone surrogate is sent as U+FFFD.
          { ...message, content: wellFormed(message.content) as WireMessage['content'] } // the same shape
        : message,
    );
}

export interface ResumeMessage extends WireMessage {
  /** Empty if the client inserts the message. */
  readonly lines: readonly Node[];
}

/**
 * Rules 57, 58, 62, 63, R3, R4: no empty text, no `fallback` block, no call twice, no call of a server tool without its
 * result, names and inputs as the client has them now.
 */
function repairAssistants(merged: readonly Draft[], rules: ClientRules): Draft[] {
  const used = new Set<CallId>();
  return merged.map((draft) => {
    if (draft.role !== 'assistant') return draft;
    const isSent = (block: WireBlock): boolean => !(isEmptyText(block) && rules.has('dropsBlankLines'));
    const spoken = callsLast(draft.content.filter((block) => isSent(block) && block.type !== 'fallback'));
    if (spoken.length === 0) return { ...draft, content: [citedText(texts.noContent)] };
    const served = new Set(draft.content.map((block) => block.tool_use_id));
    const once = spoken.filter((block) => {
      if (block.type === 'server_tool_use' || block.type === 'mcp_tool_use') return served.has(block.id);
      if (block.type !== 'tool_use') return true;
      const id = block.id;
      return !used.has(id) && used.add(id);
    });
    return {
      ...draft,
      content: once.length === 0 ? [citedText(texts.repeatedCall)] : once.map((block) => currentCall(block, rules)),
    };
  });
}

/** Rule 32: a message for results is inserted between two answers if the first has calls. */
function withAnswersBetween(drafts: readonly Draft[]): Draft[] {
  return drafts.flatMap((draft, i) => {
    const opens = draft.role === 'assistant' && callIds(draft.content).length > 0;
    return opens && drafts[i + 1]?.role === 'assistant' ? [draft, madeDraft('user', [])] : [draft];
  });
}

/** Rules 32, 59, 60: exactly the results of the message before, and no blank text. */
function repairUsers(drafts: readonly Draft[], rules: ClientRules): Draft[] {
  const answered = new Set<CallId>();
  return drafts.map((draft, i) => {
    if (draft.role !== 'user') return draft;
    const before = drafts[i - 1];
    const calls = new Set(before?.role === 'assistant' ? callIds(before.content) : []);
    const paired = draft.content.filter((block) => {
      if (block.type !== 'tool_result') return true;
      const id = block.tool_use_id;
      if (!rules.has('dropsRepeatedResults')) return calls.has(id);
      return calls.has(id) && !answered.has(id) && answered.add(id);
    });
    const got = new Set(paired.filter((block) => block.type === 'tool_result').map((block) => block.tool_use_id));
    const missing = [...calls].filter((id) => !got.has(id)).map((id) => resultFor(id, texts.missingResult));
    const content = [...missing, ...paired.map(withTextsOnly)];
    if (content.length === 0 && !rules.has('keepsEmptiedPrompts')) return { ...draft, content };
    if (content.length === 0)
      return { ...draft, content: [textBlock(i === 0 ? texts.orphanedResult : texts.noContent)] };
    if (draft.isBareString && (i > 0 || !rules.has('dropsEmptyStart'))) return { ...draft, content };
    // Older clients have a reminder before the first prompt, so nothing is inserted.
    if (i === 0 && rules.has('dropsEmptyStart'))
      return { ...draft, content: content.filter((block) => !isBlankText(block)) };
    if (!rules.has('dropsBlankPrompts')) return { ...draft, content };
    const spoken = content.filter((block) => isOwnReminder(block) || !isBlankText(block));
    return { ...draft, content: spoken.length === 0 ? [textBlock(texts.noContent)] : spoken };
  });
}

/** R5: a failed result with more than texts is reduced to its joined texts. */
function withTextsOnly(block: WireBlock): WireBlock {
  if (block.type !== 'tool_result' || block.is_error !== true || !isArray(block.content)) return block;
  const texts = block.content.filter((item) => asObject(item)?.type === 'text');
  if (texts.length === block.content.length) return block;
  const joined = texts.map((item) => asString(asObject(item)?.text) ?? '').join('\n\n');
  return { ...block, content: texts.length === 0 ? [] : [textBlock(joined)] };
}

function isEmptyText(block: WireBlock): boolean {
  return block.type === 'text' && block.text === '';
}

function citedText(text: string): WireBlock {
  return { ...textBlock(text), citations: [] };
}

/** Rules 62 and 63: the one tool that was renamed, and the one whose input was cut down. */
function currentCall(block: WireBlock, rules: ClientRules): WireBlock {
  if (block.type !== 'tool_use') return block;
  if (block.name === 'Task' && rules.has('renamesTask')) return { ...block, name: 'Agent' };
  const input = asObject(block.input);
  if (block.name !== 'SendMessage' || !input?.to || input.message === undefined) return block;
  const { type, recipient, content, request_id, approve, ...rest } = input;
  return { ...block, input: rest };
}
