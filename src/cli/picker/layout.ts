// Renders the picker to fit the terminal. It reads only the visible rows, so ten thousand sessions cost no more than
// ten.
import {
  counted,
  displayWidth,
  formatAge,
  formatBytes,
  formatCount,
  oneLine,
  padEnd,
  padStart,
  truncate,
} from '../../base/text/index.ts';
import type { ListedSession } from '../../library/index/index.ts';
import { lastUse } from '../ls/index.ts';
import { fitFacts, localTime, rule, scrollTo, shortFolder, wrapSpans } from '../render/index.ts';
import type { Style } from '../terminal/index.ts';
import type { PickerState } from './state.ts';

export interface PickerView {
  readonly state: PickerState;
  readonly matches: readonly PickerEntry[];
  readonly total: number;
  /** Enter resumes a session instead of showing it. */
  readonly isChoosing?: boolean;
  /** The first visible row of the last frame. */
  readonly top: number;
  /** The last lines of the selected session, newest last; `undefined` while it is being read. */
  readonly preview: readonly string[] | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly style: Style;
}

export interface PickerScreen {
  readonly lines: readonly string[];
  readonly top: number;
  /** The cursor, from 0; `undefined` while nothing is typed. */
  readonly cursor: { readonly row: number; readonly column: number } | undefined;
}

export interface Frame {
  readonly listRows: number;
  readonly listColumns: number;
  readonly previewRows: number;
  readonly previewColumns: number;
  /** Next to the list if there is space, else below it. */
  readonly isBeside: boolean;
}

const besideFrom = 110;
const minRowsForPreview = 12;

export function frameOf(columns: number, rows: number): Frame {
  // One line each for the query, the headers and the keys.
  const body = Math.max(1, rows - 3);
  if (columns >= besideFrom && rows >= minRowsForPreview) {
    const listColumns = Math.floor(columns * 0.52);
    return {
      listRows: body,
      listColumns,
      previewRows: body + 1,
      previewColumns: columns - listColumns - 3,
      isBeside: true,
    };
  }
  const previewRows = rows < minRowsForPreview ? 0 : Math.floor(body / 2) - 1;
  const listRows = body - (previewRows === 0 ? 0 : previewRows + 1);
  return { listRows, listColumns: columns, previewRows, previewColumns: columns, isBeside: false };
}

export function layOut(view: PickerView): PickerScreen {
  const { state, columns, rows, matches, style } = view;
  const frame = frameOf(columns, rows);
  const top = scrollTo(view.top, state.selected, frame.listRows, matches.length);
  const query = queryLine(view);
  const main = state.isHelp ? helpLines(view, rows - 2) : bodyLines(view, frame, top);
  const bottom =
    state.message === ''
      ? style.muted(keyLine(state, columns, view.isChoosing))
      : style.yellow(oneLine(state.message, columns));
  const lines = [query.text, ...main, bottom].slice(0, rows);
  const isTyping = state.focus === 'filter' && !state.isHelp;
  return { lines, top, cursor: isTyping ? { row: 0, column: Math.min(columns - 1, query.cursor) } : undefined };
}

function queryLine({ state, matches, total, columns, style }: PickerView): { text: string; cursor: number } {
  const count =
    state.query === '' ? counted(total, 'session') : `${formatCount(matches.length)} of ${formatCount(total)}`;
  const room = columns - displayWidth(count) - 2;
  const mark = state.focus === 'filter' ? style.accent('›') : style.muted('›');
  if (room < 8) return { text: oneLine(`› ${state.query}`, columns), cursor: 2 + displayWidth(state.query) };
  // The end of a long query stays visible.
  const shown = endOf(state.query, room - 4);
  const hint = state.query === '' ? style.muted(oneLine('type to filter', room - 4)) : style.bold(shown);
  const left = `${mark} ${hint}`;
  return { text: `${padEnd(left, room)}  ${style.muted(count)}`, cursor: 2 + displayWidth(shown) };
}

function endOf(text: string, width: number): string {
  const clean = oneLine(text, Number.MAX_SAFE_INTEGER);
  const spaced = /\s$/.test(text) && clean !== '' ? `${clean} ` : clean;
  if (displayWidth(spaced) <= width) return spaced;
  const characters = [...spaced];
  while (characters.length > 0 && displayWidth(characters.join('')) > width - 1) characters.shift();
  return `…${characters.join('')}`;
}

