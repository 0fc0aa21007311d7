// The rows of the outline ⇄ the parts of the conversation.
import type { TurnRow } from '../../../export/wire/view.ts';

/** The row of the turn that a part belongs to. */
export function rowOfPart(rows: readonly TurnRow[], part: number): TurnRow | undefined {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((rows[middle]?.firstPart ?? 0) <= part) low = middle;
    else high = middle - 1;
  }
  return rows[low];
}
