// A session → the lines above its turns: what it is, where and when, how large, and what is wrong with it.
import { isDamage } from '../../base/errors/index.ts';
import { counted, displayWidth, formatBytes, formatDuration, neutralise, oneLine } from '../../base/text/index.ts';
import type { Relation } from '../../library/lineage/index.ts';
import { type SessionSummary, sessionUsage, strangePrompt, summarise, usageText } from '../../session/facts/index.ts';
import { type Branch, diagnosticsOf, type Session, versionsOf } from '../../session/load/index.ts';
import { type Lineage, marksText, relationText } from '../input/index.ts';
import { hanging, localTime } from '../render/index.ts';
import type { Style } from '../terminal/index.ts';

export interface HeaderOptions {
  readonly style: Style;
  readonly width: number;
  /** Where a line is cut; `width` unless it is given. */
  readonly cutWidth?: number;
  /** What the session was made from. */
  readonly lineage?: Lineage | undefined;
  /** Where it came from, and what came from it. */
  readonly relations?: readonly Relation[];
}

export function showHeader(session: Session, branch: Branch | undefined, options: HeaderOptions): string {
  const { style, width, cutWidth = width } = options;
  const summary = summarise(session);
  const lines = [
    style.heading(oneLine(summary.title ?? '(untitled)', cutWidth)),
    ...joinFacts([session.id, summary.cwd ?? 'folder unknown'], options).map(style.muted),
    ...joinFacts(relationMarks(summary.tag, options), options).map(style.accent),
    ...joinFacts(factsOf(session, summary), options).map(style.muted),
    ...notices(session, branch, options),
  ];
  return `${lines.join('\n')}\n`;
}

/** Any number of sessions may come from one. */
const mostRelations = 6;

function relationMarks(tag: string | undefined, { lineage, relations = [] }: HeaderOptions): readonly string[] {
  const shown = relations.slice(0, mostRelations);
  const hidden = relations.length - shown.length;
  // An import has no session that it came from.
  const made = lineage !== undefined && (shown.length === 0 || lineage.from.length === 0) ? lineage : undefined;
  return [
    marksText(tag, made),
    ...shown.map(relationText),
    ...(hidden === 0 ? [] : [`and ${counted(hidden, 'related session')} more`]),
  ].filter((text) => text !== '');
}

function factsOf(session: Session, summary: SessionSummary): string[] {
  const versions = versionsOf(session);
  const agents = session.agents.length;
  return [
    ...timeSpan(summary.startedAt, summary.endedAt),
    counted(summary.turns, 'turn'),
    counted(summary.entries, 'entry', 'entries'),
    ...(agents === 0 ? [] : [counted(agents, 'sub-agent')]),
    formatBytes(summary.sizeBytes),
    usageText(sessionUsage(session)),
    ...(versions.length === 0 ? [] : [`Claude Code ${versions.join(', ')}`]),
  ];
}

/** As many facts on a line as fit; a fact is never split. */
function joinFacts(facts: readonly string[], { width, cutWidth = width }: HeaderOptions): string[] {
  const lines: string[] = [];
  for (const fact of facts.map((each) => oneLine(each, cutWidth))) {
    const longer = `${lines.at(-1)} · ${fact}`;
    if (lines.length === 0 || displayWidth(longer) > width) lines.push(fact);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function timeSpan(startedAt: number, endedAt: number): string[] {
  return Number.isNaN(startedAt) ? [] : [localTime(startedAt), formatDuration(endedAt - startedAt)];
}

const maxShownDamage = 5;

function notices(session: Session, branch: Branch | undefined, { style, width }: HeaderOptions): string[] {
  const damage = diagnosticsOf(session).filter(isDamage);
  const said = damage
    .slice(0, maxShownDamage)
    .map(({ code, line, message }) => `line ${line}: ${neutralise(message)} (${code})`);
  if (damage.length > said.length) said.push(`and ${damage.length - said.length} more; --json lists them all`);
  const strange = strangePrompt(session);
  if (strange !== undefined) said.push(strange);
  const lines = [
    ...said.map((text) => hanging(text, { mark: '!', width, paintMark: style.error, paint: style.error })),
    ...branchNotices(session, branch).map((text) =>
      hanging(text, { mark: '⑂', width, paintMark: style.accent, paint: style.accent }),
    ),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

function branchNotices({ branches }: Session, shown: Branch | undefined): string[] {
  const apart = branches.flatMap((branch, i) =>
    branch === shown || branch.active || branch.fork !== undefined || branch.isReplay
      ? []
      : [`another conversation in this file, ${counted(branch.nodes.length, 'entry', 'entries')}: --branch ${i + 1}`],
  );
  if (shown === undefined || shown.active) return apart;
  const start = shown.fork === undefined ? '' : ', from where it leaves another';
  return [`this is branch ${branches.indexOf(shown) + 1} of ${branches.length}${start}`, ...apart];
}
