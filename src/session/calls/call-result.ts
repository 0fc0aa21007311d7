// The blocks of a tool call's result → its text and its outcome in a few words, for a reader.

import { asObject, asString, parseJson } from '../../base/json/index.ts';
import { counted, formatCount } from '../../base/text/index.ts';
import { type Block, isImage, textOf } from '../../format/entry/index.ts';

/** The text, with a mark if there are images. */
export function resultText(blocks: readonly Block[]): string {
  const images = blocks.filter(isImage).length;
  const text = textOf(blocks).trim() === '' ? foundTools(blocks) : textOf(blocks);
  if (images === 0) return text;
  const gap = text === '' || /\s$/.test(text) ? '' : ' ';
  return `${text}${gap}[${images === 1 ? 'image' : counted(images, 'image')}]`;
}

/** A search for tools returns references to them. */
function foundTools(blocks: readonly Block[]): string {
  return blocks
    .flatMap((block) => (block.type === 'tool_reference' ? (asString(block.tool_name) ?? []) : []))
    .join(', ');
}

/** The part of a call that its outcome needs. */
export interface FinishedCall {
  readonly isError: boolean;
  readonly result: unknown;
}

/** The error, the one line of the answer, or its number of lines; `summary` is the input summary that the reader sees. */
export function outcomeOf(call: FinishedCall, result: string, summary: string): string {
  if (call.result === undefined) return 'no result in the file';
  const text = withoutErrorTags(result).trim();
  const [first = '', ...more] = text.split('\n');
  if (call.isError) return first;
  if (more.length > 0) return `${formatCount(more.length + 1)} lines`;
  // "The file … has been updated" repeats the summary.
  return summary !== '' && first.includes(summary) ? '' : first;
}

/** Sentences that the client writes for the model → what they mean for a reader; the input summary says the rest. */
const knownSentences: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  TodoWrite: [[/^(?:Todos have been modified|The list has been updated)/, '']],
  TaskCreate: [[/^Task (#\S{1,40}) created successfully/, '$1']],
  TaskUpdate: [[/^Updated task #/, '']],
  ExitPlanMode: [[/^(?:The )?[Uu]ser has approved /, 'approved']],
  exit_plan_mode: [[/^(?:The )?[Uu]ser has approved /, 'approved']],
  Skill: [[/^Launching skill: /, '']],
};

/** Tools whose result is an object with a message for the reader. */
const jsonReplies: ReadonlySet<string> = new Set(['SendMessage', 'KillShell', 'KillBash', 'TaskStop', 'TeamDelete']);

/** The outcome of a call whose result is one of the client's own sentences; `undefined` for any other result. */
export function knownOutcome(tool: string, result: string): string | undefined {
  const known = Object.hasOwn(knownSentences, tool) ? (knownSentences[tool] ?? []) : [];
  if (jsonReplies.has(tool)) return asString(asObject(parseJson(result.trim()))?.message);
  for (const [pattern, outcome] of known) {
    const found = pattern.exec(result);
    if (found !== null) return outcome.replace('$1', () => found[1] ?? '');
  }
  return undefined;
}

/** The client wraps the text of a failed call in tags for the model. */
export function withoutErrorTags(text: string): string {
  return text.replace(/<\/?tool_use_error>/g, '');
}

/** Paths below the working directory are shown relative to it. */
export function withoutFolder(text: string, folder: string | undefined): string {
  return folder !== undefined && text.startsWith(`${folder}/`) ? text.slice(folder.length + 1) : text;
}
