// A session → the text a person reads in the terminal: a header, then turn by turn what was asked, answered and done.
// Chunks come out as they are made, so that a pager shows the first turn while the last is still being read.
import { isDamage } from '../base/diagnostic.ts';
import { formatBytes, formatCount, formatDuration, formatTokens } from '../base/human.ts';
import { neutralise, oneLine } from '../base/terminal-text.ts';
import type { Branch } from '../session/branch.ts';
import { cwdOf, diagnosticsOf, type Session, versionsOf } from '../session/session.ts';
import { summarise } from '../session/summary.ts';
import { titleOf } from '../session/title.ts';
import { type Turn, turnsOf } from '../session/turns.ts';
import type { UsageTotals } from '../session/usage.ts';
import { sessionUsage } from '../session/usage-lines.ts';
import { renderTurn } from './show-turn.ts';
import type { Style } from './terminal/style.ts';

export interface ShowOptions {
  readonly full: boolean;
  readonly hasHeader: boolean;
  readonly style: Style;
  readonly width: number;
}

export async function* showText(
  session: Session,
  branch: Branch | undefined,
  turns: readonly Turn[],
  options: ShowOptions,
): AsyncGenerator<string> {
  if (options.hasHeader) yield `${header(session, branch, options).join('\n')}\n`;
  const forks = forksOf(session, branch);
  for (const turn of turns) yield* renderTurn(session, turn, forks, options);
  if (turns.length === 0) yield `\n${options.style.muted('No conversation in this file: only bookkeeping lines.')}\n`;
}

/** The other branches that leave this one, with their numbers, by the line they leave at. */
export interface Fork {
  readonly number: number;
  readonly turns: number;
  readonly isReplay: boolean;
}

function forksOf(session: Session, shown: Branch | undefined): ReadonlyMap<number, readonly Fork[]> {
  const forks = new Map<number, Fork[]>();
  for (const [i, branch] of session.branches.entries()) {
    if (branch === shown || branch.fork === undefined) continue;
    const fork = { number: i + 1, turns: turnsOf(session, branch).length, isReplay: branch.isReplay };
    forks.set(branch.fork.index, [...(forks.get(branch.fork.index) ?? []), fork]);
  }
  return forks;
}

function header(session: Session, branch: Branch | undefined, options: ShowOptions): string[] {
  const { style, width } = options;
  const summary = summarise(session);
  const facts = [
    `${formatCount(summary.turns)} ${summary.turns === 1 ? 'turn' : 'turns'}`,
    `${formatCount(summary.entries)} entries`,
    formatBytes(summary.sizeBytes),
    ...(session.agents.length > 0
      ? [`${session.agents.length} sub-agent${session.agents.length === 1 ? '' : 's'}`]
      : []),
    usageText(sessionUsage(session)),
  ];
  const lines = [
    style.heading(oneLine(titleOf(session) ?? '(untitled)', width)),
    style.muted(oneLine([session.id, cwdOf(session) ?? 'folder unknown'].join('  '), width)),
    style.muted(oneLine([timeSpan(summary.startedAt, summary.endedAt), ...facts].join(' · '), width)),
    style.muted(oneLine(`Claude Code ${versionsOf(session).join(', ') || 'of unknown version'}`, width)),
  ];
  return [...lines, ...notices(session, branch, style)];
}

function notices(session: Session, branch: Branch | undefined, style: Style): string[] {
  const lines: string[] = [];
  const damage = diagnosticsOf(session).filter(isDamage);
  const shown = damage.slice(0, 5);
  for (const { code, line, message } of shown)
    lines.push(style.error(`! line ${line}: ${neutralise(message)} (${code})`));
  if (damage.length > shown.length) {
    lines.push(style.error(`! and ${damage.length - shown.length} more; --json lists them all`));
  }
  const apart = session.branches.filter((each) => each !== branch && each.fork === undefined && !each.isReplay);
  for (const other of apart) {
    lines.push(style.accent(`⑂ ${otherStart(session, other)}`));
  }
  return lines.length === 0 ? [] : ['', ...lines];
}

function otherStart(session: Session, branch: Branch): string {
  const number = session.branches.indexOf(branch) + 1;
  return `another conversation in this file, ${formatCount(branch.nodes.length)} entries: --branch ${number}`;
}

export function usageText(usage: UsageTotals): string {
  const read = usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  return `${formatTokens(read)} in, ${usage.outputIsLowerBound ? '≥ ' : ''}${formatTokens(usage.outputTokens)} out`;
}

function timeSpan(startedAt: number, endedAt: number): string {
  if (Number.isNaN(startedAt)) return 'no dates';
  return `${localTime(startedAt)}, ${formatDuration(endedAt - startedAt)}`;
}

/** In the reader's time zone, in the one order that needs no explanation. */
export function localTime(timeMs: number): string {
  if (Number.isNaN(timeMs)) return '';
  const date = new Date(timeMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
