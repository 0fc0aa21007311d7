// A session → the text a person reads in the terminal: a header, then turn by turn what was asked, answered and done.
// Chunks come out as they are made, so that a pager shows the first turn while the last is still being read.
import type { Branch } from '../session/branch.ts';
import type { Session } from '../session/session.ts';
import type { Turn } from '../session/turns.ts';
import { makeContext, type ShowContext, type ShowOptions } from './show-context.ts';
import { showHeader } from './show-header.ts';
import { renderTurn } from './show-turn.ts';
import { hanging, quoted } from './terminal-lines.ts';
import { counted } from './wording.ts';

export interface ShowTextOptions extends ShowOptions {
  /** One turn only: without the header, and without what belongs to the whole session. */
  readonly isExcerpt: boolean;
}

export async function* showText(
  session: Session,
  branch: Branch | undefined,
  turns: readonly Turn[],
  { isExcerpt, ...options }: ShowTextOptions,
): AsyncGenerator<string> {
  const context = makeContext(session, branch, options);
  if (!isExcerpt) yield showHeader(session, branch, options);
  for (const [i, turn] of turns.entries()) {
    yield `${isExcerpt && i === 0 ? '' : '\n'}`;
    yield* renderTurn(context, turn);
  }
  if (turns.length === 0) yield `\n${options.style.muted('No conversation in this file, only bookkeeping.')}\n`;
  if (!isExcerpt && branch?.active === true) yield* leftovers(context);
}

/** What no turn showed: prompts that were never used, sub-agents that no call started. */
function* leftovers(context: ShowContext): Generator<string> {
  const { session, queued, agents, style, width } = context;
  for (const { text } of queued.filter(({ outcome }) => outcome === 'waiting')) {
    yield `\n${quoted(text, '❯', context)}\n${style.muted('  (typed, but never sent)')}\n`;
  }
  const unknown = session.isAgent
    ? []
    : session.agents.filter((each) => !each.toolUseId && !agents.shown.has(each.agentId));
  if (unknown.length === 0) return;
  const names = unknown.map((agent) => agent.agentId).join(', ');
  const text = `${counted(unknown.length, 'sub-agent')} that no call here started: ${names}`;
  yield `\n${hanging(text, { mark: '↳', width, paintMark: style.accent, paint: style.muted })}\n`;
}
