// JSON of a transcript as a tree that folds; the text as it was written is one click away. A text that is not an object
// or a list, or is cut, is shown as text.
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { formatCount, neutralise } from '../../../../base/text/index.ts';
import type { Text } from '../../../../export/wire/index.ts';
import { useFold } from '../source/index.ts';
import { countValues, entriesOf, isJsonNode, type Json, type JsonNode, readJsonNode, sizeOf } from './json-value.ts';

/** Whether the call was jumped to: then its trees are open, so that the word is on the page. */
export const JumpedTo: React.Context<boolean> = createContext(false);

export interface JsonTextProps {
  readonly text: Text;
  /** Unique in its session: names the folds. */
  readonly id: string;
  readonly label: string;
  /** The text as it was written. */
  readonly children: React.ReactNode;
}

export function JsonText({ text, id, label, children }: JsonTextProps) {
  const node = useMemo(() => (text.more > 0 ? undefined : readJsonNode(text.text)), [text.text, text.more]);
  const [isRaw, setRaw] = useFold(`json text ${id}`, false);
  const isJumpedTo = useContext(JumpedTo);
  if (node === undefined) return children;
  return (
    <div className="json">
      <button type="button" className="json-switch" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
        Raw {label}
      </button>
      {isRaw ? (
        children
      ) : (
        <figure className="json-tree" aria-label={neutralise(`${label} as a tree`)}>
          <JumpedTo value={isJumpedTo && countValues(node, openTree) < openTree}>
            <Entries node={node} id={`json ${id}`} isSmall={countValues(node, smallTree) < smallTree} />
          </JumpedTo>
        </figure>
      )}
    </div>
  );
}

/** A tree of fewer values is open at first. */
const smallTree = 40;
/** A tree of fewer values is opened by a jump; of a larger one the slice with the word is shown. */
const openTree = 400;
const shownAtOnce = 100;

interface EntriesProps {
  readonly node: JsonNode;
  readonly id: string;
  readonly isSmall: boolean;
}

function Entries({ node, id, isSmall }: EntriesProps) {
  const [shown, setShown] = useState(shownAtOnce);
  const entries = entriesOf(node);
  return (
    <ul>
      {entries.slice(0, shown).map(([key, value]) => (
        <li key={key}>
          <Entry name={Array.isArray(node) ? '' : key} value={value} id={`${id}/${key}`} isSmall={isSmall} />
        </li>
      ))}
      {entries.length > shown ? (
        <li>
          <button type="button" className="more" onClick={() => setShown(shown + shownAtOnce * 5)}>
            Show more ({formatCount(entries.length - shown)})
          </button>
        </li>
      ) : null}
    </ul>
  );
}

interface EntryProps {
  readonly name: string;
  readonly value: Json;
  readonly id: string;
  readonly isSmall: boolean;
}

function Entry({ name, value, id, isSmall }: EntryProps) {
  if (isJsonNode(value) && entriesOf(value).length > 0)
    return <Branch name={name} node={value} id={id} isSmall={isSmall} />;
  return (
    <>
      <Key name={name} />
      <Leaf value={value} id={id} />
    </>
  );
}

function Branch({ name, node, id, isSmall }: EntriesProps & { readonly name: string }) {
  const isJumpedTo = useContext(JumpedTo);
  const [isOpen, setOpen] = useFold(id, isSmall);
  useEffect(() => {
    if (isJumpedTo) setOpen(true);
  }, [isJumpedTo, setOpen]);
  return (
    <>
      <button type="button" className="json-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Key name={name} />
        <span className="quiet">{sizeOf(node)}</span>
      </button>
      {isOpen ? <Entries node={node} id={id} isSmall={isSmall} /> : null}
    </>
  );
}

function Key({ name }: { readonly name: string }) {
  return name === '' ? null : <span className="json-key">{neutralise(name)}: </span>;
}

const longText = 600;

function Leaf({ value, id }: { readonly value: Json; readonly id: string }) {
  const isJumpedTo = useContext(JumpedTo);
  const [isOpen, setOpen] = useFold(id, false);
  if (typeof value !== 'string')
    return <span className="json-value">{isJsonNode(value) ? empty(value) : String(value)}</span>;
  const isCut = value.length > longText && !isOpen && !isJumpedTo;
  return (
    <>
      <span className="json-string">{neutralise(isCut ? value.slice(0, longText) : value)}</span>
      {isCut ? (
        <button type="button" className="more" onClick={() => setOpen(true)}>
          Show all ({formatCount(value.length)} characters)
        </button>
      ) : null}
    </>
  );
}

function empty(node: JsonNode): string {
  return Array.isArray(node) ? '[]' : '{}';
}
