// A button that shows the raw line of a block.
import type { Place } from '../../../../export/wire/view.ts';
import { useActions, useSource } from '../source/page-context.ts';

export function RawButton({ place, also = null }: { readonly place: Place; readonly also?: Place | null }) {
  const source = useSource();
  const { showRaw } = useActions();
  if (source.exported?.hasRaw === false) return null;
  return (
    <span className="raw-buttons">
      {[place, ...(also === null || also.line === place.line ? [] : [also])].map((each) => (
        <button
          type="button"
          className="raw-button"
          key={each.line}
          aria-label={`Raw line ${each.line}`}
          title={`Raw line ${each.line}`}
          onClick={() => showRaw(source, each)}
        >
          {each.line}
        </button>
      ))}
    </span>
  );
}
