// A question to the user as a value, answered by number, arrow keys or text; Esc declines. A dialog and a key give the
// next dialog or the answer.
import type { Key } from '../../terminal/keys.ts';
import { editBuffer, emptyBuffer, insertText, type TextBuffer } from '../input/text-buffer.ts';
import type { Drawing } from '../transcript/drawing.ts';

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
  const keys = key.name === 'text' ? [...key.text].map((text) => ({ name: key.name, text })) : [key];
  for (const each of keys) {
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
