// Asks whether to trust a new folder, with a list of its hooks, servers, rules and skills. Nothing of it takes effect
// before the answer, or after a no.
import type { OfferItem } from '../../../agent/trust/offer.ts';
import { type Drawing, wholeLines } from '../transcript/drawing.ts';
import { type Dialog, type DialogAnswer, makeDialog } from './dialog.ts';
import { noteLines } from './questions.ts';

export type AskDialog = (dialog: Dialog) => Promise<DialogAnswer>;

/** The safe answer comes first, so that a key pressed too early accepts nothing. */
export function trustDialog(folder: string, items: readonly OfferItem[]): Dialog {
  return makeDialog({
    title: 'Trust this folder?',
    body: (drawing) => [
      ...noteLines(`${folder} contains settings that run programs or change permissions:`, drawing),
      ...items.flatMap((item) => itemLines(item, drawing)),
    ],
    choices: [{ label: 'No, work without them' }, { label: 'Yes, I trust this folder', hint: 'from now on' }],
    escapeHint: 'Esc declines',
  });
}

export function isTrusted(answer: DialogAnswer): boolean {
  return answer.kind === 'chosen' && answer.indexes[0] === 1;
}

function itemLines({ kind, text, source, isAskedApart }: OfferItem, { columns }: Drawing): readonly string[] {
  const apart = isAskedApart === true ? ', asked later' : '';
  const lines = wholeLines(`${kind}: ${text} (${source}${apart})`, columns - 6);
  return lines.map((line, i) => `   ${i === 0 ? '' : '  '}${line}`);
}
