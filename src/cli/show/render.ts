// A session → text for the terminal: a header, then its story turn by turn. Chunks are printed as they are ready, so that
// a pager shows the first turn while the last is still being read.

import { isObject, type JsonValue, prettyJson } from '../../base/json/index.ts';
import { counted, formatCount, oneLine } from '../../base/text/index.ts';
import { outputText, turnUsage, usageText } from '../../session/facts/index.ts';
import type {
  CallItem,
  ContextItem,
  ErrorItem,
  ForkItem,
  Item,
  NoteItem,
  PromptItem,
  StoryAgent,
} from '../../session/items/index.ts';
import type { Branch, Session } from '../../session/load/index.ts';
import { attachedLine, compactionFacts, nameOfAgent, Story } from '../../session/story/index.ts';
import type { Turn } from '../../session/turns/index.ts';
import { renderMarkdown } from '../markdown/index.ts';
import { barred, callLine, hanging, indentLines, localTime, quoted, rule } from '../render/index.ts';
import type { Style } from '../terminal/index.ts';
import { type HeaderOptions, showHeader } from './header.ts';

export interface ShowTextOptions extends HeaderOptions {
  readonly full: boolean;
  /** One turn only: without the header, and without what belongs to the whole session. */
  readonly isExcerpt: boolean;
}

export async function* showText(
  session: Session,
  branch: Branch | undefined,
  turns: readonly Turn[],
  options: ShowTextOptions,
): AsyncGenerator<string> {
  const { isExcerpt, style } = options;
  const story = new Story(session, { branch });
  if (!isExcerpt) yield showHeader(session, branch, options);
  for (const [i, turn] of turns.entries()) {
    yield `${isExcerpt && i === 0 ? '' : '\n'}${turnRule(session, turn, options)}\n`;
    for (const item of story.items(turn)) yield* showItem(story, item, options);
  }
  if (turns.length === 0) yield `\n${style.muted('No conversation in this file, only bookkeeping.')}\n`;
  if (!isExcerpt && branch?.active === true) yield* leftovers(story, options);
}

function turnRule(session: Session, turn: Turn, { style, width }: ShowTextOptions): string {
  const usage = turnUsage(session, turn);
  const facts = [
    String(turn.index),
    localTime(turn.nodes[0]?.time ?? Number.NaN),
    usage.messages === 0 ? '' : usageText(usage),
  ];
  return style.muted(
    rule(
      '─',
      facts.filter((fact) => fact !== ''),
      width,
    ),
  );
}

/** What belongs to no turn: prompts that were never sent, sub-agents that no call started. */
function* leftovers(story: Story, options: ShowTextOptions): Generator<string> {
  const { style, width } = options;
  for (const { text } of story.waiting) {
    yield `\n${quoted(text, '❯', options)}\n${style.muted('  (typed, but never sent)')}\n`;
  }
  const { unstarted } = story;
  if (unstarted.length === 0) return;
  const names = unstarted.map((agent) => nameOfAgent(agent) ?? agent.agentId).join(', ');
  const text = `${counted(unstarted.length, 'sub-agent')} that no call here started: ${names}`;
  yield `\n${hanging(text, { mark: '↳', width, paintMark: style.accent, paint: style.muted })}\n`;
}

// The items of a story → lines for the terminal.

export interface ItemOptions {
  /** With the input and output of calls, thinking, and what the client sent to the model. */
  readonly full: boolean;
  readonly style: Style;
  readonly width: number;
  readonly isAgent?: boolean;
}

