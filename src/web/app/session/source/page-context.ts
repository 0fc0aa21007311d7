// What every block of the session page may need: its data source, and the actions of the page.
import { createContext, useCallback, useContext, useState } from 'react';
import type { FindHit, Place, TextSlice } from '../../../../export/wire/index.ts';
import type { SessionSource } from './source.ts';

/**
 * A line that was jumped to, of the session or of one of its sub-agents. The block that shows it is always drawn and open,
 * whatever else is hidden: `useIsTarget` and `useIsOnTrail` say so.
 */
export interface TargetLine {
  readonly line: number;
  readonly agentId: string | null;
  /** The sub-agents that must be open, each below a call of the one before; the last is `agentId`. */
  readonly trail?: readonly string[];
  /** The part of the last of them that has the line. */
  readonly agentPart?: number;
  /** The place in its text. */
  readonly hit?: TargetHit;
  /** The text around the hit, where the block does not show it. */
  readonly slice?: TextSlice;
}

export type TargetHit = Omit<FindHit, 'shown'>;

/** A place to go to; without a line, the beginning of the part. */
export interface Target {
  readonly part: number;
  readonly line?: TargetLine;
}

/** Names the block of a line among all that are on the page. */
export function placeName({ agentId, line }: Pick<TargetLine, 'line' | 'agentId'>): string {
  return `${agentId ?? ''} ${line}`;
}

export interface PageActions {
  /** What a reader opened or closed; it outlives the block, which is drawn again whenever it comes into view. */
  readonly folds: Map<string, boolean>;
  showRaw(source: SessionSource, place: Place): void;
  showBranch(branch: number): void;
  copy(text: string | Promise<string>, what: string): void;
  /** Shows a short message for a moment. */
  notify(message: string): void;
  /** The address of a line. */
  linkTo(line: number, agentId: string | null): string;
}

export const SourceContext: React.Context<SessionSource | null> = createContext<SessionSource | null>(null);
export const ActionsContext: React.Context<PageActions | null> = createContext<PageActions | null>(null);
/** The line that was jumped to: the block that holds it opens. */
export const TargetContext: React.Context<TargetLine | null> = createContext<TargetLine | null>(null);

/** All folds at once: a fold that was changed before `version` is forgotten. `null`: each as it is at first. */
export interface FoldAll {
  readonly version: number;
  readonly isOpen: boolean | null;
}

export const FoldAllContext: React.Context<FoldAll> = createContext<FoldAll>({ version: 0, isOpen: null });

/** The first line at which a call without a result may still be running; `null`: nothing runs. */
export const RunningContext: React.Context<number | null> = createContext<number | null>(null);

/** How often each sub-agent has grown since the page was opened. */
export const LiveContext: React.Context<ReadonlyMap<string, number>> = createContext<ReadonlyMap<string, number>>(
  new Map(),
);

export function useSource(): SessionSource {
  const source = useContext(SourceContext);
  if (source === null) throw new Error('a block is outside of a session');
  return source;
}

export function useActions(): PageActions {
  const actions = useContext(ActionsContext);
  if (actions === null) throw new Error('a block is outside of a session');
  return actions;
}

export function useFold(id: string, initially: boolean): readonly [boolean, (open: boolean) => void] {
  const { folds } = useActions();
  const { key, agentId } = useSource();
  const name = `${key} ${agentId ?? ''} ${id}`;
  const all = useContext(FoldAllContext);
  // Sub-agents are sessions of their own: opening everything would load them all.
  const atFirst = all.isOpen === null || (all.isOpen && id.startsWith('agent ')) ? initially : all.isOpen;
  const [own, setOwn] = useState<{ readonly version: number; readonly isOpen: boolean } | null>(null);
  const isOpen = own?.version === all.version ? own.isOpen : (folds.get(name) ?? atFirst);
  const change = useCallback(
    (open: boolean): void => {
      folds.set(name, open);
      setOwn({ version: all.version, isOpen: open });
    },
    [folds, name, all.version],
  );
  return [isOpen, change];
}

/** Whether one of these lines of this source was jumped to. */
export function useIsTarget(...lines: readonly (number | undefined)[]): boolean {
  const target = useContext(TargetContext);
  const { agentId } = useSource();
  return target !== null && target.agentId === agentId && lines.includes(target.line);
}

/** The same for a call: of several calls in one line only the one that was jumped to. */
export function useIsTargetCall(id: string, ...lines: readonly (number | undefined)[]): boolean {
  const callId = useContext(TargetContext)?.hit?.callId ?? null;
  return useIsTarget(...lines) && (callId === null || callId === id);
}

/** Whether a sub-agent must be open to show the line that was jumped to. */
export function useIsOnTrail(agentId: string | undefined): boolean {
  const trail = useContext(TargetContext)?.trail ?? [];
  return agentId !== undefined && trail.includes(agentId);
}

/** How a block is found when it is jumped to: by its own line, and by that of its result. */
export interface PlaceNames {
  readonly 'data-place': string;
  readonly 'data-result'?: string;
}

export function usePlaceNames(place: Place, result: Place | null = null): PlaceNames {
  const { agentId } = useSource();
  const names = { 'data-place': placeName({ agentId, line: place.line }) };
  return result === null ? names : { ...names, 'data-result': placeName({ agentId, line: result.line }) };
}
