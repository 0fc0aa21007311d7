// A line that is neither prompt nor answer → what a reader should know of it: interrupts, local commands,
// notifications, compactions, failed requests. With `--full` also what the client put in by itself.
import { formatCount } from '../base/human.ts';
import { oneLine } from '../base/terminal-text.ts';
import { textOf } from '../format/block.ts';
import { contentOf } from '../format/entry.ts';
import { isBoundary, type Node } from '../session/node.ts';
import { apiErrorText, compactionFacts, shownSubtypes, withoutTags } from '../session/note-text.ts';
import { commandLine } from '../session/prompt-text.ts';
import { readEntry } from '../session/session.ts';
import type { ShowContext } from './show-context.ts';
import { barred, rule } from './terminal-lines.ts';

export function* renderNote(context: ShowContext, node: Node): Generator<string> {
  const { style, full, width } = context;
  switch (node.type) {
    case 'user':
      yield* userNote(context, node);
      return;
    case 'system':
      yield* systemNote(context, node);
      return;
    case 'attachment':
      if (full) yield `${style.muted(`+ ${oneLine(node.subtype ?? 'attachment', width - 2)}`)}\n`;
      return;
  }
}

function* userNote({ session, style, full, width }: ShowContext, node: Node): Generator<string> {
  if (node.userKind === 'results' || node.userKind === undefined) return;
  const text = textOf(contentOf(readEntry(session, node)));
  const line = (mark: string, shown: string): string => `${mark} ${oneLine(shown, width - 2)}`;
  switch (node.userKind) {
    case 'interrupt':
      yield `${style.yellow(line('■', text.replace(/^\[|\]$/g, '')))}\n`;
      return;
    case 'bash':
    case 'local-output':
      if (text.startsWith('<local-command-caveat>') && !full) return;
      if (withoutTags(text).trim() === '') return;
      yield text.startsWith('<bash-input>')
        ? `${style.accent('!')} ${oneLine(withoutTags(text), width - 2)}\n`
        : `${style.muted(line(' ', withoutTags(text)))}\n`;
      return;
    case 'notification':
      yield `${style.muted(line('◆', withoutTags(text)))}\n`;
      return;
    case 'summary':
      if (full) yield `${barred(text, '┊ ', style.muted, width)}\n`;
      else yield `${style.muted(`┊ summary, ${formatCount(text.length)} characters`)}\n`;
      return;
    default:
      if (full && text !== '') yield `${barred(commandLine(text), '+ ', style.muted, width)}\n`;
  }
}

function* systemNote(context: ShowContext, node: Node): Generator<string> {
  const { session, style, full, width } = context;
  if (isBoundary(node)) {
    yield `\n${style.yellow(rule('═', compactionFacts(context.compactions.get(node)), width))}\n`;
    return;
  }
  const entry = readEntry(session, node);
  if (node.subtype === 'api_error') {
    yield `${style.error(`✗ ${oneLine(apiErrorText(entry), width - 2)}`)}\n`;
    return;
  }
  const text = oneLine(withoutTags(commandLine(textOf(contentOf(entry)))), width - 2);
  if (full) yield `${style.muted(`· ${text === '' ? oneLine(node.subtype ?? 'system', width - 2) : text}`)}\n`;
  else if (text !== '' && shownSubtypes.has(node.subtype ?? '')) yield `${style.muted(`· ${text}`)}\n`;
}
