// The text around a hit as it is in the transcript: in the block that does not show it (it is cut, or drawn differently),
// or, for a line that is not drawn at all, over the page.
import { useContext, useState } from 'react';
import { formatCount, neutralise } from '../../../../base/text/index.ts';
import type { TextSlice } from '../../../../export/wire/index.ts';
import { TargetContext, type TargetHit, type TargetLine, useActions, useIsTarget, useSource } from '../source/index.ts';

/** How much is shown before and after a hit. */
export const sliceChars = 1_500;
const moreChars = 20_000;

export interface FoundHereProps {
  /** The lines of the block. */
  readonly lines: readonly (number | undefined)[];
  /** Of a call: only its own texts. */
  readonly callId?: string;
  /** The kinds of text that the block is made of; any by default. */
  readonly kinds?: readonly string[] | undefined;
}

/** Below the text of a block: the hit, if the text does not show it. */
export function FoundHere({ lines, callId, kinds }: FoundHereProps) {
  const target = useContext(TargetContext);
  const isTarget = useIsTarget(...lines);
  if (!isTarget || target?.slice === undefined || target.hit === undefined) return null;
  const { hit, slice } = target;
  if (kinds !== undefined && !kinds.includes(hit.kind)) return null;
  if (callId !== undefined && hit.callId !== null && hit.callId !== callId) return null;
  return <Slice key={`${hit.line} ${hit.kind} ${hit.nth} ${hit.offset}`} hit={hit} first={slice} />;
}

function Slice({ hit, first }: { readonly hit: TargetHit; readonly first: TextSlice }) {
  const source = useSource();
  const [{ text, start, total }, setSlice] = useState(first);
  const [problem, setProblem] = useState('');
  const show = (from: number, to: number): void => {
    source.slice(hit, Math.max(0, from), to).then(setSlice, () => setProblem('The rest cannot be loaded.'));
  };
  const end = start + text.length;
  const at = hit.offset - start;
  const to = at + hit.match.length;
  return (
    <section className="found-slice" aria-label="Text around the match">
      <p className="quiet">
        {nameOf(hit.kind)}, characters {formatCount(start + 1)} to {formatCount(end)} of {formatCount(total)}
      </p>
      {start === 0 ? null : (
        <button type="button" className="more" onClick={() => show(start - moreChars, end)}>
          Show more before
        </button>
      )}
      <div className="plain mono" dir="auto">
        {neutralise(text.slice(0, at))}
        <span className="found-here">{neutralise(text.slice(at, to))}</span>
        {neutralise(text.slice(to))}
      </div>
      {end >= total ? null : (
        <button type="button" className="more" onClick={() => show(start, end + moreChars)}>
          Show more after
        </button>
      )}
      {problem === '' ? null : <p className="problem">{problem}</p>}
    </section>
  );
}

const names: Readonly<Record<string, string>> = {
  prompt: 'Prompt',
  answer: 'Answer',
  thinking: 'Thinking',
  title: 'Title',
  note: 'Note',
  'tool-input': 'Input of the call',
  'tool-output': 'Output of the call',
  attachment: 'Attached by the client',
};

export function nameOf(kind: string): string {
  return Object.hasOwn(names, kind) ? (names[kind] ?? kind) : kind;
}

export interface FoundElsewhereProps {
  readonly target: TargetLine;
  onClose(): void;
}

/** A hit in a line that the conversation does not show. */
export function FoundElsewhere({ target, onClose }: FoundElsewhereProps) {
  const source = useSource();
  const { showRaw } = useActions();
  const { hit, slice } = target;
  if (hit === undefined || slice === undefined) return null;
  const own = hit.agentId === null ? source : source.ofAgent(hit.agentId);
  return (
    <aside className="found-elsewhere" aria-label="Match outside the conversation">
      <header>
        <strong>Line {hit.line}</strong>
        <span className="quiet">
          {hit.agentId === null ? 'not drawn in the conversation' : 'of a sub-agent, not drawn in the conversation'}
        </span>
        {source.exported?.hasRaw === false ? null : (
          <button type="button" onClick={() => showRaw(own, { line: hit.line, record: 0, uuid: null })}>
            Raw line
          </button>
        )}
        <button type="button" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      <Slice key={`${hit.agentId} ${hit.line} ${hit.kind} ${hit.nth} ${hit.offset}`} hit={hit} first={slice} />
    </aside>
  );
}
