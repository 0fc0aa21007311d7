// A part of a turn: on the first one the prompt with what the turn took, on all of them the items in their order.
import { Component, memo } from 'react';
import type { PromptView, TurnRow, TurnView } from '../../../../export/wire/index.ts';
import { MessageTools } from '../copy/index.ts';
import { FoundHere } from '../find/index.ts';
import { useActions, useIsTarget, useMenus, usePlaceNames, useSource } from '../source/index.ts';
import { Images, PlainText, RawButton, Words } from '../text/index.ts';
import { Attached, PlaceAnchor } from './attached.tsx';
import { PartItems } from './items.tsx';
import { TurnFacts } from './numbers.tsx';

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
  const menus = useMenus();
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
        {menus === null ? null : <menus.Turn row={row} branch={branch} />}
      </div>
      {view.prompt === null ? <p className="quiet">Before the first prompt</p> : <Prompt prompt={view.prompt} />}
    </header>
  );
}

function Prompt({ prompt }: { readonly prompt: PromptView }) {
  const isTarget = useIsTarget(prompt.place.line, ...prompt.morePlaces.map(({ line }) => line));
  return (
    <div className={`prompt ${isTarget ? 'target' : ''}`} {...usePlaceNames(prompt.place)}>
      {prompt.morePlaces.map((place) => (
        <PlaceAnchor key={place.record} place={place} />
      ))}
      {prompt.text.text === '' ? null : <PlainText text={prompt.text} className="prompt-text" />}
      <Attached attached={prompt.attached} place={prompt.place} />
      <Images images={prompt.images} />
      {prompt.documents.map((name, i) => (
        <p className="quiet" key={`${i} ${name}`}>
          Document: <Words text={name} />
        </p>
      ))}
      <FoundHere lines={[prompt.place.line, ...prompt.morePlaces.map(({ line }) => line)]} />
      {prompt.kind === 'queued' ? <p className="quiet">Typed while it worked</p> : null}
      <MessageTools what="prompt" text={prompt.text} stamp={{ at: prompt.at, model: null }}>
        <RawButton place={prompt.place} />
      </MessageTools>
    </div>
  );
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
