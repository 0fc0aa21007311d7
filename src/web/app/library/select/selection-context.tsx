// The selection of the list on the screen, with its keys: `x` selects the row that has the focus, Shift-X a range.
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { type Client, readJson } from '../../../client/index.ts';
import type { Events, SessionRow, SessionsQuery } from '../../../wire/index.ts';
import { type ActionSubject, subjectOf } from '../../actions/index.ts';
import { useEvent, useServices } from '../../page/index.ts';
import { rangeOf, Selection } from './selection.ts';

export interface SelectionTools {
  readonly selection: Selection<ActionSubject>;
  /** Selects or removes a row; with `isRange`, selects all rows up to it. */
  pick(subject: ActionSubject, isRange: boolean): void;
  /** Selects all sessions that pass the filter, with those that are folded. */
  pickAll(): Promise<void>;
}

const SelectionContext = createContext<SelectionTools | null>(null);

export function useSelection(): SelectionTools | null {
  return useContext(SelectionContext);
}

export interface SelectionProviderProps {
  /** Of the list as it is shown. */
  readonly query: SessionsQuery;
  readonly children: ReactNode;
}

export function SelectionProvider({ query, children }: SelectionProviderProps) {
  const { client } = useServices();
  const [selection] = useState(() => new Selection<ActionSubject>());
  const asked = JSON.stringify(query);
  const { open: _, ...filter } = query;
  const filtered = JSON.stringify(filter);
  // Another list: what is not in it must not be changed with the rest.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another filter clears it
  useEffect(() => () => selection.clear(), [selection, filtered]);
  const tools = useMemo<SelectionTools>(() => {
    const shown = JSON.parse(asked) as SessionsQuery; // written above
    const { fold, open, zone, ...flat } = shown;
    const pickRange = async (to: ActionSubject): Promise<void> => {
      const from = selection.anchor ?? to.key;
      const rows = await askRows(client, shown, (all) => hasBoth(all, from, to.key));
      selection.add(rangeOf(rows, from, to.key).map(subjectOf), to.key);
    };
    return {
      selection,
      pick: (subject, isRange) => {
        if (isRange && selection.anchor !== undefined) pickRange(subject).catch(() => selection.add([subject]));
        else selection.toggle(subject);
      },
      pickAll: async () => selection.add((await askRows(client, flat, () => false)).map(subjectOf)),
    };
  }, [client, selection, asked]);
  useEvent(
    'sessions',
    useCallback(({ gone }: Events['sessions']) => selection.remove(gone), [selection]),
  );
  useSelectKey();
  return <SelectionContext value={tools}>{children}</SelectionContext>;
}

function hasBoth(rows: readonly SessionRow[], from: string, to: string): boolean {
  return rows.some(({ key }) => key === from) && rows.some(({ key }) => key === to);
}

const pageRows = 1_000;

/** All rows of a list, or the first ones until there are enough. */
async function askRows(
  client: Client,
  query: SessionsQuery,
  isEnough: (rows: readonly SessionRow[]) => boolean,
): Promise<readonly SessionRow[]> {
  const rows: SessionRow[] = [];
  for (;;) {
    const page = await readJson(client.sessions.$get({ query: { ...query, offset: rows.length, limit: pageRows } }));
    rows.push(...page.rows);
    if (page.rows.length === 0 || rows.length >= page.total || isEnough(rows)) return rows;
  }
}

/** Presses the check box of the row that has the focus. */
function useSelectKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'x' || event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if (!(target instanceof HTMLElement) || document.querySelector('dialog[open]') !== null) return;
      if (target.closest('input:not([type="checkbox"]), textarea, select') !== null) return;
      const box = target.closest('tr')?.querySelector<HTMLInputElement>('.select-box');
      if (box == null) return;
      event.preventDefault();
      box.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: event.shiftKey }));
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
