// The prompt editor as a value: a state and a key give the next state or an action. It knows the history, long pastes,
// the last deleted text and what can be undone, but not the agent.
import type { Key } from '../../terminal/index.ts';
import { type HistoryEntry, maxHistory } from './history.ts';
import {
  expandPastes,
  isLongPaste,
  keepPlaceholders,
  noPastes,
  type Pastes,
  pastesIn,
  placeholderFor,
} from './pastes.ts';
import {
  bufferOf,
  editBuffer,
  emptyBuffer,
  insertText,
  moveVertically,
  replaceRange,
  type TextBuffer,
} from './text-buffer.ts';

/** A text with the pastes that its placeholders name. */
interface Draft {
  readonly buffer: TextBuffer;
  readonly pastes: Pastes;
}

export interface EditorState extends Draft {
  /** Earlier prompts, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** The shown history entry; `undefined` for the user's own text. */
  readonly historyAt: number | undefined;
  /** What was typed before the history was opened. */
  readonly draft: Draft;
  /** The last text that a key deleted, for Ctrl-Y. */
  readonly killed: string;
  /** Earlier texts, oldest first, for Ctrl-_. */
  readonly undo: readonly Draft[];
  /** Typing without a break is undone in one step. */
  readonly isTyping: boolean;
}

const emptyDraft: Draft = { buffer: emptyBuffer, pastes: noPastes };

export const emptyEditor: EditorState = {
  ...emptyDraft,
  history: [],
  historyAt: undefined,
  draft: emptyDraft,
  killed: '',
  undo: [],
  isTyping: false,
};

/** A sent prompt: as it is shown, and whole. */
export interface Submitted {
  readonly shown: string;
  readonly text: string;
  readonly pastes: Pastes;
}

export interface Edited {
  readonly editor: EditorState;
  readonly submitted?: Submitted;
}

/** Returns `undefined` for a key that the editor does not handle. */
export function pressInEditor(editor: EditorState, key: Key, width: number): Edited | undefined {
  const done = pressed(editor, key, width);
  if (done === undefined) return undefined;
  const isTyping = key.name === 'text' && !/\s/.test(key.text);
  return { ...done, editor: { ...withUndo(editor, done.editor, key), isTyping } };
}

function pressed(editor: EditorState, key: Key, width: number): Edited | undefined {
  switch (key.name) {
    case 'enter':
      return pressEnter(editor);
    case 'paste':
      return { editor: paste(editor, key.text) };
    case 'up':
    case 'ctrl-p':
      return { editor: moveUp(editor, width) };
    case 'down':
    case 'ctrl-n':
      return { editor: moveDown(editor, width) };
    case 'ctrl-y':
      return { editor: withBuffer(editor, insertText(editor.buffer, editor.killed)) };
    case 'ctrl-_':
      return { editor: undone(editor) };
    default: {
      const edited = editBuffer(editor.buffer, key);
      if (edited === undefined) return undefined;
      const buffer = keepPlaceholders(editor.buffer, edited, editor.pastes);
      const killed = killingKeys.has(key.name) ? removedText(editor.buffer.text, buffer) : '';
      return { editor: { ...withBuffer(editor, buffer), ...(killed === '' ? {} : { killed }) } };
    }
  }
}

const killingKeys: ReadonlySet<string> = new Set(['ctrl-u', 'ctrl-k', 'ctrl-w', 'word-backspace', 'word-delete']);

function removedText(before: string, { text, cursor }: TextBuffer): string {
  return before.slice(cursor, cursor + before.length - text.length);
}

/** Shows a text that was not typed. */
export function setText(editor: EditorState, text: string, pastes: Pastes = noPastes): EditorState {
  return { ...editor, buffer: bufferOf(text), pastes, historyAt: undefined, draft: emptyDraft, isTyping: false };
}

/** The same, and Ctrl-_ brings back the text before it. */
export function replaceText(editor: EditorState, text: string, pastes: Pastes = noPastes): EditorState {
  return { ...setText(editor, text, pastes), undo: grown(editor) };
}

export function withBuffer(editor: EditorState, buffer: TextBuffer): EditorState {
  return { ...editor, buffer, ...(buffer.text === editor.buffer.text ? {} : { historyAt: undefined }) };
}

