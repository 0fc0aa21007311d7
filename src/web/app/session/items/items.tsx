// The items of a turn except its calls: answers, thinking, typed prompts, notes, compactions, forks.
import { useEffect } from 'react';
import { counted, formatCount, formatTokens } from '../../../../base/text/index.ts';
import type {
  BlockItem,
  CompactionItem,
  ForkItem,
  Item,
  NoteItem,
  Place,
  QueuedItem,
  TextItem,
  ThinkingItem,
} from '../../../../export/wire/index.ts';
import { MessageTools } from '../copy/index.ts';
import { FoundHere } from '../find/index.ts';
import { useActions, useFold, useIsTarget, usePlaceNames } from '../source/index.ts';
import { JsonText, MarkdownText, Picture, PlainText, RawButton, TerminalText, Words } from '../text/index.ts';
import { useShownItems } from '../view/index.ts';
import { PlaceAnchor } from './attached.tsx';
import { Call } from './call.tsx';

export function ItemView({ item }: { readonly item: Item }) {
  switch (item.kind) {
    case 'text':
      return <Answer item={item} />;
    case 'thinking':
      return <Thinking item={item} />;
    case 'call':
      return <Call item={item} Items={PartItems} />;
    case 'image':
      return (
        <Placed place={item.place} className="">
          <Picture image={item.image} />
        </Placed>
      );
    case 'queued':
      return <Queued item={item} />;
    case 'note':
      return item.isFolded ? <FoldedNote item={item} /> : <Note item={item} />;
    case 'compaction':
      return <CompactionMark item={item} />;
    case 'fork':
      return <Fork item={item} />;
    case 'block':
      return <UnknownBlock item={item} />;
    default:
      return item satisfies never;
  }
}

interface PlacedProps {
  readonly place: Place;
  readonly className: string;
  /** The kinds of text that it shows, for a line with several blocks; any by default. */
  readonly kinds?: readonly string[] | undefined;
  readonly children: React.ReactNode;
}

/** The block of a line: it is found by its place, and highlighted when the reader jumps to it. */
function Placed({ place, className, kinds, children }: PlacedProps) {
  const isTarget = useIsTarget(place.line);
  return (
    <div className={`item ${className} ${isTarget ? 'target' : ''}`} {...usePlaceNames(place)}>
      {children}
      <FoundHere lines={[place.line]} kinds={kinds} />
    </div>
  );
}

function Answer({ item }: { readonly item: TextItem }) {
  return (
    <Placed place={item.place} className="answer" kinds={['answer']}>
      <MarkdownText text={item.text} />
      <MessageTools what="answer" text={item.text} stamp={item}>
        <RawButton place={item.place} />
      </MessageTools>
    </Placed>
  );
}

interface FoldedProps {
  readonly id: string;
  readonly place: Place;
  readonly className: string;
  readonly title: React.ReactNode;
  readonly kinds?: readonly string[];
  readonly children: React.ReactNode;
}

/** One line, and more below it when it is opened, or when it was jumped to. */
function Folded({ id, place, className, title, kinds, children }: FoldedProps) {
  const isTarget = useIsTarget(place.line);
  const [isOpen, setOpen] = useFold(id, false);
  useEffect(() => {
    if (isTarget) setOpen(true);
  }, [isTarget, setOpen]);
  return (
    <Placed place={place} className={`folded ${className}`} kinds={kinds}>
      <div className="call-head">
        <button type="button" className="fold-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {title}
        </button>
        <RawButton place={place} />
      </div>
      {isOpen ? <div className="fold-body">{children}</div> : null}
    </Placed>
  );
}

function Thinking({ item }: { readonly item: ThinkingItem }) {
  const { text, place } = item;
  if (text === null) {
    return (
      <Placed place={place} className="folded quiet" kinds={['thinking']}>
        Thought, not readable <RawButton place={place} />
      </Placed>
    );
  }
  const start = text.text.trim().split('\n', 1)[0] ?? '';
  return (
    <Folded
      id={`thinking ${place.record} ${text.text.length} ${start.slice(0, 20)}`}
      place={place}
      className="thinking"
      kinds={['thinking']}
      title={
        <>
          <span className="fold-name">Thinking</span> <Words text={start.slice(0, 140)} />
        </>
      }
    >
      <MarkdownText text={text} />
    </Folded>
  );
}

