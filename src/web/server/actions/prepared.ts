// An action on one session, before anything is written: what a dry run says, and what carrying it out does.
import { createHash } from 'node:crypto';
import type { PlannedSource } from '../../../surgery/journal/index.ts';
import type { ActionName, ActionOptions, ActionPreview } from '../../wire/index.ts';

export interface ActionTarget {
  readonly path: string;
  readonly key: string;
  readonly id: string;
}

export interface ActionAsked {
  readonly action: ActionName;
  readonly options: ActionOptions;
  readonly session: ActionTarget;
}

export interface PreparedAction {
  /** The state of everything that the action depends on. */
  readonly state: unknown;
  dryRun(): Promise<DryRun>;
  run(group: string | undefined): Promise<Ran>;
}

export type DryRun = Omit<ActionPreview, 'action' | 'key' | 'id' | 'command' | 'fingerprint'>;

export interface Ran {
  /** `undefined`: there was nothing to do. */
  readonly operation: string | undefined;
  readonly summary: string;
  readonly to: readonly PlannedSource[];
  readonly notes: readonly string[];
}

export const nothingPlanned: Omit<DryRun, 'summary'> = {
  isNoop: false,
  files: [],
  filesTotal: 0,
  sizeBytes: { before: 0, after: 0 },
  tokens: null,
  messages: null,
  changed: 0,
  dropped: [],
  secrets: [],
  notes: [],
};

export const maxFiles = 50;

/** Equal as long as the action would do the same to the same files. */
export function fingerprintOf({ action, options }: ActionAsked, state: unknown): string {
  const chosen = Object.entries(options)
    .filter(([, value]) => value !== undefined && value !== false)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([action, chosen, state]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