function bodyLines(view: PickerView, frame: Frame, top: number): string[] {
  const { matches, style, state } = view;
  const { listRows, listColumns } = frame;
  const shown = matches.slice(top, top + listRows);
  const list = shown.map((entry, i) => rowLine(view, entry, listColumns, top + i === state.selected));
  if (matches.length === 0)
    list.push(style.muted(`  ${oneLine('no session matches; Esc clears the filter', listColumns - 2)}`));
  while (list.length < listRows) list.push('');
  const listed = [style.muted(headerLine(listColumns)), ...list];
  if (frame.previewRows === 0) return listed;
  const preview = previewLines(view, frame);
  while (preview.length < frame.previewRows) preview.push('');
  if (!frame.isBeside) return [...listed, style.muted('─'.repeat(view.columns)), ...preview];
  return listed.map((line, i) => `${padEnd(line, listColumns)} ${style.muted('│')} ${preview[i] ?? ''}`.trimEnd());
}

interface Widths {
  readonly title: number;
  readonly folder: number;
  readonly turns: number;
  readonly id: number;
}

const ageWidth = 6;
const gap = '  ';

/** Fixed for a screen width, so that columns do not move while scrolling. */
function widthsOf(columns: number): Widths {
  const id = columns >= 40 ? 8 : 0;
  const turns = columns >= 60 ? 5 : 0;
  const folder = columns >= 70 ? Math.min(28, Math.floor(columns / 4)) : 0;
  const others = [id, turns, folder].filter((width) => width > 0);
  const taken = 2 + ageWidth + gap.length + others.reduce((sum, width) => sum + width + gap.length, 0);
  return { title: Math.max(1, columns - taken), folder, turns, id };
}

function headerLine(columns: number): string {
  return cells(columns, 'AGE', 'TITLE', 'FOLDER', 'TURNS', 'ID');
}

function cells(columns: number, age: string, title: string, folder: string, turns: string, id: string): string {
  const widths = widthsOf(columns);
  const parts = [padStart(age, ageWidth), padEnd(oneLine(title, widths.title), widths.title)];
  if (widths.folder > 0) parts.push(padEnd(folder, widths.folder));
  if (widths.turns > 0) parts.push(padStart(turns, widths.turns));
  if (widths.id > 0) parts.push(oneLine(id, widths.id));
  return truncate(`  ${parts.join(gap)}`, columns);
}

function rowLine(view: PickerView, entry: PickerEntry, columns: number, isSelected: boolean): string {
  const { style, nowMs } = view;
  const { session } = entry;
  const widths = widthsOf(columns);
  const title = session.title ?? (session.turns === 0 ? '(no conversation)' : '(untitled)');
  const turns = session.turns === 0 ? '' : formatCount(session.turns);
  const folder = endOfPath(folderOf(entry), widths.folder);
  const line = cells(columns, formatAge(lastUse(session), nowMs), title, folder, turns, session.sessionId.slice(0, 8));
  if (!isSelected) return line;
  return style.inverse(padEnd(`❯ ${line.slice(2)}`, columns));
}

function folderOf({ session }: PickerEntry): string {
  return oneLine(shortFolder(session.cwd ?? session.project), 4096);
}

/** The last folder of a path identifies it best. */
function endOfPath(folder: string, width: number): string {
  if (displayWidth(folder) <= width) return folder;
  return endOf(folder, width);
}

function previewLines(view: PickerView, { previewRows, previewColumns }: Frame): string[] {
  const { matches, state, style, preview } = view;
  const entry = matches[state.selected];
  if (entry === undefined) return [];
  const { session } = entry;
  const facts = [
    Number.isNaN(session.endedAt) ? '' : localTime(session.endedAt),
    counted(session.turns, 'turn'),
    formatBytes(session.sizeBytes),
    folderOf(entry),
    session.gitBranch ?? '',
  ].filter((fact) => fact !== '');
  const head = [
    style.heading(oneLine(session.title ?? '(untitled)', previewColumns)),
    style.muted(oneLine(facts.join(' · '), previewColumns)),
    ...(entry.marks === '' ? [] : [style.accent(oneLine(entry.marks, previewColumns))]),
  ];
  const room = previewRows - head.length;
  const text = preview === undefined ? [] : trimBlank(preview.slice(-Math.max(0, room - 1)));
  const body = text.length === 0 || room < 2 ? text : ['', ...text];
  return [...head, ...body].slice(0, previewRows);
}

