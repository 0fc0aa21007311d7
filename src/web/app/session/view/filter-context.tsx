// The filter of the view for every block of the page, also below sub-agents. A block that was jumped to is shown in every
// view.
import { createContext, useContext } from 'react';
import type { Item } from '../../../../export/wire/index.ts';
import {
  type FoldAll,
  FoldAllContext,
  TargetContext,
  type TargetLine,
  useSource,
  type ViewFilter,
} from '../source/index.ts';
import { isShown } from './shown.ts';

/** Without a view, such as on paper, everything is shown. */
export const FilterContext: React.Context<ViewFilter> = createContext<ViewFilter>({ view: 'all', tools: [] });

export function useShownItems(items: readonly Item[]): readonly Item[] {
  const filter = useContext(FilterContext);
  const target = useContext(TargetContext);
  const { agentId } = useSource();
  const line = target !== null && target.agentId === agentId ? target.line : null;
  return items.filter((item) => isShown(item, filter) || (line !== null && isAt(item, line)) || holds(item, target));
}

function isAt(item: Item, line: number): boolean {
  if (item.kind === 'note' && item.morePlaces.some((place) => place.line === line)) return true;
  return item.place.line === line || (item.kind === 'call' && item.resultPlace?.line === line);
}

/** A call whose sub-agent has the line, or has the sub-agent that has it. */
function holds(item: Item, target: TargetLine | null): boolean {
  if (item.kind !== 'call' || item.agent === null) return false;
  return item.agent.agentId === target?.agentId || target?.trail?.includes(item.agent.agentId) === true;
}

export interface ViewContextsProps {
  readonly target: TargetLine | null;
  readonly filter: ViewFilter;
  readonly foldAll: FoldAll;
  readonly children: React.ReactNode;
}

/** What decides which blocks are shown, and which of them are open. */
export function ViewContexts({ target, filter, foldAll, children }: ViewContextsProps) {
  return (
    <TargetContext value={target}>
      <FilterContext value={filter}>
        <FoldAllContext value={foldAll}>{children}</FoldAllContext>
      </FilterContext>
    </TargetContext>
  );
}
