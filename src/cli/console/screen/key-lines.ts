// The keys of the console, for `/help` and for the list below the prompt (`?`).
import { displayWidth, oneLine, padEnd } from '../../../base/text/index.ts';
import type { Drawing } from '../transcript/index.ts';

export const consoleKeys: readonly (readonly [string, string])[] = [
  ['Enter', 'send; while the agent works, the prompt is queued'],
  ['Ctrl-J, Alt-Enter, or a backslash before Enter', 'a new line'],
  ['! at the start', 'run a shell command; the model gets its output with the next prompt'],
  ['Esc', 'interrupt; decline a question; twice at an empty prompt opens /rewind'],
  ['Ctrl-C', 'clear the prompt or interrupt; twice exits, like Ctrl-D at an empty prompt'],
  ['Shift-Tab', 'asks first → accepts edits → plan mode'],
  ['Up, Down', 'earlier prompts; Up edits a queued prompt'],
  ['Ctrl-R', 'search earlier prompts'],
  ['Ctrl-O', 'the whole conversation, with all output and thinking'],
  ['Ctrl-G', 'edit the prompt in $VISUAL or $EDITOR'],
  ['Tab', 'complete `/command` and `@file`'],
  ['Ctrl-A, Ctrl-E, Ctrl-W, Ctrl-U, Ctrl-K, Alt-B, Alt-F', 'as in a shell; Ctrl-Y brings back what was deleted'],
  ['Ctrl-_', 'undo'],
  ['Ctrl-L', 'draw the screen again'],
  ['Ctrl-Z', 'back to the shell until `fg`'],
];

/** One row each, as many as there is room for. */
export function keyLines({ style, columns }: Drawing, rows: number): readonly string[] {
  const widest = Math.max(...consoleKeys.map(([key]) => displayWidth(key)));
  const width = Math.min(widest, Math.floor(columns * 0.45));
  return consoleKeys.slice(0, Math.max(0, rows)).map(([key, what]) => {
    const name = padEnd(oneLine(key, width), width);
    return `  ${style.bold(name)}  ${style.muted(oneLine(what.replaceAll('`', ''), Math.max(0, columns - width - 5)))}`;
  });
}
