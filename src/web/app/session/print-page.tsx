// All turns of a session at once, for paper: each block as it is before a reader opens or closes anything, without what
// only the model received.
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { SessionHead } from '../../../export/wire/index.ts';
import { Boundary, PartView } from './items/index.ts';
import { SessionHeader } from './session-header.tsx';
import {
  ActionsContext,
  type PageActions,
  type Printable,
  plainFilter,
  type SessionSource,
  SourceContext,
} from './source/index.ts';
import { rowOfPart } from './use-session.ts';
import { FilterContext } from './view/index.ts';

const nothing = (): void => {};

const actions: PageActions = {
  folds: new Map(),
  showRaw: nothing,
  showBranch: nothing,
  copy: nothing,
  notify: nothing,
  linkTo: () => '',
};

export function PrintPage({ source, pages }: { readonly source: SessionSource; readonly pages: Printable }) {
  const { head, views } = pages;
  return (
    <ActionsContext value={actions}>
      <SourceContext value={source}>
        <FilterContext value={plainFilter}>
          <SessionHeader isWhole head={head} onFind={nothing} onOutline={nothing} onHelp={nothing} />
          {views.map((view) => {
            const row = rowOfPart(head.turns, view.part);
            return row === undefined ? null : (
              <Boundary key={view.part} what={`Turn ${view.turn}`}>
                <PartView view={view} row={row} branch={head.branch} />
              </Boundary>
            );
          })}
        </FilterContext>
      </SourceContext>
    </ActionsContext>
  );
}

/** What the browser prints instead of the screen, which has only the turns around one place. */
export function Paper({ source, head }: { readonly source: SessionSource; readonly head: SessionHead }) {
  const [sheet, setSheet] = useState<ReturnType<NonNullable<SessionSource['printable']>> | null>(null);
  useEffect(() => {
    const { printable } = source;
    if (printable === undefined) return;
    const fill = (): void => flushSync(() => setSheet(printable(head)));
    const clear = (): void => setSheet(null);
    addEventListener('beforeprint', fill);
    addEventListener('afterprint', clear);
    return () => {
      removeEventListener('beforeprint', fill);
      removeEventListener('afterprint', clear);
    };
  }, [source, head]);
  return sheet === null ? null : (
    <div className="paper">
      <PrintPage source={sheet.source} pages={sheet.pages} />
    </div>
  );
}
