// What the slices of the context ledger are called on the page, and the colours of their families.
import type { ContextSlice, SliceKind } from '../../../../context/wire/index.ts';

const names: Readonly<Record<SliceKind, string>> = {
  system: 'System prompt',
  tools: 'Tool definitions',
  mcp: 'MCP',
  skills: 'Skills, commands, agents',
  instructions: 'Instructions and memory',
  reminders: 'Reminders',
  summary: 'Summary of a compaction',
  prompts: 'Prompts',
  files: 'File contents',
  output: 'Output',
  images: 'Images',
  calls: 'Calls',
  answers: 'Answers',
  thinking: 'Thinking',
  unrecorded: 'Not in the transcript',
  silent: 'Not sent',
};

/** The class of a colour: kinds that belong together have the same one. */
export type Family = 'given' | 'tools' | 'prompts' | 'files' | 'output' | 'answers' | 'thinking';

const families: Readonly<Record<SliceKind, Family>> = {
  system: 'given',
  tools: 'given',
  mcp: 'given',
  skills: 'given',
  instructions: 'given',
  reminders: 'given',
  summary: 'prompts',
  prompts: 'prompts',
  files: 'files',
  output: 'output',
  images: 'files',
  calls: 'tools',
  answers: 'answers',
  thinking: 'thinking',
  unrecorded: 'given',
  silent: 'given',
};

export function sliceName({ kind, name }: Pick<ContextSlice, 'kind' | 'name'>): string {
  if (name === null) return names[kind];
  if (kind === 'output') return `Output of ${name}`;
  if (kind === 'calls') return `Calls of ${name}`;
  return `${names[kind]}: ${name}`;
}

export function familyOf({ kind }: Pick<ContextSlice, 'kind'>): Family {
  return families[kind];
}

/** `12`, `12–40`, `12–40 and 3 more places`. */
export function linesText(lines: ContextSlice['lines']): string {
  const [first] = lines;
  if (first === undefined) return '';
  const [from, to] = first;
  const range = from === to ? `line ${from}` : `lines ${from}–${to}`;
  const more = lines.length - 1;
  return more === 0 ? range : `${range} and ${more} more ${more === 1 ? 'place' : 'places'}`;
}

export function shareText(part: number, whole: number): string {
  if (whole <= 0) return '';
  const percent = (100 * part) / whole;
  return percent > 0 && percent < 1 ? '< 1 %' : `${Math.round(percent)} %`;
}

/** The command with the beginning of the session's id, which also names it; the whole command is what is copied. */
export function shortCommand(command: string): string {
  return command.replace(/\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/, '$1');
}
