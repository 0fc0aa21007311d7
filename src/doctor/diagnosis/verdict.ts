// A diagnosis → the part of it that only depends on the session's own files, as one word to keep in the index; and that
// word, with the place and the age of the session as they are now → what `clew doctor --all` would say.
import type { Verdict } from '../../library/index/verdicts.ts';
import type { DamageCode } from '../checks/finding.ts';
import { isMoved } from '../checks/folder.ts';
import type { Diagnosis } from './diagnose.ts';

/** About the day, and about folders elsewhere: they can change while the session does not. */
const passing: ReadonlySet<DamageCode> = new Set(['F-expiring', 'F-moved']);

export function verdictOf({ findings }: Pick<Diagnosis, 'findings'>): Verdict {
  // Worst first.
  return findings.find(({ code }) => !passing.has(code))?.severity ?? 'sound';
}

export interface PlacedVerdict {
  readonly verdict: Verdict | undefined;
  readonly cwd: string | undefined;
  /** The folder of its transcript. */
  readonly project: string;
  readonly isExpiring: boolean;
}

/** `undefined`: not examined. */
export function healthOf({ verdict, cwd, project, isExpiring }: PlacedVerdict): Verdict | undefined {
  if (verdict !== 'sound' && verdict !== 'info') return verdict;
  return isExpiring || isMoved(cwd, project) ? 'warn' : verdict;
}
