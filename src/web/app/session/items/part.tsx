// A part of a turn: on the first one the prompt with what the turn took, on all of them the items in their order.
import { Component, memo } from 'react';
import { formatDuration, formatTokens } from '../../../../base/text/index.ts';
import type { Item, NoteItem, PromptView, TurnRow, TurnView } from '../../../../export/wire/index.ts';
import { formatKnownMoney, formatTime } from '../format/index.ts';
import { useActions, useFold, useIsTarget, usePlaceNames, useSource } from '../source/index.ts';
import { Images, PlainText, RawButton, Words } from '../text/index.ts';
import { ItemView } from './items.tsx';

export const PartView = memo(function PartView({
  view,
  row,
  branch,
}: {
  readonly view: TurnView;
  readonly row: TurnRow;
  readonly branch: number;
}) {
  return (
    <>
      {view.isFirst ? <TurnHead view={view} row={row} branch={branch} /> : null}
      <PartItems items={view.items} />
    </>
  );
});

function TurnHead({ view, row, branch }: { readonly view: TurnView; readonly row: TurnRow; readonly branch: number }) {
  const source = useSource();
  const { copy, linkTo } = useActions();
  const line = row.partLines[0] ?? 1;
  return (
    <header className="turn-head">
      <div className="turn-facts">
        <h2 id={`turn-${row.index}`} tabIndex={-1}>
          Turn {row.index}
        </h2>
        <TurnFacts row={row} />
        <span className="turn-tools">
          <button type="button" onClick={() => copy(linkTo(line, null), 'Link')}>
            Copy link
          </button>
          <button type="button" onClick={() => copy(source.markdown({ branch, turn: row.index }), 'Markdown')}>
            Copy as Markdown
          </button>
        </span>
      </div>
      {view.prompt === null ? <p className="quiet">Before the first prompt</p> : <Prompt prompt={view.prompt} />}
    </header>
  );
}

function TurnFacts({ row }: { readonly row: TurnRow }) {
  const { usage } = row;
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  const facts = [
    formatTime(row.startedAt),
    row.durationMs >= 1000 ? formatDuration(row.durationMs) : '',
    usage.messages === 0
      ? ''
      : `${formatTokens(input)} in, ${usage.outputIsLowerBound ? '≥ ' : ''}${formatTokens(usage.outputTokens)} out`,
  ].filter((fact) => fact !== '');
  return (
    <span className="turn-numbers">
      {facts.join(' · ')}
      {row.costMicros === null ? null : (
        <span className="cost">
          {' · '}
          {formatKnownMoney(row.costMicros, row.unpriced > 0)}
        </span>
      )}
    </span>
  );
}

function Prompt({ prompt }: { readonly prompt: PromptView }) {
  const isTarget = useIsTarget(prompt.place.line);
  return (
    <div className={`prompt ${isTarget ? 'target' : ''}`} {...usePlaceNames(prompt.place)}>
      <PlainText text={prompt.text} className="prompt-text" />
      <Images images={prompt.images} />
      {prompt.documents.map((name, i) => (
        <p className="quiet" key={`${i} ${name}`}>
          Document: <Words text={name} />
        </p>
      ))}
      {prompt.kind === 'queued' ? <p className="quiet">Typed while it worked</p> : null}
      <RawButton place={prompt.place} />
    </div>
  );
}

type Group =
  | { readonly key: string; readonly item: Item }
  | { readonly key: string; readonly notes: readonly NoteItem[] };

/** What the client sent only to the model comes in runs; a run is one line. */
export function PartItems({ items }: { readonly items: readonly Item[] }) {
  return (
    <div className="items">
      {groupNotes(items).map((group) =>
        'notes' in group ? (
          <Notes key={group.key} notes={group.notes} />
        ) : (
          <ItemView key={group.key} item={group.item} />
        ),
      )}
    </div>
  );
}

function groupNotes(items: readonly Item[]): readonly Group[] {
  const groups: Group[] = [];
  for (const [i, item] of items.entries()) {
    const last = groups.at(-1);
    const key = `${item.kind} ${item.place.record} ${i}`;
    if (item.kind !== 'note' || !item.isFolded) groups.push({ key, item });
    else if (last !== undefined && 'notes' in last) {
      groups[groups.length - 1] = { key: last.key, notes: [...last.notes, item] };
    } else groups.push({ key, notes: [item] });
  }
  return groups;
}

function Notes({ notes }: { readonly notes: readonly NoteItem[] }) {
  const isTarget = useIsTarget(...notes.map((note) => note.place.line));
  const [isOpened, setOpen] = useFold(`notes ${notes[0]?.place.record}`, false);
  const [only] = notes;
  if (only !== undefined && notes.length === 1) return <ItemView item={only} />;
  const isOpen = isOpened || isTarget;
  return (
    <div className="item folded quiet">
      <button type="button" className="fold-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {notes.length} notes of the client: <Words text={labelsOf(notes)} />
      </button>
      {isOpen ? notes.map((note) => <ItemView key={note.place.record} item={note} />) : null}
    </div>
  );
}

function labelsOf(notes: readonly NoteItem[]): string {
  return [...new Set(notes.map((note) => note.label))].slice(0, 4).join(', ');
}

export interface BoundaryProps {
  readonly what: string;
  readonly children: React.ReactNode;
}

export class Boundary extends Component<BoundaryProps, { readonly problem: string | null }> {
  override readonly state: { readonly problem: string | null } = { problem: null };

  static getDerivedStateFromError(error: unknown): { readonly problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render(): React.ReactNode {
    if (this.state.problem === null) return this.props.children;
    return (
      <p className="problem">
        {this.props.what} cannot be drawn ({this.state.problem}). The raw lines can still be read with{' '}
        <code>clew cat</code>.
      </p>
    );
  }
}
