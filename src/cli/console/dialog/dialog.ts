// A question to the user as a value, answered by number, arrow keys or text; Esc declines. A dialog and a key give the
// next dialog or the answer.

import { displayWidth, neutralise, oneLine } from '../../../base/text/index.ts';
import { fitFacts, rule, scrollTo, wrapSpans } from '../../render/index.ts';
import { type Key, singleKeys } from '../../terminal/index.ts';
import { editBuffer, emptyBuffer, insertText, layOutBuffer, type TextBuffer } from '../input/index.ts';
import type { Drawing } from '../transcript/index.ts';

export interface DialogChoice {
  readonly label: string;
  readonly hint?: string;
  /** If set, the user can type text here; this is its placeholder. */
  readonly textFor?: string;
}

export interface Dialog {
  readonly title: string;
  readonly body: (drawing: Drawing) => readonly string[];
  /** The first visible line of the body, if it does not fit. */
  readonly bodyAt: number;
  readonly choices: readonly DialogChoice[];
  /** Several choices can be marked with Space. */
  readonly isMultiple: boolean;
  readonly selected: number;
  readonly marked: readonly number[];
  readonly text: TextBuffer;
  readonly escapeHint: string;
}

export type DialogAnswer =
  | { readonly kind: 'cancelled' }
  /** The selected choices and the typed text. */
  | { readonly kind: 'chosen'; readonly indexes: readonly number[]; readonly text: string };

export type DialogOptions = Pick<Dialog, 'title' | 'choices'> &
  Partial<Pick<Dialog, 'body' | 'isMultiple' | 'selected' | 'escapeHint'>>;

export function makeDialog(options: DialogOptions): Dialog {
  const { title, body = () => [], choices, isMultiple = false, selected = 0, escapeHint = 'Esc cancels' } = options;
  return { title, body, bodyAt: 0, choices, isMultiple, selected, marked: [], text: emptyBuffer, escapeHint };
}

export interface DialogPressed {
  readonly dialog: Dialog;
  readonly answer?: DialogAnswer;
}

/** Keys that arrive together are handled one by one: a number before text selects the choice first. */
export function pressInDialog(dialog: Dialog, key: Key): DialogPressed {
  let pressed: DialogPressed = { dialog };
  for (const each of singleKeys(key)) {
    pressed = pressOne(pressed.dialog, each);
    if (pressed.answer !== undefined) return pressed;
  }
  return pressed;
}

function pressOne(dialog: Dialog, key: Key): DialogPressed {
  const last = dialog.choices.length - 1;
  const choice = dialog.choices[dialog.selected];
  switch (key.name) {
    case 'escape':
    case 'ctrl-c':
      return { dialog, answer: { kind: 'cancelled' } };
    case 'up':
    case 'ctrl-p':
    case 'shift-tab':
      return { dialog: { ...dialog, selected: dialog.selected === 0 ? last : dialog.selected - 1 } };
    case 'down':
    case 'ctrl-n':
    case 'tab':
      return { dialog: { ...dialog, selected: dialog.selected === last ? 0 : dialog.selected + 1 } };
    case 'page-up':
      return { dialog: { ...dialog, selected: Math.max(0, dialog.selected - 10) } };
    case 'page-down':
      return { dialog: { ...dialog, selected: Math.min(last, dialog.selected + 10) } };
    case 'enter':
      return accept(dialog);
    default:
      return choice?.textFor === undefined ? pressChoice(dialog, key) : pressText(dialog, key);
  }
}

function pressText(dialog: Dialog, key: Key): DialogPressed {
  if (key.name === 'paste') return { dialog: { ...dialog, text: insertText(dialog.text, key.text) } };
  const text = editBuffer(dialog.text, key);
  return { dialog: text === undefined ? dialog : { ...dialog, text } };
}

function pressChoice(dialog: Dialog, key: Key): DialogPressed {
  if (key.name !== 'text') return { dialog };
  if (dialog.isMultiple && key.text === ' ') return { dialog: toggle(dialog, dialog.selected) };
  const number = /^[1-9]$/.test(key.text) ? Number(key.text) - 1 : -1;
  const named = dialog.choices[number];
  if (named === undefined) return { dialog };
  const moved = { ...dialog, selected: number };
  if (named.textFor !== undefined) return { dialog: moved };
  return dialog.isMultiple ? { dialog: toggle(moved, number) } : accept(moved);
}

function toggle(dialog: Dialog, index: number): Dialog {
  const { marked } = dialog;
  const next = marked.includes(index) ? marked.filter((each) => each !== index) : [...marked, index];
  return { ...dialog, marked: next.sort((a, b) => a - b) };
}

function accept(dialog: Dialog): DialogPressed {
  const { selected, marked, isMultiple } = dialog;
  const choice = dialog.choices[selected];
  const text = dialog.text.text.trim();
  // A choice that takes text needs some.
  if (choice === undefined || (choice.textFor !== undefined && text === '')) return { dialog };
  const isText = choice.textFor !== undefined;
  const indexes =
    !isMultiple || (marked.length === 0 && !isText) ? [selected] : isText ? [...marked, selected] : marked;
  return { dialog, answer: { kind: 'chosen', indexes, text: isText ? text : '' } };
}

// Renders a dialog and its cursor. The choices are always visible; a long body or a long list scrolls.

export interface PlacedLines {
  readonly lines: readonly string[];
  readonly cursor?: { readonly row: number; readonly column: number };
}

export function dialogLines(dialog: Dialog, drawing: Drawing, room: number): PlacedLines {
  const { style, columns } = drawing;
  const { head, choices, rows } = frameOf(dialog, drawing, room);
  const keys = style.muted(` ${fitFacts(hints(dialog), columns - 2)}`);
  const body = bodyLines(dialog, drawing, rows);
  const lines = [...head, ...body, ...choices.lines, keys];
  const cursor = choices.cursor;
  if (cursor === undefined) return { lines };
  return { lines, cursor: { row: head.length + body.length + cursor.row, column: cursor.column } };
}

