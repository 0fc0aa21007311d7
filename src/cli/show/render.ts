// A session → text for the terminal: a header, then its story turn by turn. Chunks are printed as they are ready, so that
// a pager shows the first turn while the last is still being read.

import { counted } from '../../base/text/human.ts';
import { turnUsage } from '../../session/facts/turn-usage.ts';
import { usageText } from '../../session/facts/usage-text.ts';
import type { Branch } from '../../session/load/branch.ts';
import type { Session } from '../../session/load/session.ts';
import { Story } from '../../session/story/story.ts';
import type { Turn } from '../../session/turns/turns.ts';
import { hanging, quoted, rule } from '../render/lines.ts';
import { localTime } from '../render/wording.ts';
import { type HeaderOptions, showHeader } from './header.ts';
import { showItem } from './show-items.ts';

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
  const names = unstarted.map((agent) => agent.agentId).join(', ');
  const text = `${counted(unstarted.length, 'sub-agent')} that no call here started: ${names}`;
  yield `\n${hanging(text, { mark: '↳', width, paintMark: style.accent, paint: style.muted })}\n`;
}
