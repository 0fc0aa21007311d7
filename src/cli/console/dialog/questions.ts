// Turns questions of the agent into dialogs, and the choices of the user into answers.

import type {
  Approval,
  RuleOffer,
  SessionChoice,
  ToolCallView,
  UserAnswer,
  UserQuestion,
} from '../../../agent/contract/index.ts';
import type { OfferItem } from '../../../agent/trust/index.ts';
import { exitCodes, UserError } from '../../../base/errors/index.ts';
import { asObject, asString, isArray, isObject, type JsonObject, prettyJson } from '../../../base/json/index.ts';
import { displayWidth, oneLine, reveal } from '../../../base/text/index.ts';
import { summariseInput, withoutFolder } from '../../../session/calls/index.ts';
import { wrapSpans } from '../../render/index.ts';
import { askedHunks, type Drawing, diffLines, wholeLines } from '../transcript/index.ts';
import { type Dialog, type DialogAnswer, type DialogChoice, makeDialog } from './dialog.ts';

export interface ApprovalRequest {
  readonly call: ToolCallView;
  readonly why: string;
  readonly always: readonly RuleOffer[];
  readonly agentId?: string;
}

/** Shows the whole action and the reason for the question. */
export function approvalDialog({ call, why, always, agentId }: ApprovalRequest): Dialog {
  const who = agentId === undefined ? '' : ' (asked by a sub-agent)';
  const choices: DialogChoice[] = [
    { label: 'Yes' },
    ...always.map(({ rule, scope }) => ({
      label: `Always ${scope === 'session' ? 'in this session' : 'in this project'}: ${oneLine(revealLine(rule), longestRule)}`,
    })),
    { label: 'No, and suggest something else', textFor: 'what the model should do instead' },
    { label: 'No, and stop' },
  ];
  return makeDialog({
    title: `Allow ${call.name}?${who}`,
    body: (drawing) => [...callBody(call, drawing), ...whyLines(why, drawing), ...ruleLines(always, drawing)],
    choices,
    escapeHint: 'Esc declines',
  });
}

export function approvalOf(answer: DialogAnswer, { always }: ApprovalRequest): Approval {
  const stop: Approval = {
    kind: 'deny',
    message: 'The user said no and wants to decide what comes next.',
    isInterrupt: true,
  };
  if (answer.kind === 'cancelled') return stop;
  const index = answer.indexes[0] ?? -1;
  if (index === 0) return { kind: 'allow' };
  const rule = always[index - 1];
  if (rule !== undefined) return { kind: 'allow', always: rule };
  if (answer.text === '') return stop;
  return { kind: 'deny', message: `The user said no, and: ${answer.text}`, isInterrupt: false };
}

const longestRule = 100;

/** A rule on one line, with escaped line breaks. */
function revealLine(rule: string): string {
  return reveal(rule).replaceAll('\n', '‹U+000A›').replaceAll('\t', '‹U+0009›');
}

/** Shows rules in full that are too long for a choice. */
function ruleLines(always: readonly RuleOffer[], drawing: Drawing): readonly string[] {
  return always
    .map(({ rule }) => revealLine(rule))
    .filter((rule) => displayWidth(rule) > longestRule || / {2}/.test(rule))
    .flatMap((rule) => noteLines(`"Always" saves this rule: ${rule}`, drawing));
}

function callBody(call: ToolCallView, drawing: Drawing): readonly string[] {
  const { style, columns, cwd } = drawing;
  const width = columns - 6;
  const summary = withoutFolder(summariseInput(call.name, call.input), cwd);
  const hunks = askedHunks(call.name, call.input);
  const wrap = (text: string): string[] => wholeLines(text, width).map((line) => `   ${style.code(line)}`);
  if (hunks.length > 0) {
    const diff = diffLines(hunks, { style, width, isPlaced: false, isWhole: true });
    return [...wrap(summary), ...diff.map((line) => `   ${line}`)];
  }
  const description = asString(call.input.description);
  const note = description === undefined ? [] : wholeLines(description, width).map((line) => style.muted(`   ${line}`));
  if (call.name === 'Bash') {
    const { command: _command, description: _description, ...rest } = call.input;
    return [...wrap(summary), ...note, ...(Object.keys(rest).length === 0 ? [] : wrap(prettyJson(rest)))];
  }
  const isWhole = Object.keys(call.input).length === 1 && summary !== '';
  return isWhole ? wrap(summary) : wrap(prettyJson(call.input));
}

function whyLines(why: string, { style, columns }: Drawing): readonly string[] {
  return why === '' ? [] : noteLines(`Why: ${why}`, { style, columns });
}

function noteLines(text: string, { style, columns }: Pick<Drawing, 'style' | 'columns'>): readonly string[] {
  return wrapSpans([{ text: reveal(text), paint: style.muted }], columns - 2, true).map((line) => ` ${line.text}`);
}

/** The plan itself is above, in the scrollback. */
export function planDialog(): Dialog {
  return makeDialog({
    title: 'Carry out this plan?',
    choices: [
      { label: 'Yes, and accept edits without asking' },
      { label: 'Yes, and ask before each edit' },
      { label: 'No, and suggest changes', textFor: 'what the plan should be instead' },
      { label: 'No, keep planning' },
    ],
    escapeHint: 'Esc keeps planning',
  });
}

