// The prompt editor as a value: a state and a key give the next state or an action. It knows the history and long
// pastes, but not the agent.

import { appendFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolderSync, readRegularText } from '../../../base/files/index.ts';
import { asObject, parseJson } from '../../../base/json/index.ts';
import { privateFileMode, stateFolder } from '../../../store/index.ts';
import type { Key } from '../../terminal/index.ts';
import {
  bufferOf,
  editBuffer,
  emptyBuffer,
  insertText,
  moveVertically,
  replaceRange,
  type TextBuffer,
} from './text-buffer.ts';

export interface EditorState {
  readonly buffer: TextBuffer;
  /** Earlier prompts, oldest first. */
  readonly history: readonly string[];
  /** The shown history entry; `undefined` for the user's own text. */
  readonly historyAt: number | undefined;
  /** The text before the history was opened. */
  readonly draft: string;
  /** Long pastes by their placeholder in the buffer. */
  readonly pastes: ReadonlyMap<string, string>;
}

export const emptyEditor: EditorState = {
  buffer: emptyBuffer,
  history: [],
  historyAt: undefined,
  draft: '',
  pastes: new Map(),
};

export type Edited = { readonly editor: EditorState; readonly submitted?: string };

const longPasteLines = 10;
const longPasteChars = 1000;

/** Returns `undefined` for a key that the editor does not handle. */
export function pressInEditor(editor: EditorState, key: Key, width: number): Edited | undefined {
  if (key.name === 'enter') return pressEnter(editor);
  if (key.name === 'paste') return { editor: paste(editor, key.text) };
  if (key.name === 'up' || key.name === 'ctrl-p') return { editor: moveUp(editor, width) };
  if (key.name === 'down' || key.name === 'ctrl-n') return { editor: moveDown(editor, width) };
  const buffer = editBuffer(editor.buffer, key);
  return buffer === undefined ? undefined : { editor: withBuffer(editor, buffer) };
}

export function setText(editor: EditorState, text: string): EditorState {
  return { ...editor, buffer: bufferOf(text), historyAt: undefined, draft: '' };
}

export function withBuffer(editor: EditorState, buffer: TextBuffer): EditorState {
  return { ...editor, buffer, ...(buffer.text === editor.buffer.text ? {} : { historyAt: undefined }) };
}

/** Moves a sent prompt to the end of the history, without duplicates. */
export function remember(editor: EditorState, prompt: string): EditorState {
  if (prompt.trim() === '' || editor.history.at(-1) === prompt) return editor;
  return { ...editor, history: [...editor.history, prompt].slice(-maxHistory) };
}

const maxHistory = 500;

function pressEnter(editor: EditorState): Edited {
  const { buffer } = editor;
  // A backslash before Enter makes a newline in every terminal.
  if (buffer.text.charAt(buffer.cursor - 1) === '\\') {
    return { editor: withBuffer(editor, replaceRange(buffer, buffer.cursor - 1, buffer.cursor, '\n')) };
  }
  if (buffer.text.trim() === '') return { editor };
  const submitted = expandPastes(editor).trim();
  return { editor: { ...setText(editor, ''), pastes: new Map() }, submitted };
}

function expandPastes({ buffer, pastes }: EditorState): string {
  let { text } = buffer;
  for (const [words, pasted] of pastes) text = text.replace(words, () => pasted);
  return text;
}

function paste(editor: EditorState, pasted: string): EditorState {
  const whole = insertText(emptyBuffer, pasted).text;
  const lines = whole.split('\n').length;
  if (lines <= longPasteLines && whole.length <= longPasteChars) {
    return withBuffer(editor, insertText(editor.buffer, whole));
  }
  const words = `[paste ${editor.pastes.size + 1}: ${lines === 1 ? `${whole.length} characters` : `${lines} lines`}]`;
  return {
    ...withBuffer(editor, insertText(editor.buffer, words)),
    pastes: new Map(editor.pastes).set(words, whole),
  };
}

function moveUp(editor: EditorState, width: number): EditorState {
  const moved = moveVertically(editor.buffer, -1, width);
  if (moved !== undefined) return { ...editor, buffer: moved };
  const at = (editor.historyAt ?? editor.history.length) - 1;
  const shown = editor.history[at];
  if (shown === undefined) return { ...editor, buffer: { ...editor.buffer, cursor: 0 } };
  const draft = editor.historyAt === undefined ? editor.buffer.text : editor.draft;
  return { ...editor, buffer: bufferOf(shown), historyAt: at, draft };
}

function moveDown(editor: EditorState, width: number): EditorState {
  const moved = moveVertically(editor.buffer, 1, width);
  if (moved !== undefined) return { ...editor, buffer: moved };
  if (editor.historyAt === undefined) {
    return { ...editor, buffer: { ...editor.buffer, cursor: editor.buffer.text.length } };
  }
  const shown = editor.history[editor.historyAt + 1];
  if (shown === undefined) return { ...editor, buffer: bufferOf(editor.draft), historyAt: undefined };
  return { ...editor, buffer: bufferOf(shown), historyAt: editor.historyAt + 1 };
}

const maxBytes = 1024 * 1024;
const longestPrompt = 20_000;

export function historyFile(env: NodeJS.ProcessEnv): string {
  return path.join(stateFolder(env), 'chat-history.jsonl');
}

/** The last prompts, oldest first. */
export async function readHistory(file: string): Promise<readonly string[]> {
  try {
    if ((await stat(file)).size > 2 * maxBytes) await shorten(file);
    return promptsIn(readRegularText(file)).slice(-maxHistory);
  } catch {
    return [];
  }
}

export async function appendHistory(file: string, prompt: string): Promise<void> {
  if (prompt.length > longestPrompt) return;
  try {
    makeFolderSync(path.dirname(file), 0o777);
    await appendFile(file, `${JSON.stringify({ prompt })}\n`, { mode: privateFileMode });
  } catch {
    // the chat works without it
  }
}

async function shorten(file: string): Promise<void> {
  const { replaceFile } = await import('../../../store/replace.ts');
  const text = readRegularText(file);
  const kept = text.slice(-maxBytes);
  await replaceFile(file, Buffer.from(kept.slice(kept.indexOf('\n') + 1)));
}

function promptsIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const prompt = asObject(parseJson(line))?.prompt;
    return typeof prompt === 'string' && prompt !== '' ? [prompt] : [];
  });
}