function trimBlank(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first);
}

function keyLine({ focus, isHelp }: PickerState, columns: number, isChoosing = false): string {
  const filter = ['Enter show', 'Ctrl-R resume', 'Ctrl-F fork', 'Tab list', '? help', 'Esc quit'];
  const list = ['Enter show', 'r resume', 'f fork', 'Tab filter', '? help', 'q quit'];
  const own = isChoosing ? ['Enter resume', 'Tab list', '? help', 'Esc quit'] : focus === 'filter' ? filter : list;
  return fitFacts(isHelp ? ['any key closes the help'] : own, columns);
}

const help: readonly (readonly [string, string])[] = [
  ['type', 'filter by words in title, folder, id or first prompt, or by tag:X, branch:X, pr:N'],
  ['↑ ↓', 'choose; also Ctrl-P, Ctrl-N, PgUp, PgDn, Home, End'],
  ['Enter', 'show the session (clew show)'],
  ['Ctrl-R', 'resume it in Claude Code, in its folder'],
  ['Ctrl-F', 'fork it: continue in a copy (clew fork)'],
  ['Tab', 'switch to the list and its keys: r resume, f fork, j k g G move, / filter, q quit'],
  ['Ctrl-W Ctrl-U', 'delete a word, delete all'],
  ['?', 'this help, if the filter is empty'],
  ['Esc', 'clear the filter, then quit; Ctrl-C quits'],
];

const helpIndent = 17;

function helpLines({ columns, style }: PickerView, rows: number): string[] {
  const lines = [style.muted(rule('─', ['keys'], columns))];
  for (const [keys, text] of help) {
    if (columns < 2 * helpIndent) {
      lines.push(oneLine(`${keys}: ${text}`, columns));
      continue;
    }
    const wrapped = wrapSpans([{ text, paint: (each) => each }], columns - helpIndent);
    for (const [i, line] of wrapped.entries()) {
      const left = i === 0 ? style.bold(padEnd(keys, helpIndent - 3)) : ' '.repeat(helpIndent - 3);
      lines.push(`  ${left} ${line.text}`);
    }
  }
  while (lines.length < rows) lines.push('');
  return lines.slice(0, rows);
}

export interface PickerEntry {
  readonly session: ListedSession;
  /** Its tag, and where it came from. */
  readonly marks: string;
  /** The searched text, in lower case. */
  readonly haystack: string;
}

/** `marks`: its tag and where it came from. Words such as `branch:main` and `pr:12` look for one fact alone. */
export function makeEntry(session: ListedSession, marks = ''): PickerEntry {
  const { title = '', cwd = session.project, sessionId, firstPrompt = '', tag, gitBranch, worktree } = session;
  const facts = [
    ...(tag === undefined ? [] : [`tag:${tag}`]),
    ...[gitBranch, worktree?.branch].flatMap((name) => (name === undefined ? [] : [`branch:${name}`])),
    ...session.pullRequests.map(
      ({ number, repository }) => `pr:${number ?? ''} pr:${repository ?? ''}#${number ?? ''}`,
    ),
  ];
  const words = [title, cwd, sessionId, firstPrompt, marks, worktree?.repository ?? '', ...facts];
  return { session, marks, haystack: words.join('\n').toLowerCase() };
}

export class SessionFilter {
  /** The prefixes of the query, shortest first, each with its matches. */
  readonly #steps: { readonly query: string; readonly matches: readonly PickerEntry[] }[];
  /** The number of compared entries, for tests. */
  examined = 0;

  constructor(entries: readonly PickerEntry[]) {
    this.#steps = [{ query: '', matches: entries }];
  }

  matches(query: string): readonly PickerEntry[] {
    const wanted = query.toLowerCase();
    while (!wanted.startsWith(this.#last.query)) this.#steps.pop();
    const { query: known, matches } = this.#last;
    if (wanted === known) return matches;
    const words = wanted.split(/\s+/).filter((word) => word !== '');
    this.examined += matches.length;
    const left = matches.filter(({ haystack }) => words.every((word) => haystack.includes(word)));
    this.#steps.push({ query: wanted, matches: left });
    return left;
  }

  /** The empty query of the first step is a prefix of every query. */
  get #last(): { readonly query: string; readonly matches: readonly PickerEntry[] } {
    return this.#steps[this.#steps.length - 1] ?? { query: '', matches: [] };
  }
}
