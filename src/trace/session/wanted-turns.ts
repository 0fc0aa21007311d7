// Separates turns that are sent from those that are not: the folder of a turn may be excluded, its session or folder may
// be muted. A background agent belongs to the turn that started it, whichever turn it ends in.
import type { TraceConfig } from '../config/config.ts';
import { isTraced } from '../config/projects.ts';
import type { TraceTurn } from '../read/turn.ts';
import { isMutedTurn, type Mute } from '../state/mute.ts';

export interface SortedTurns {
  readonly wanted: readonly TraceTurn[];
  /** Includes turns that hold only the unwanted agents of wanted turns. */
  readonly unwanted: readonly TraceTurn[];
  readonly mutedTurns: number;
}

export function sortTurns(turns: readonly TraceTurn[], config: TraceConfig, mutes: readonly Mute[]): SortedTurns {
  const traced = turns.filter((turn) => isTraced(config, turn.about.cwd));
  const sent = traced.filter((turn) => !isMutedTurn(mutes, turn));
  const [wanted, unwanted] = [[] as TraceTurn[], turns.filter((turn) => !sent.includes(turn))];
  for (const turn of sent) {
    const agents = turn.finishedAgents.filter((agent) => {
      const cwd = agent.cwd ?? turn.about.cwd;
      const [startMs, endMs] = [agent.startMs ?? turn.startMs, agent.untilMs ?? turn.endMs];
      return (
        isTraced(config, cwd) && !isMutedTurn(mutes, { sessionId: turn.sessionId, about: { cwd }, startMs, endMs })
      );
    });
    wanted.push({ ...turn, finishedAgents: agents });
    const others = turn.finishedAgents.filter((agent) => !agents.includes(agent));
    if (others.length > 0) unwanted.push({ ...turn, messages: [], sideLines: [], finishedAgents: others });
  }
  return { wanted, unwanted, mutedTurns: traced.length - sent.length };
}
