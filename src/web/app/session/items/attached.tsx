// What the editor or the client attached to a prompt: a chip for each, which opens to its text.
import { useEffect } from 'react';
import type { AttachedView, Place } from '../../../../export/wire/index.ts';
import { useFold, useIsTarget, usePlaceNames } from '../source/index.ts';
import { PlainText, Words } from '../text/index.ts';

export interface AttachedProps {
  readonly attached: readonly AttachedView[];
  /** Of the prompt: its line is jumped to if the word is in a chip. */
  readonly place: Place;
}

export function Attached({ attached, place }: AttachedProps) {
  if (attached.length === 0) return null;
  return (
    <ul className="attached" aria-label="Attached context">
      {attached.map((context, i) => (
        <li key={`${i} ${context.label}`}>
          <Chip context={context} id={`attached ${place.record} ${i}`} line={place.line} />
        </li>
      ))}
    </ul>
  );
}

function Chip({ context, id, line }: { readonly context: AttachedView; readonly id: string; readonly line: number }) {
  const [isOpen, setOpen] = useFold(id, false);
  const isTarget = useIsTarget(line);
  useEffect(() => {
    if (isTarget) setOpen(true);
  }, [isTarget, setOpen]);
  if (context.text.text === '') {
    return (
      <span className="chip">
        <Words text={context.label} />
      </span>
    );
  }
  return (
    <>
      <button type="button" className="chip" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Words text={context.label} />
      </button>
      {isOpen ? <PlainText text={context.text} className="mono attached-text" /> : null}
    </>
  );
}

/** Where the page scrolls to for another line of the prompt. */
export function PlaceAnchor({ place }: { readonly place: Place }) {
  return <span className="place-anchor" {...usePlaceNames(place)} />;
}
