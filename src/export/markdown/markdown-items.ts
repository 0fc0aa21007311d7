// The items of a story → blocks of Markdown: answers as they are, calls as a line each with their input and output folded
// away below it, sub-agents folded in the same way.

import { outputText } from '../../session/facts/usage-text.ts';
import type { CallItem, Item, NoteItem, StoryAgent } from '../../session/items/item.ts';
import { compactionFacts } from '../../session/story/notes.ts';
import type { Story } from '../../session/story/story.ts';
import type { ExportSource } from '../source/source.ts';
import { callPieces, marks } from './markdown-call.ts';
import { shortened } from './markdown-cut.ts';
import { quoted } from './markdown-quote.ts';
import { escapeHtml, fenced, plainLine, safeMarkdown, summaryText } from './markdown-text.ts';

/** A block of the page; items that follow one another make one list. */
export interface Piece {
  readonly text: string;
  readonly isItem?: boolean;
  /** The turn that begins with it. */
  readonly opens?: number;
}

export interface PieceOptions {
  readonly source: ExportSource;
  /** Whole outputs. */
  readonly full: boolean;
  readonly thinking: boolean;
  readonly isAgent: boolean;
}

export async function* itemPieces(story: Story, item: Item, options: PieceOptions): AsyncGenerator<Piece> {
  const { full, thinking, isAgent } = options;
  switch (item.kind) {
    case 'prompt':
      if (isAgent) yield { text: quoted(item.text.text) }; // of the session itself, it heads the turn
      return;
    case 'queued':
      yield { text: quoted(item.text.text) };
      yield { text: '*(typed while it worked)*' };
      return;
    case 'text':
      yield { text: safeMarkdown(item.text.text, { top: topHeading(isAgent) }) };
      return;
    case 'thinking':
      if (thinking && item.text !== null) yield* folded('<i>Thinking</i>', item.text.text);
      return;
    case 'call':
      if (item.agent === undefined) yield* callPieces(item, { full, top: topHeading(isAgent) });
      else yield* agentPieces(story, item, item.agent, options);
      return;
    case 'error':
      yield { text: `**✗ ${noteLine(item.text.text)}**` };
      return;
    case 'note':
      yield { text: noteText(item, full) };
      return;
    case 'compaction':
      yield {
        text: `---\n\n**The history was ${compactionFacts(item)
          .map((fact) => plainLine(fact))
          .join(' · ')}**`,
      };
      return;
    case 'summary':
      yield* folded('Summary of what was said before', shortened(item.text.text, full));
      return;
    case 'image':
    case 'block':
      yield { text: `*[${plainLine(item.kind === 'image' ? 'image' : item.type, 60)}]*` };
      return;
    case 'context':
    case 'fork':
      return;
    default:
      item satisfies never;
  }
}

/** The level of the topmost headings in answers. */
function topHeading(isAgent: boolean): number {
  return isAgent ? 5 : 3;
}

function* folded(title: string, text: string): Generator<Piece> {
  yield { text: `<details>\n<summary>${title}</summary>` };
  yield { text: safeMarkdown(text, { top: 5 }) };
  yield { text: '</details>' };
}

function noteText({ about, text: { text } }: NoteItem, full: boolean): string {
  switch (about) {
    case 'interrupt':
      return `*■ ${noteLine(text)}*`;
    case 'notification':
      return `*◆ ${noteLine(text)}*`;
    case 'shell':
      return fenced(`! ${text}`, 'bash');
    case 'output':
      return fenced(shortened(text, full));
    case 'client':
    case 'system':
      return `*${noteLine(text)}*`;
  }
}

function noteLine(text: string): string {
  return plainLine(text, 400);
}

async function* agentPieces(
  story: Story,
  call: CallItem,
  agent: StoryAgent,
  options: PieceOptions,
): AsyncGenerator<Piece> {
  const name = options.source.hide([agent.agentType, agent.description].filter(Boolean).join(': ') || agent.agentId);
  const line = `**${plainLine(call.tool, 60)}** ${plainLine(name, 120)}`;
  const opened = await story.openAgent(agent);
  switch (opened.state) {
    case 'shown':
      yield { text: `- ${marks[call.state]} ${line} (shown above)`, isItem: true };
      return;
    case 'unreadable':
      yield { text: `- ✗ ${line} (its file cannot be read: ${plainLine(opened.reason, 20)})`, isItem: true };
      return;
    case 'open': {
      const head = `${marks[call.state]} <b>${summaryText(call.tool, 60)}</b> ${summaryText(name, 120)}`;
      yield { text: `<details>\n<summary>${head} · ${escapeHtml(outputText(opened.usage))}</summary>` };
      for (const turn of opened.story.turns) {
        for (const item of opened.story.items(turn)) {
          yield* itemPieces(opened.story, item, { ...options, isAgent: true });
        }
      }
      yield { text: '</details>' };
    }
  }
}