export async function* showItem(story: Story, item: Item, options: ItemOptions): AsyncGenerator<string> {
  const { style, full, width } = options;
  switch (item.kind) {
    case 'prompt':
      yield options.isAgent === true ? agentPrompt(item, options) : promptLines(story, item, options);
      return;
    case 'queued':
      yield `\n${quoted(item.text.text, '❯', options)}\n${style.muted('  (typed while it worked)')}\n`;
      return;
    case 'text':
      yield `\n${renderMarkdown(item.text.text, { width, style })}\n`;
      return;
    case 'thinking':
      if (item.text === null) yield `${style.muted('┊ thought (not readable)')}\n`;
      else if (full) yield `\n${barred(item.text.text, '┊ ', style.muted, width)}\n`;
      else yield `${style.muted(`┊ thought, ${formatCount(item.text.text.length)} characters`)}\n`;
      return;
    case 'call':
      yield* callLines(story, item, options);
      return;
    case 'error':
      yield errorLines(item, options);
      return;
    case 'note':
      yield `${noteLine(item, options)}\n`;
      return;
    case 'context':
      if (full) yield contextLines(item, options);
      return;
    case 'compaction':
      yield `\n${style.yellow(rule('═', compactionFacts(item), width))}\n`;
      return;
    case 'summary':
      if (full) yield `${barred(item.text.text, '┊ ', style.muted, width)}\n`;
      else yield `${style.muted(`┊ summary, ${formatCount(item.text.text.length)} characters`)}\n`;
      return;
    case 'fork':
      yield forkLine(item, options);
      return;
    case 'image':
    case 'block': {
      const type = item.kind === 'image' ? 'image' : item.type;
      yield `${style.muted(`[${oneLine(type, width - 2)}]`)}\n`;
      return;
    }
    default:
      item satisfies never;
  }
}

function promptLines(story: Story, { text, attached, images, promptKind }: PromptItem, options: ItemOptions): string {
  const { style, width, full } = options;
  const notes = [...imageNote(images.length), ...(promptKind === 'queued' ? ['(typed while it worked)'] : [])];
  const shown = attached.filter(({ source }) => full || source !== 'reminder');
  const context = shown.flatMap((each) => [
    style.muted(`  [${oneLine(attachedLine(each, story.cwd), width - 4)}]`),
    ...(full && !each.text.isBlank ? [barred(each.text.text, '  + ', style.muted, width)] : []),
  ]);
  const lines = text.isBlank && notes.length + context.length > 0 ? [] : [quoted(text.text, '❯', options)];
  return [...lines, ...context, ...notes.map((note) => style.muted(`  ${note}`)), ''].join('\n');
}

export function imageNote(images: number): readonly string[] {
  return images === 0 ? [] : [`[${images === 1 ? 'image' : counted(images, 'image')}]`];
}

/** The task of a sub-agent, with all that the client attached; the call shows it in short. */
function agentPrompt({ text, attached }: PromptItem, { full, style, width }: ItemOptions): string {
  const whole = [...attached.map((each) => each.text.text), text.text].join('\n');
  return full && whole !== '' ? `${barred(whole, '+ ', style.muted, width)}\n` : '';
}

function noteLine({ about, label, text }: NoteItem, { style, width, full }: ItemOptions): string {
  const words = oneLine(text.text, width - 2);
  switch (about) {
    case 'interrupt':
      return style.yellow(`■ ${words}`);
    case 'shell':
      return `${style.accent('!')} ${words}`;
    case 'output':
      return full ? barred(text.text, '  ', style.muted, width) : style.muted(`  ${words}`);
    case 'notification':
      return style.muted(`◆ ${words}`);
    case 'message':
      return [style.accent(`◆ ${oneLine(label, width - 2)}`), barred(text.text, '  ', (words) => words, width)].join(
        '\n',
      );
    case 'client':
    case 'system':
      return style.muted(`· ${words}`);
  }
}

function errorLines({ node, text, repeats }: ErrorItem, { style, width }: ItemOptions): string {
  const words = `${text.text}${repeats.length === 0 ? '' : ` (${repeats.length + 1} times)`}`;
  if (node.type !== 'assistant') return `${style.error(`✗ ${oneLine(words, width - 2)}`)}\n`;
  return `\n${hanging(words, { mark: '✗', width, paintMark: style.error, paint: style.error })}\n`;
}

