// Renders the search in the history: the query, and the matches below it, newest first.
import { oneLine } from '../../../base/text/index.ts';
import { fitFacts, rule, scrollTo } from '../../render/index.ts';
import type { PlacedLines } from '../dialog/index.ts';
import { type HistorySearch, layOutBuffer } from '../input/index.ts';
import type { Drawing } from '../transcript/index.ts';

const maxMatchRows = 8;
const label = 'search: ';

export function searchLines(search: HistorySearch, { style, columns }: Drawing, room: number): PlacedLines {
  const { query, matches, selected } = search;
  const line = style.muted(rule('─', [], columns));
  const width = Math.max(4, columns - label.length - 1);
  const { rows, cursor } = layOutBuffer(query, width);
  const asked = `${style.accent(label)}${rows[cursor.row]?.text ?? ''}`;
  const count = Math.max(1, Math.min(maxMatchRows, room - 4));
  const first = scrollTo(0, selected, count, matches.length);
  const found = matches.slice(first, first + count).map(({ text }, i) => {
    const isSelected = first + i === selected;
    const shown = oneLine(text, columns - 4);
    return isSelected ? `${style.accent('❯')} ${style.bold(shown)}` : `  ${shown}`;
  });
  const shown = found.length > 0 ? found : [style.muted(oneLine('  no earlier prompt contains this', columns - 1))];
  const place = matches.length === 0 ? [] : [`${selected + 1} of ${matches.length}`];
  const facts = fitFacts([...place, 'Enter takes it', 'Ctrl-R older', 'Esc leaves'], columns - 3);
  const lines = [line, asked, ...shown, line, style.muted(`  ${facts}`)];
  return { lines, cursor: { row: 1, column: label.length + cursor.column } };
}