function Queued({ item }: { readonly item: QueuedItem }) {
  return (
    <Placed place={item.place} className="queued">
      <p className="quiet">Typed while it worked</p>
      <PlainText text={item.text} className="prompt-text" />
      <RawButton place={item.place} />
    </Placed>
  );
}

function Note({ item }: { readonly item: NoteItem }) {
  const isTarget = useIsTarget(item.place.line, ...item.morePlaces.map(({ line }) => line));
  return (
    <div className={`item note ${item.tone} ${isTarget ? 'target' : ''}`} {...usePlaceNames(item.place)}>
      {item.morePlaces.map((place) => (
        <PlaceAnchor key={place.record} place={place} />
      ))}
      <span className="note-label">
        {item.tone === 'error' ? '✗ ' : ''}
        <Words text={item.label} />
      </span>
      <div className="note-text">
        {item.isOutput ? <TerminalText text={item.text} label={item.label} /> : <PlainText text={item.text} />}
      </div>
      <RawButton place={item.place} />
      <FoundHere lines={[item.place.line, ...item.morePlaces.map(({ line }) => line)]} />
    </div>
  );
}

function FoldedNote({ item }: { readonly item: NoteItem }) {
  return (
    <Folded id={`note ${item.place.record}`} place={item.place} className="quiet" title={<Words text={item.label} />}>
      {item.text.text === '' ? <p className="quiet">Nothing to read; the raw line has it.</p> : null}
      {item.isOutput ? <TerminalText text={item.text} label={item.label} /> : <PlainText text={item.text} />}
    </Folded>
  );
}

function CompactionMark({ item }: { readonly item: CompactionItem }) {
  const [isOpen, setOpen] = useFold(`compaction ${item.place.record}`, false);
  const isTarget = useIsTarget(item.place.line);
  useEffect(() => {
    if (isTarget) setOpen(true);
  }, [isTarget, setOpen]);
  const sizes = [item.preTokens, item.postTokens].flatMap((count) => (count === null ? [] : [formatTokens(count)]));
  const facts = [
    `Compacted${item.trigger === null ? '' : ` (${item.trigger})`}`,
    ...(sizes.length === 0 ? [] : [`${sizes.join(' → ')} tokens`]),
    `${item.keptCount === 0 ? 'no' : formatCount(item.keptCount)} ${item.keptCount === 1 ? 'line' : 'lines'} kept`,
  ];
  return (
    <Placed place={item.place} className="compaction">
      <div className="compaction-line">
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Words text={facts.join(' · ')} />
        </button>
        <RawButton place={item.place} />
      </div>
      {isOpen ? (
        <div className="fold-body">
          {item.kept.length === 0 ? null : (
            <>
              <h4>Kept as it was</h4>
              <ul className="kept">
                {item.kept.map(({ line, role, text }) => (
                  <li key={line}>
                    <span className="quiet">
                      line {line}, <Words text={role} />
                    </span>{' '}
                    <Words text={text} />
                  </li>
                ))}
              </ul>
            </>
          )}
          <h4>Summary</h4>
          {item.summary === null ? (
            <p className="quiet">No summary in the transcript.</p>
          ) : (
            <MarkdownText text={item.summary} />
          )}
        </div>
      ) : null}
    </Placed>
  );
}

function Fork({ item }: { readonly item: ForkItem }) {
  const { showBranch } = useActions();
  return (
    <Placed place={item.place} className="fork">
      <button type="button" onClick={() => showBranch(item.branch)}>
        <span aria-hidden="true">↗</span>{' '}
        {item.isReplay
          ? 'The same history is repeated here'
          : `Another branch leaves here, ${counted(item.turns, 'turn')}`}
      </button>
    </Placed>
  );
}

function UnknownBlock({ item }: { readonly item: BlockItem }) {
  return (
    <Folded
      id={`block ${item.place.record} ${item.json.text.length}`}
      place={item.place}
      className=""
      title={<Words text={item.type} />}
    >
      <JsonText text={item.json} id={`block ${item.place.record} ${item.json.text.length}`} label="block">
        <PlainText text={item.json} className="mono" />
      </JsonText>
    </Folded>
  );
}

type Group =
  | { readonly key: string; readonly item: Item }
  | { readonly key: string; readonly notes: readonly NoteItem[] };

/** What the client sent only to the model comes in runs; a run is one line. */
export function PartItems({ items }: { readonly items: readonly Item[] }) {
  return (
    <div className="items">
      {groupNotes(useShownItems(items)).map((group) =>
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