function contextLines({ source, node, text }: ContextItem, { style, width }: ItemOptions): string {
  const words = oneLine(text.text, width - 2);
  switch (source) {
    case 'injected':
    case 'reminder':
      return `${barred(text.text, '+ ', style.muted, width)}\n`;
    case 'command-caveat':
      return `${style.muted(`  ${words}`)}\n`;
    case 'attachment':
    case 'hook-output':
    case 'queued-prompt':
      return `${style.muted(`+ ${oneLine(node.subtype ?? 'attachment', width - 2)}`)}\n`;
    case 'system':
      return `${style.muted(`· ${words === '' ? oneLine(node.subtype ?? 'system', width - 2) : words}`)}\n`;
    case 'stop-hook':
      return '';
  }
}

function forkLine({ branch, turns, isReplay }: ForkItem, { style, width }: ItemOptions): string {
  const what = isReplay ? 'the same history is repeated here' : `another branch leaves here, ${counted(turns, 'turn')}`;
  const text = `${what}: --branch ${branch}`;
  return `${hanging(text, { mark: '⑂', width, paintMark: style.accent, paint: style.accent })}\n`;
}

async function* callLines(story: Story, item: CallItem, options: ItemOptions): AsyncGenerator<string> {
  const { style, full, width } = options;
  const { tool, input, output, result, agent, state, summary } = item;
  const isRefused = state === 'declined' || state === 'interrupted';
  // The whole error follows.
  const outcome = full && state === 'failed' ? '' : item.outcome;
  const call = { name: tool, input, isError: state === 'failed', isRefused, result, summary, outcome };
  yield `${callLine(call, output, { style, width, cwd: story.cwd })}\n`;
  if (full) {
    yield `${barred(inputText(input), '  ┊ ', style.muted)}\n`;
    if (output.trim() !== '') yield `${barred(output, '  │ ', (text) => text)}\n`;
  }
  if (agent !== undefined) yield* agentLines(story, agent, summary, options);
}

/** For a reader: texts as they are, one field below the other. `--json` has the exact input. */
function inputText(input: JsonValue | undefined): string {
  if (!isObject(input)) return prettyJson(input ?? null);
  const fields = Object.entries(input).map(([key, value = null]) => {
    if (typeof value !== 'string') return `${key}: ${prettyJson(value)}`;
    return value.includes('\n') ? `${key}:\n${indentLines(value, 2)}` : `${key}: ${value}`;
  });
  return fields.join('\n');
}

/** `summary`: of the call above, which is often the description of the agent. */
async function* agentLines(
  story: Story,
  agent: StoryAgent,
  summary: string,
  options: ItemOptions,
): AsyncGenerator<string> {
  const { style, width, full } = options;
  const isRepeated = agent.description !== undefined && summary.includes(agent.description);
  const known = nameOfAgent(isRepeated ? { ...agent, description: undefined } : agent);
  const names = known === undefined || full ? [known, agent.agentId] : [known];
  const name = oneLine(names.filter(Boolean).join(' '), Math.max(10, width - 24));
  const title = `  ${style.accent('↳')} ${style.bold(name)}`;
  const opened = await story.openAgent(agent);
  switch (opened.state) {
    case 'shown':
      yield `${title} ${style.muted('(shown above)')}\n`;
      return;
    case 'unreadable':
      yield `${title} ${style.error(`(cannot be read: ${opened.reason})`)}\n`;
      return;
    case 'open': {
      yield `${title} ${style.muted(outputText(opened.usage))}\n`;
      const inner = { full, style, width: Math.max(20, width - 4), isAgent: true };
      for (const turn of opened.story.turns) {
        for (const item of opened.story.items(turn)) {
          for await (const text of showItem(opened.story, item, inner)) yield indentLines(text, 4);
        }
      }
    }
  }
}
