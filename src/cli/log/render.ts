// A commit and the shares of turns in it → text.

import type { CommitFacts } from '../../authorship/history/index.ts';
import { counted, oneLine } from '../../base/text/index.ts';
import { type Column, localTime, renderTable, type TableOptions } from '../render/index.ts';
import type { CommitShares } from './shares.ts';

export interface LogOptions extends TableOptions {
  readonly ids: ReadonlyMap<string, string>;
}

export function commitText(facts: CommitFacts, shares: CommitShares, options: LogOptions): string {
  const { style, ids } = options;
  const { hash, subject, author, time } = facts;
  const head = `${style.bold(hash.slice(0, 12))}  ${oneLine(subject, 200)}`;
  const by = style.muted(`${oneLine(author, 100)}, ${localTime(time)}, ${counted(shares.total, 'added line')}`);
  const columns: readonly Column[] = [
    { header: 'LINES', align: 'right' },
    { header: 'SHARE', align: 'right' },
    { header: 'SESSION' },
    { header: 'TURN', align: 'right' },
    { header: 'WHEN', minWidth: 10 },
    { header: 'PROMPT', flex: true, minWidth: 12 },
  ];
  const rows = shares.turns.map(({ edit, lines }) => {
    const { sessionId, turn, prompt, title } = edit.author;
    const id = ids.get(sessionId) ?? sessionId;
    const share = `${Math.round((100 * lines) / shares.total)} %`;
    return [String(lines), share, id, String(turn ?? ''), localTime(edit.time), oneLine(prompt ?? title ?? '', 200)];
  });
  const rest = [
    `${counted(shares.notByAgents, 'line')} not by an agent`,
    ...(shares.unknown > 0 ? [`${shares.unknown} unknown`] : []),
  ];
  if (shares.total === 0) return `${[head, by].join('\n')}\n`;
  const table = rows.length === 0 ? [] : [renderTable(columns, rows, options)];
  return `${[head, by, ...table, rest.join(', ')].join('\n')}\n`;
}
