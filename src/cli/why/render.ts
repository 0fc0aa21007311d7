// Answers about lines → text: one line with everything that is known, or ranges of lines in a table.

import type { LineAnswer } from '../../authorship/answer/index.ts';
import { counted, oneLine } from '../../base/text/index.ts';
import { type Cell, type Column, localTime, renderTable, type TableOptions } from '../render/index.ts';
import { referenceOf } from './answer-json.ts';

export const doubtTexts: Readonly<Record<NonNullable<LineAnswer['doubt']>, string>> = {
  'equal-lines': 'equal lines are next to each other, one of them by a session',
  'rewritten-block': 'a common line of a session at the edge of a block that was rewritten',
  command: 'a command of a session may have changed the file',
  history: 'nothing is known of the file before',
  'missing-session': 'the commit names an agent, but no recorded session wrote it',
};

const howTexts: Readonly<Record<NonNullable<LineAnswer['how']>, string>> = {
  same: 'exactly as the call wrote it',
  reformatted: 'only its whitespace has changed since',
  moved: 'moved within the file since',
  restored: 'removed and restored since',
};

/** Neighbours with the same answer. */
export interface AnswerRange {
  readonly first: number;
  readonly last: number;
  readonly answer: LineAnswer;
}

export function groupAnswers(lines: readonly LineAnswer[]): readonly AnswerRange[] {
  const ranges: AnswerRange[] = [];
  for (const answer of lines) {
    const open = ranges.at(-1);
    if (open !== undefined && groupKey(open.answer) === groupKey(answer) && open.last + 1 === answer.line)
      ranges[ranges.length - 1] = { ...open, last: answer.line };
    else ranges.push({ first: answer.line, last: answer.line, answer });
  }
  return ranges;
}

function groupKey({ verdict, edit, doubt, commit }: LineAnswer): string {
  if (verdict === 'agent') return `${edit?.author.sessionId} ${edit?.author.turn} ${edit?.author.agentId}`;
  return `${verdict} ${doubt} ${commit}`;
}

export interface WhyOptions extends TableOptions {
  readonly ids: ReadonlyMap<string, string>;
}

export function rangeTable(ranges: readonly AnswerRange[], options: WhyOptions): string {
  const columns: readonly Column[] = [
    { header: 'LINES', align: 'right' },
    { header: 'SESSION' },
    { header: 'TURN', align: 'right' },
    { header: 'WHEN', minWidth: 10 },
    { header: 'COMMIT' },
    { header: 'PROMPT', flex: true, minWidth: 12 },
  ];
  const rows = ranges.map(({ first, last, answer }) => rangeRow(first, last, answer, options));
  return `${renderTable(columns, rows, options)}\n`;
}

function rangeRow(first: number, last: number, answer: LineAnswer, { ids, style }: WhyOptions): readonly Cell[] {
  const { verdict, edit, commit, commitTime, doubt } = answer;
  const lines = first === last ? String(first) : `${first}-${last}`;
  const place = commit === undefined ? 'not yet' : commit.slice(0, 8);
  if (verdict === 'agent' && edit !== undefined) {
    const { sessionId, turn, agentId, prompt, title } = edit.author;
    const text = `${agentId === undefined ? '' : 'sub-agent: '}${oneLine(prompt ?? title ?? '', 200)}`;
    return [lines, ids.get(sessionId) ?? sessionId, String(turn ?? ''), localTime(edit.time), place, text];
  }
  const words =
    verdict === 'not-agent' ? 'not by an agent' : `unknown: ${doubt === undefined ? '' : doubtTexts[doubt]}`;
  return [lines, '', '', localTime(commitTime), place, { text: words, paint: style.muted }];
}

/** Everything about one line. */
export function lineText(name: string, answer: LineAnswer, options: WhyOptions): string {
  const { style } = options;
  const head = `${style.bold(`${oneLine(name, 300)}:${answer.line}`)}  ${oneLine(answer.text.trim(), 400)}`;
  return `${[head, ...factLines(answer, options)].join('\n')}\n`;
}

function factLines(answer: LineAnswer, { ids, style }: WhyOptions): readonly string[] {
  const { verdict, edit, doubt, how, commit } = answer;
  const facts: [string, string][] = [];
  if (verdict === 'not-agent') facts.push(['written', 'not by an agent: no recorded call wrote it']);
  if (verdict === 'unknown') facts.push(['written', `unknown: ${doubt === undefined ? '' : doubtTexts[doubt]}`]);
  if (edit !== undefined) {
    const { sessionId, title, turn, branch, prompt, agentId } = edit.author;
    const id = ids.get(sessionId) ?? sessionId;
    const isSure = verdict === 'agent';
    facts.push([isSure ? 'session' : 'perhaps', `${id}  ${oneLine(title ?? '', 200)}`.trimEnd()]);
    facts.push([
      'turn',
      `${turn ?? 'none'}${branch === undefined ? '' : ` of branch ${branch}`}, ${localTime(edit.time)}`,
    ]);
    facts.push(['prompt', oneLine(prompt ?? '', 400)]);
    facts.push([
      'call',
      `${oneLine(edit.tool, 60)}${agentId === undefined ? '' : `, by sub-agent ${oneLine(agentId, 60)}`}`,
    ]);
    if (isSure && how !== undefined) facts.push(['sure', howTexts[how]]);
    facts.push(['reference', oneLine(referenceOf(edit.author), 100)]);
    const branchFlag = branch === undefined ? '' : ` --branch ${branch}`;
    if (edit.author.isArchived) facts.push(['read it', `clew restore ${sessionId}`]);
    else if (turn !== undefined) facts.push(['read it', `clew show ${id} --turn ${turn}${branchFlag}`]);
  }
  facts.push([
    'commit',
    commit === undefined ? 'not committed yet' : `${commit.slice(0, 12)}, ${localTime(answer.commitTime)}`,
  ]);
  return facts.filter(([, value]) => value !== '').map(([name, value]) => `  ${style.muted(name.padEnd(9))}  ${value}`);
}

/** `120 lines: 80 by 3 sessions, 38 not by an agent, 2 unknown`. */
export function countText(lines: readonly LineAnswer[]): string {
  const own = lines.filter(({ verdict }) => verdict === 'agent');
  const sessions = new Set(own.map(({ edit }) => edit?.author.sessionId)).size;
  const other = lines.filter(({ verdict }) => verdict === 'not-agent').length;
  const unknown = lines.length - own.length - other;
  return [
    `${counted(lines.length, 'line')}: ${own.length} by ${counted(sessions, 'session')}, ${other} not by an agent`,
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
  ].join(', ');
}
