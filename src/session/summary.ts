// A session in one row: what a list of sessions shows.
import { isDamage } from '../base/diagnostic.ts';
import { cwdOf, diagnosticsOf, type Session } from './session.ts';
import { titleOf } from './title.ts';
import { turnsOf } from './turns.ts';

export interface SessionSummary {
  readonly sessionId: string;
  readonly path: string;
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  /** The earliest and latest time on its lines, `NaN` where there is none; clocks run backwards in real files. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly entries: number;
  readonly turns: number;
  readonly agents: number;
  readonly sizeBytes: number;
  readonly diagnostics: number;
  readonly damage: number;
}

export function summarise(session: Session): SessionSummary {
  const { transcript } = session;
  let startedAt = Number.NaN;
  let endedAt = Number.NaN;
  for (const { time } of transcript.nodes) {
    if (!(time >= startedAt)) startedAt = Number.isNaN(time) ? startedAt : time;
    if (!(time <= endedAt)) endedAt = Number.isNaN(time) ? endedAt : time;
  }
  const diagnostics = diagnosticsOf(session);
  return {
    sessionId: session.id,
    path: session.files.main,
    cwd: cwdOf(session),
    title: titleOf(session),
    startedAt,
    endedAt,
    entries: transcript.nodes.length,
    turns: turnsOf(session).length,
    agents: session.agents.length,
    sizeBytes: transcript.sizeBytes,
    diagnostics: diagnostics.length,
    damage: diagnostics.filter(isDamage).length,
  };
}
