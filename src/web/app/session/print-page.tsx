// All turns of a session at once, for paper: each block as it is before a reader opens or closes anything.
import { Boundary, PartView } from './items/index.ts';
import { SessionHeader } from './session-header.tsx';
import { ActionsContext, type PageActions, type Printable, type SessionSource, SourceContext } from './source/index.ts';
import { rowOfPart } from './use-session.ts';

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
        <SessionHeader isWhole head={head} onFind={nothing} onOutline={nothing} onHelp={nothing} />
        {views.map((view) => {
          const row = rowOfPart(head.turns, view.part);
          return row === undefined ? null : (
            <Boundary key={view.part} what={`Turn ${view.turn}`}>
              <PartView view={view} row={row} branch={head.branch} />
            </Boundary>
          );
        })}
      </SourceContext>
    </ActionsContext>
  );
}
