// What a user line is: not everything of type `user` was typed by the user. The order of the questions is the rule
// (a compact summary, say, is also plain text), and a line of tool results may carry a prompt as well.
import type { InputHead } from '../../format/scan/head.ts';

/** What an entry of the role `user` is. */
export type UserKind =
  | 'human'
  | 'results'
  | 'injected'
  | 'summary'
  | 'command'
  | 'local-output'
  | 'bash'
  | 'notification'
  | 'interrupt';

/** How a prompt was given. */
export type PromptKind = 'plain' | 'slash-command' | 'ide-selection' | 'ide-opened-file' | 'image' | 'queued';

export interface UserInput {
  readonly kind: UserKind;
  /** Present if the user typed it: such a line begins a turn. */
  readonly prompt: PromptKind | undefined;
}

export function classifyUser(head: InputHead): UserInput {
  const blockTypes = head.message?.blockTypes ?? [];
  const texts = head.textPrefixes.filter((text) => !text.startsWith('<system-reminder>'));
  if (blockTypes.includes('tool_result')) {
    const isSaid = !head.isMeta && !head.isCompactSummary && texts.some((text) => kindOfText(text) === 'human');
    return { kind: 'results', prompt: isSaid ? promptKind(texts, blockTypes) : undefined };
  }
  if (head.isMeta) return { kind: 'injected', prompt: undefined };
  if (head.isCompactSummary) return { kind: 'summary', prompt: undefined };
  const first = texts[0];
  if (first === undefined) {
    // Only reminders, or nothing: injected. An image or a document alone is a prompt.
    if (blockTypes.includes('image')) return { kind: 'human', prompt: 'image' };
    if (blockTypes.includes('document')) return { kind: 'human', prompt: 'plain' };
    return { kind: head.textPrefixes.length > 0 ? 'injected' : 'human', prompt: undefined };
  }
  const kind = kindOfText(first);
  if (kind === 'command') return { kind, prompt: 'slash-command' };
  return { kind, prompt: kind === 'human' ? promptKind(texts, blockTypes) : undefined };
}

/** What a single text is, by how it starts. */
export function kindOfText(text: string): UserKind {
  for (const [start, kind] of starts) if (text.startsWith(start)) return kind;
  return 'human';
}

const starts: readonly (readonly [string, UserKind])[] = [
  ['<command-name>', 'command'],
  ['<command-message>', 'command'],
  ['<local-command-stdout>', 'local-output'],
  ['<local-command-stderr>', 'local-output'],
  ['<local-command-caveat>', 'local-output'],
  ['<bash-input>', 'bash'],
  ['<bash-stdout>', 'bash'],
  ['<bash-stderr>', 'bash'],
  ['<task-notification>', 'notification'],
  ['[Request interrupted by user', 'interrupt'],
];

function promptKind(texts: readonly string[], blockTypes: readonly string[]): PromptKind {
  if (texts.some((text) => text.startsWith('<ide_selection>'))) return 'ide-selection';
  if (texts.some((text) => text.startsWith('<ide_opened_file>'))) return 'ide-opened-file';
  return blockTypes.includes('image') ? 'image' : 'plain';
}
