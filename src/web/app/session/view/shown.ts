// Which blocks each view shows, and which parts can have one. The blocks that only *All* shows are listed here and
// nowhere else.
import { chosenAttachments, type Item, partBits, type TurnView } from '../../../../export/wire/index.ts';
import type { ViewFilter } from '../source/index.ts';

/** What a reader of the conversation does not need. Each entry has a test. */
export const hiddenBlocks: readonly { readonly what: string; is(item: Item): boolean }[] = [
  { what: 'thinking that the transcript holds only as a signature', is: isUnreadable },
  { what: 'context that the client sent to the model: reminders, hook output, lists of skills', is: isContext },
  { what: "the client's filler, such as No response requested", is: isFiller },
];

function isUnreadable(item: Item): boolean {
  return item.kind === 'thinking' && item.text === null;
}

/** A warning or an error is not hidden, nor what the user attached. */
function isContext(item: Item): boolean {
  return item.kind === 'note' && item.isFolded && item.tone === 'plain' && !isChosen(item.label);
}

function isFiller(item: Item): boolean {
  return item.kind === 'note' && item.label === 'client' && item.tone === 'plain';
}

/** The label of an attachment is its type in words, and the file after a dot. */
function isChosen(label: string): boolean {
  const [type = ''] = label.split(' · ', 1);
  return chosenAttachments.includes(type.replaceAll(' ', '_'));
}

export function isError(item: Item): boolean {
  return (item.kind === 'call' && item.state === 'failed') || (item.kind === 'note' && item.tone === 'error');
}

export function isShown(item: Item, { view, tools }: ViewFilter): boolean {
  if (tools.length > 0 && !(item.kind === 'call' && tools.includes(item.name))) return false;
  switch (view) {
    case 'all':
      return true;
    case 'conversation':
      return !hiddenBlocks.some(({ is }) => is(item));
    case 'prompts':
      return item.kind === 'queued';
    case 'errors':
      return isError(item);
    default:
      return view satisfies never;
  }
}

/** Whether a loaded part has anything to show. */
export function showsAnything({ prompt, isFirst, items }: TurnView, filter: ViewFilter): boolean {
  const hasHead = filter.tools.length === 0 && filter.view !== 'errors' && (prompt !== null || filter.view === 'all');
  return (isFirst && hasHead) || items.some((item) => isShown(item, filter));
}

const conversationBits: number = Object.values(partBits).reduce((all, bit) => all | bit, 0) & ~partBits.context;

/** Whether a part may have something to show, before it is loaded. `tools`: its own, as positions in the head's list. */
export function mayShow(
  { view }: ViewFilter,
  chosen: ReadonlySet<number> | null,
  bits: number,
  tools: readonly number[],
): boolean {
  if (chosen !== null && !tools.some((tool) => chosen.has(tool))) return false;
  switch (view) {
    case 'all':
      return true;
    case 'conversation':
      return (bits & conversationBits) !== 0;
    case 'prompts':
      return (bits & (partBits.prompt | partBits.queued)) !== 0;
    case 'errors':
      return (bits & (partBits.error | (chosen === null ? partBits.maybeError : 0))) !== 0;
    default:
      return view satisfies never;
  }
}