/** Scrolls the body by a page. */
export function turnBody(dialog: Dialog, pages: 1 | -1, drawing: Drawing, room: number): Dialog {
  const page = pageOf(frameOf(dialog, drawing, room).rows);
  const last = Math.max(0, dialog.body(drawing).length - page);
  return { ...dialog, bodyAt: Math.max(0, Math.min(last, dialog.bodyAt + pages * page)) };
}

/** Everything except the body, and the rows left for it. */
function frameOf(dialog: Dialog, drawing: Drawing, room: number) {
  const { style, columns } = drawing;
  const title = wrapSpans([{ text: neutralise(dialog.title), paint: style.bold }], columns - 2, true);
  const head = [style.accent(rule('─', [], columns)), ...title.slice(0, 4).map(({ text }) => ` ${text}`)];
  const choices = choiceLines(dialog, drawing, Math.max(1, room - head.length - 1));
  return { head, choices, rows: room - head.length - choices.lines.length - 1 };
}

/** One row shows how many lines are hidden. */
function pageOf(rows: number): number {
  return Math.max(1, rows - 1);
}

function bodyLines({ body, bodyAt }: Dialog, drawing: Drawing, rows: number): readonly string[] {
  const all = body(drawing);
  if (all.length <= rows) return all;
  if (rows <= 0) return [];
  const from = Math.min(bodyAt, Math.max(0, all.length - pageOf(rows)));
  const shown = all.slice(from, from + pageOf(rows));
  if (rows === 1) return shown;
  const left = all.length - from - shown.length;
  const facts = left > 0 ? [`… ${left} more lines`, 'PageDown'] : ['… end', 'PageUp'];
  return [...shown, drawing.style.muted(fitFacts(facts, drawing.columns))];
}

function hints({ isMultiple, choices, escapeHint }: Dialog): readonly string[] {
  const numbers = choices.length > 1 ? [`↑↓ or 1–${Math.min(9, choices.length)}`] : [];
  return [...numbers, ...(isMultiple ? ['Space marks'] : []), 'Enter', escapeHint];
}

/** One row per choice; the selected one and its text may take more. */
function choiceLines(dialog: Dialog, drawing: Drawing, room: number): PlacedLines {
  const { choices, selected } = dialog;
  const chosen = chosenLines(dialog, drawing);
  const rows = Math.max(1, Math.min(choices.length, room - chosen.lines.length + 1));
  const first =
    choices.length <= rows ? 0 : scrollTo(0, Math.min(choices.length - 1, selected + 1), rows, choices.length);
  const lines: string[] = [];
  let cursor: PlacedLines['cursor'];
  for (let i = first; i < Math.min(choices.length, first + rows); i++) {
    if (i !== selected) {
      lines.push(choiceLine(dialog, i, drawing));
      continue;
    }
    if (chosen.cursor !== undefined) cursor = { ...chosen.cursor, row: chosen.cursor.row + lines.length };
    lines.push(...chosen.lines);
  }
  return cursor === undefined ? { lines } : { lines, cursor };
}

function chosenLines(dialog: Dialog, drawing: Drawing): PlacedLines {
  const { style, columns } = drawing;
  const choice = dialog.choices[dialog.selected];
  const own = wholeChoice(dialog, drawing);
  if (choice?.textFor === undefined) return { lines: own };
  const { rows, cursor } = layOutBuffer(dialog.text, columns - indent.length - 2);
  const isEmpty = dialog.text.text === '';
  const shown = isEmpty
    ? [`${indent}${style.accent('›')} ${style.muted(oneLine(choice.textFor, columns - indent.length - 3))}`]
    : rows.map((row, i) => `${indent}${i === 0 ? style.accent('›') : ' '} ${row.text}`);
  return {
    lines: [...own, ...shown],
    cursor: { row: own.length + cursor.row, column: indent.length + 2 + cursor.column },
  };
}

const indent = '      ';

/** The selected choice is shown in full. */
function wholeChoice(dialog: Dialog, drawing: Drawing): readonly string[] {
  const { style, columns } = drawing;
  const label = choiceLabel(dialog, dialog.selected, longestLabel);
  if (displayWidth(label) <= columns - 4) return [choiceLine(dialog, dialog.selected, drawing)];
  const rows = wrapSpans([{ text: label, paint: style.bold }], columns - 7, true);
  return rows.map(({ text }, i) => (i === 0 ? ` ${style.accent('❯')} ${text}` : `${indent}${text}`));
}

const longestLabel = 400;

function choiceLabel({ choices, isMultiple, marked }: Dialog, index: number, width: number): string {
  const choice = choices[index];
  const box = isMultiple && choice?.textFor === undefined ? (marked.includes(index) ? '[x] ' : '[ ] ') : '';
  const number = `${index + 1}.`.padEnd(choices.length > 9 ? 3 : 2);
  return oneLine(`${number} ${box}${choice?.label ?? ''}`, width);
}

function choiceLine(dialog: Dialog, index: number, { style, columns }: Drawing): string {
  const choice = dialog.choices[index];
  if (choice === undefined) return '';
  const isSelected = index === dialog.selected;
  const label = choiceLabel(dialog, index, columns - 4);
  const room = columns - 4 - displayWidth(label) - 2;
  const hint = choice.hint === undefined || room < 8 ? '' : `  ${style.muted(oneLine(choice.hint, room))}`;
  return isSelected ? ` ${style.accent('❯')} ${style.bold(label)}${hint}` : `   ${label}${hint}`;
}
