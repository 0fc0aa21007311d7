// The raw line of a block: as it is in the file, or formatted for reading.
import { useEffect, useRef, useState } from 'react';
import { formatBytes, neutralise } from '../../../base/text/index.ts';
import type { Place } from '../../../export/wire/index.ts';
import { type RawLine, type SessionSource, useActions } from './source/index.ts';
import { Words } from './text/index.ts';

export interface RawDrawerProps {
  readonly source: SessionSource;
  readonly place: Place;
  onClose(): void;
}

const maxShownChars = 200_000;

export function RawDrawer({ source, place, onClose }: RawDrawerProps) {
  const dialogRef = useRef<HTMLDialogElement>(null);
  const { copy, linkTo } = useActions();
  const [raw, setRaw] = useState<RawLine | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isPretty, setPretty] = useState(true);
  useEffect(() => {
    dialogRef.current?.showModal();
  }, []);
  useEffect(() => {
    let isShown = true;
    setRaw(null);
    source.line(place.line).then(
      (line) => isShown && setRaw(line),
      (error: unknown) => isShown && setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isShown = false;
    };
  }, [source, place.line]);
  const pretty = raw === null ? undefined : layOut(raw.text);
  const text = raw === null ? '' : isPretty && pretty !== undefined ? pretty : raw.text;
  return (
    <dialog className="drawer" ref={dialogRef} onClose={onClose} aria-label={`Raw line ${place.line}`}>
      <header>
        <h2>
          Line {place.line}
          {source.agentId === null ? null : (
            <>
              {' '}
              of sub-agent <Words text={source.agentId} />
            </>
          )}
        </h2>
        <span className="quiet">{raw === null ? '' : formatBytes(raw.sizeBytes)}</span>
        <button
          type="button"
          onClick={() => setPretty(!isPretty)}
          disabled={pretty === undefined}
          aria-pressed={isPretty}
        >
          Laid out
        </button>
        <button type="button" onClick={() => copy(raw?.text ?? '', 'Line')} disabled={raw === null || raw.isCut}>
          Copy line
        </button>
        <button type="button" onClick={() => copy(linkTo(place.line, source.agentId), 'Link')}>
          Copy link
        </button>
        <button type="button" aria-label="Close" onClick={() => dialogRef.current?.close()}>
          ✕
        </button>
      </header>
      {problem === null ? null : <p className="problem">The line cannot be shown: {problem}</p>}
      <pre className="raw">{neutralise(text.slice(0, maxShownChars))}</pre>
      {text.length > maxShownChars || raw?.isCut === true ? (
        <p className="quiet">Only the beginning is shown.</p>
      ) : null}
    </dialog>
  );
}

function layOut(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined; // damaged, or cut
  }
}
