// What can be done with the selected sessions, all at once.
import { useState, useSyncExternalStore } from 'react';
import { counted } from '../../../../base/text/index.ts';
import type { ActionName } from '../../../wire/index.ts';
import { useActionHost } from '../../actions/index.ts';
import { type SelectionTools, useSelection } from './selection-context.tsx';

const offered: readonly (readonly [ActionName, string])[] = [
  ['star', 'Star'],
  ['tag', 'Tag…'],
  ['archive', 'Archive…'],
  ['export', 'Export…'],
  ['redact', 'Redact…'],
  ['delete', 'Delete…'],
];

/** `total`: all sessions that pass the filter. */
export function BulkBar({ total }: { readonly total: number }) {
  const tools = useSelection();
  return tools === null ? null : <Bar tools={tools} total={total} />;
}

function Bar({ tools, total }: { readonly tools: SelectionTools; readonly total: number }) {
  const { selection, pickAll } = tools;
  const host = useActionHost();
  const selected = useSyncExternalStore(selection.subscribe, selection.all);
  const [isAsking, setAsking] = useState(false);
  if (selected.length === 0) return null;
  const all = (): void => {
    setAsking(true);
    pickAll()
      .catch(() => host.notify({ text: 'Not all sessions could be selected; try again' }))
      .finally(() => setAsking(false));
  };
  return (
    <section className="bulk-bar" aria-label="Selected sessions">
      <output>{counted(selected.length, 'session')} selected</output>
      {selected.length >= total ? null : (
        <button type="button" disabled={isAsking} onClick={all}>
          Select all {total}
        </button>
      )}
      <span className="bulk-actions">
        {offered.map(([action, name]) => (
          <button key={action} type="button" onClick={() => host.open(action, selected)}>
            {name}
          </button>
        ))}
      </span>
      <button type="button" onClick={() => selection.clear()}>
        Clear
      </button>
    </section>
  );
}