export interface PlanDecision {
  readonly answer: UserAnswer;
  readonly acceptsEdits: boolean;
}

export function planDecisionOf(answer: DialogAnswer): PlanDecision {
  const index = answer.kind === 'cancelled' ? 3 : (answer.indexes[0] ?? 3);
  const comment = answer.kind === 'chosen' && answer.text !== '' ? { comment: answer.text } : {};
  return { answer: { kind: 'plan', isApproved: index < 2, ...comment }, acceptsEdits: index === 0 };
}

/** A permission that only the user can give: a server of the project, a file outside of it. */
export type ConsentQuestion = Extract<UserQuestion, { readonly kind: 'consent' }>;

export function consentDialog({ title, details, canKeep }: ConsentQuestion): Dialog {
  const kept = { hint: 'in this project, .claude/settings.local.json' };
  return makeDialog({
    title,
    body: ({ columns }) => details.flatMap((text) => wholeLines(text, columns - 6)).map((line) => `   ${line}`),
    choices: canKeep
      ? [{ label: 'Yes' }, { label: 'Yes, always', ...kept }, { label: 'No' }, { label: 'No, never', ...kept }]
      : [{ label: 'Yes' }, { label: 'No' }],
    escapeHint: 'Esc declines',
  });
}

export function consentOf(answer: DialogAnswer, { canKeep }: ConsentQuestion): UserAnswer {
  const index = answer.kind === 'cancelled' ? -1 : (answer.indexes[0] ?? -1);
  return { kind: 'consent', isGiven: index === 0 || (canKeep && index === 1), isKept: canKeep && index % 2 === 1 };
}

/** One question of AskUserQuestion. Its input comes from the model and may be anything. */
export function questionDialog(question: JsonObject, place: { readonly number: number; readonly of: number }): Dialog {
  const options = optionsOf(question);
  const header = asString(question.header);
  const count = place.of > 1 ? `${place.number} of ${place.of} · ` : '';
  return makeDialog({
    title: `${count}${header === undefined ? '' : `${header}: `}${questionText(question)}`,
    body: ({ style, columns }) =>
      options.length === 0 ? [style.muted(oneLine(' no choices available', columns))] : [],
    choices: [...options, { label: 'Something else', textFor: 'your own answer' }],
    isMultiple: question.multiSelect === true,
    escapeHint: 'Esc skips the question',
  });
}

export function questionText(question: JsonObject): string {
  return asString(question.question) ?? 'The model asks';
}

/** The chosen labels, or the typed text. */
export function questionAnswer(question: JsonObject, answer: DialogAnswer): string | undefined {
  if (answer.kind === 'cancelled') return undefined;
  const options = optionsOf(question);
  return answer.indexes.map((index) => options[index]?.label ?? answer.text).join(', ');
}

function optionsOf(question: JsonObject): readonly DialogChoice[] {
  const options = isArray(question.options) ? question.options : [];
  return options.flatMap((option) => {
    const label = asString(option) ?? asString(asObject(option)?.label);
    if (label === undefined) return [];
    const hint = isObject(option) ? asString(option.description) : undefined;
    return [{ label, ...(hint === undefined ? {} : { hint }) }];
  });
}

export async function openOrCopy<T>(
  session: SessionChoice,
  open: (session: SessionChoice) => Promise<T>,
  ask: (dialog: Dialog) => Promise<DialogAnswer>,
): Promise<T> {
  try {
    return await open(session);
  } catch (error) {
    const isTaken = error instanceof UserError && error.exitCode === exitCodes.refused;
    if (!isTaken || session.kind === 'new' || session.fork !== undefined) throw error;
    const answer = await ask(copyDialog(error.message.split(';')[0] ?? ''));
    if (answer.kind === 'cancelled' || answer.indexes[0] !== 0) throw error;
    return open({ ...session, fork: {} });
  }
}

function copyDialog(message: string): Dialog {
  return makeDialog({
    title: 'Continue in a copy?',
    body: (drawing) => noteLines(message, drawing),
    choices: [{ label: 'Yes, in a copy', hint: 'the session itself does not change' }, { label: 'No' }],
    escapeHint: 'Esc declines',
  });
}

export type AskDialog = (dialog: Dialog) => Promise<DialogAnswer>;

/** The safe answer comes first, so that a key pressed too early accepts nothing. */
export function trustDialog(folder: string, items: readonly OfferItem[]): Dialog {
  return makeDialog({
    title: 'Trust this folder?',
    body: (drawing) => [
      ...noteLines(`${folder} contains settings that run programs or change permissions:`, drawing),
      ...items.flatMap((item) => itemLines(item, drawing)),
    ],
    choices: [{ label: 'No, work without them' }, { label: 'Yes, I trust this folder', hint: 'from now on' }],
    escapeHint: 'Esc declines',
  });
}

export function isTrusted(answer: DialogAnswer): boolean {
  return answer.kind === 'chosen' && answer.indexes[0] === 1;
}

function itemLines({ kind, text, source, isAskedApart }: OfferItem, { columns }: Drawing): readonly string[] {
  const apart = isAskedApart === true ? ', asked later' : '';
  const lines = wholeLines(`${kind}: ${text} (${source}${apart})`, columns - 6);
  return lines.map((line, i) => `   ${i === 0 ? '' : '  '}${line}`);
}
