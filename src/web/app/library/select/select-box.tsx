// The check box and the menu of a row. Both are in the cell of the title.
import { useSyncExternalStore } from 'react';
import { neutralise } from '../../../../base/text/index.ts';
import type { SessionRow } from '../../../wire/index.ts';
import { MenuButton, subjectOf } from '../../actions/index.ts';
import { type SelectionTools, useSelection } from './selection-context.tsx';

export function SelectBox({ row }: { readonly row: SessionRow }) {
  const tools = useSelection();
  return tools === null ? null : <Box row={row} tools={tools} />;
}

function Box({ row, tools }: { readonly row: SessionRow; readonly tools: SelectionTools }) {
  const { selection, pick } = tools;
  const isSelected = useSyncExternalStore(selection.subscribe, () => selection.has(row.key));
  return (
    <input
      type="checkbox"
      className="select-box"
      aria-label={neutralise(`Select ${nameOf(row)}`)}
      checked={isSelected}
      onClick={(event) => pick(subjectOf(row), event.shiftKey)}
      onChange={() => {}} // the click says whether a range is meant
    />
  );
}

export function RowMenu({ row }: { readonly row: SessionRow }) {
  const { key, id } = row;
  return <MenuButton of={nameOf(row)} subject={() => ({ key, id, title: nameOf(row) })} />;
}

function nameOf({ title, firstPrompt, id }: SessionRow): string {
  return (title ?? firstPrompt ?? id).slice(0, 80);
}