/** The whole text, with its pastes. */
export function wholeText({ buffer, pastes }: EditorState): string {
  return expandPastes(buffer.text, pastes);
}

/** `!command`, as it is shown: a long paste that begins with `!` is a prompt. */
export function isShellCommand(shown: string): boolean {
  return /^\s*!/.test(shown);
}

/** Moves a sent prompt to the end of the history, without repeating the last one. */
export function remember(editor: EditorState, entry: HistoryEntry): EditorState {
  if (entry.text.trim() === '' || editor.history.at(-1)?.text === entry.text) return editor;
  return { ...editor, history: [...editor.history, entry].slice(-maxHistory) };
}

function pressEnter(editor: EditorState): Edited {
  const { buffer, pastes } = editor;
  // A backslash before Enter makes a newline in every terminal.
  if (buffer.text.charAt(buffer.cursor - 1) === '\\') {
    return { editor: withBuffer(editor, replaceRange(buffer, buffer.cursor - 1, buffer.cursor, '\n')) };
  }
  if (buffer.text.trim() === '') return { editor };
  const shown = buffer.text.trim();
  const submitted = { shown, text: expandPastes(shown, pastes).trim(), pastes: pastesIn(shown, pastes) };
  return { editor: { ...setText(editor, ''), undo: [] }, submitted };
}

function paste(editor: EditorState, pasted: string): EditorState {
  const whole = insertText(emptyBuffer, pasted).text;
  if (!isLongPaste(whole)) return withBuffer(editor, insertText(editor.buffer, whole));
  const placeholder = placeholderFor(whole, editor.buffer.text, editor.pastes);
  return {
    ...withBuffer(editor, insertText(editor.buffer, placeholder)),
    pastes: new Map(editor.pastes).set(placeholder, whole),
  };
}

function moveUp(editor: EditorState, width: number): EditorState {
  const moved = moveVertically(editor.buffer, -1, width);
  if (moved !== undefined) return withCursor(editor, moved);
  const at = (editor.historyAt ?? editor.history.length) - 1;
  const shown = editor.history[at];
  if (shown === undefined) return withCursor(editor, { ...editor.buffer, cursor: 0 });
  const { buffer, pastes } = editor;
  const draft = editor.historyAt === undefined ? { buffer, pastes } : editor.draft;
  return { ...withEntry(editor, shown), historyAt: at, draft };
}

function moveDown(editor: EditorState, width: number): EditorState {
  const moved = moveVertically(editor.buffer, 1, width);
  if (moved !== undefined) return withCursor(editor, moved);
  if (editor.historyAt === undefined) return withCursor(editor, bufferOf(editor.buffer.text));
  const shown = editor.history[editor.historyAt + 1];
  if (shown === undefined) {
    const { buffer, pastes } = editor.draft;
    return { ...editor, buffer: bufferOf(buffer.text), pastes, historyAt: undefined };
  }
  return { ...withEntry(editor, shown), historyAt: editor.historyAt + 1 };
}

function withCursor(editor: EditorState, buffer: TextBuffer): EditorState {
  return { ...editor, buffer: keepPlaceholders(editor.buffer, buffer, editor.pastes) };
}

function withEntry(editor: EditorState, { text, pastes }: HistoryEntry): EditorState {
  return { ...editor, buffer: bufferOf(text), pastes };
}

const mostUndo = 100;

function grown({ undo, buffer, pastes }: EditorState): readonly Draft[] {
  return [...undo, { buffer, pastes }].slice(-mostUndo);
}

function withUndo(before: EditorState, after: EditorState, key: Key): EditorState {
  if (key.name === 'ctrl-_' || key.name === 'enter' || after.historyAt !== before.historyAt) return after;
  const isSame = before.buffer.text === after.buffer.text;
  const isTyped = before.isTyping && key.name === 'text' && !/\s/.test(key.text);
  return isSame || isTyped ? after : { ...after, undo: grown(before) };
}

function undone(editor: EditorState): EditorState {
  const last = editor.undo.at(-1);
  if (last === undefined) return editor;
  return { ...editor, ...last, undo: editor.undo.slice(0, -1), historyAt: undefined };
}
