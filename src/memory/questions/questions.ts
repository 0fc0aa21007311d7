// What an agent can ask. Separate from the answers: a server that has not been asked yet loads nothing of them.

export interface SearchQuestion {
  readonly query: string;
  /** Only narrows: a folder, or a part of its path. */
  readonly project?: string | undefined;
  /** A day, or an age such as `7d`. */
  readonly since?: string | undefined;
  readonly file?: string | undefined;
  readonly tool?: string | undefined;
  readonly role?: 'user' | 'assistant' | undefined;
  readonly limit: number;
}

export const readParts = ['prompt', 'answer', 'calls', 'thinking', 'output', 'files'] as const;
export type ReadPart = (typeof readParts)[number];

export interface ReadQuestion {
  readonly reference: string;
  /** How many tokens the answer may have. */
  readonly tokens: number;
  readonly include: readonly ReadPart[];
  /** Where to read on, as an earlier answer said. */
  readonly from?: string | undefined;
}

export interface OutlineQuestion {
  /** Without it, the sessions of the project. */
  readonly session?: string | undefined;
  readonly project?: string | undefined;
  /** How many tokens the answer may have. */
  readonly tokens: number;
  /** The first turn or session to list, from 1. */
  readonly from: number;
}

export const usageKinds = ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'blocks'] as const;
export type UsageKind = (typeof usageKinds)[number];

export interface UsageQuestion {
  readonly by: UsageKind;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** How many tokens the answer may have. */
  readonly tokens: number;
}
