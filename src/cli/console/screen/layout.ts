// Renders the console's state as the live lines at the bottom of the screen, with the cursor. It always leaves one row
// of the screen free, because a taller region could not be redrawn in place.
import path from 'node:path';
import type { AgentState, PermissionMode } from '../../../agent/contract/index.ts';
import { displayWidth, formatTokens, oneLine, padEnd } from '../../../base/text/index.ts';
import { fitFacts, formatCost, rule, scrollTo, shortFolder } from '../../render/index.ts';
import type { Style } from '../../terminal/index.ts';
import { dialogLines, type PlacedLines } from '../dialog/index.ts';
import { isShellCommand, layOutBuffer, type Suggestions } from '../input/index.ts';
import { type Drawing, liveLines } from '../transcript/index.ts';
import type { ConsoleState } from './console-state.ts';
import { keyLines } from './key-lines.ts';
import { searchLines } from './search-lines.ts';

export function layOutScreen(state: ConsoleState, drawing: Drawing): PlacedLines {
  if (state.isLeaving) return { lines: [] };
  const room = roomOf(drawing);
  const { dialog } = state;
  const bottom = bottomLines(state, drawing, room);
  const { agent, view, pending, waitingShell, shell } = state;
  const facts = {
    todos: agent?.todos ?? [],
    queued: [...(agent?.queued ?? []), ...pending.map(({ shown }) => shown), ...waitingShell],
    outputTokens: agent?.usage.outputTokens ?? 0,
    shell,
    isAsking: dialog !== undefined,
  };
  const live = liveLines(view, facts, drawing, room - bottom.lines.length - 1);
  const isSpaced = view.finished.length > 0 || live.length > 0;
  const lines = [...live, ...(isSpaced ? [''] : []), ...bottom.lines].slice(-room);
  const above = lines.length - bottom.lines.length;
  const cursor = bottom.cursor === undefined ? undefined : { ...bottom.cursor, row: bottom.cursor.row + above };
  return cursor === undefined || cursor.row < 0 ? { lines } : { lines, cursor };
}

/** The number of available rows. */
export function roomOf({ rows }: Pick<Drawing, 'rows'>): number {
  return Math.max(3, rows - 1);
}

/** A question, the search in the history, or the prompt. */
function bottomLines(state: ConsoleState, drawing: Drawing, room: number): PlacedLines {
  if (state.dialog !== undefined) return dialogLines(state.dialog, drawing, room);
  if (state.search !== undefined) return searchLines(state.search, drawing, room);
  return promptLines(state, drawing, room);
}

const maxSuggestionRows = 6;

/** The prompt between two rules, the suggestions below it, and the footer. */
function promptLines(state: ConsoleState, drawing: Drawing, room: number): PlacedLines {
  const { style, columns } = drawing;
  const line = style.muted(rule('─', [], columns));
  const suggested = state.isHelp
    ? keyLines(drawing, room - 6)
    : suggestionLines(state.suggestions, drawing, Math.min(maxSuggestionRows, room - 6));
  const footer = [footerLine(state, drawing)];
  const maxRows = Math.max(1, Math.min(Math.floor(drawing.rows / 2), room - suggested.length - footer.length - 2));
  const editor = editorLines(state, drawing, maxRows);
  // On a screen with few rows the rules go first.
  const isTight = room < editor.lines.length + suggested.length + 4;
  const lines = isTight
    ? [...editor.lines, ...suggested, ...footer]
    : [line, ...editor.lines, line, ...suggested, ...footer];
  const cursor = editor.cursor;
  if (cursor === undefined) return { lines };
  return { lines, cursor: { ...cursor, row: cursor.row + (isTight ? 0 : 1) } };
}

/** Leaves space for the mark before the text. */
const markWidth = 2;

export function editorWidth(columns: number): number {
  return Math.max(4, columns - markWidth - 1);
}

function editorLines({ editor, agent, view }: ConsoleState, drawing: Drawing, maxRows: number): PlacedLines {
  const { style, columns } = drawing;
  const mark = isShellCommand(editor.buffer.text) ? style.yellow('$') : style.accent('›');
  if (editor.buffer.text === '') {
    const ask =
      view.busySinceMs === undefined
        ? 'ask for something; / for commands, @ for files, ! for the shell, ? for keys'
        : 'type the next prompt';
    const words = agent === undefined ? `${ask} (starting)` : ask;
    return { lines: [`${mark} ${style.muted(oneLine(words, columns - 3))}`], cursor: { row: 0, column: markWidth } };
  }
  const { rows, cursor } = layOutBuffer(editor.buffer, editorWidth(columns));
  const first = scrollTo(0, cursor.row, maxRows, rows.length);
  const lines = rows.slice(first, first + maxRows).map((row, i) => `${first + i === 0 ? mark : ' '} ${row.text}`);
  return { lines, cursor: { row: cursor.row - first, column: cursor.column + markWidth } };
}

function suggestionLines(suggestions: Suggestions | undefined, drawing: Drawing, rows: number): readonly string[] {
  if (suggestions === undefined || rows < 1) return [];
  const { style, columns } = drawing;
  const { items, selected } = suggestions;
  const first = scrollTo(0, selected, rows, items.length);
  const shown = items.slice(first, first + rows);
  const width = Math.min(
    Math.floor(columns * 0.6),
    Math.max(...shown.map(({ text }) => displayWidth(oneLine(text, columns)))),
  );
  return shown.map(({ text, hint }, i) => {
    const isSelected = first + i === selected;
    const name = padEnd(oneLine(text, hint === '' ? columns - 4 : width), width);
    const shownHint = hint === '' ? '' : `  ${style.muted(oneLine(hint, Math.max(0, columns - width - 6)))}`;
    return `${isSelected ? style.accent('❯') : ' '} ${isSelected ? style.bold(name) : name}${shownHint}`.trimEnd();
  });
}

const shellHint = 'Enter runs it in the shell, without a question; the model gets the output with the next prompt';

const modeWords: Readonly<Record<PermissionMode, string>> = {
  default: 'asks first',
  acceptEdits: 'accepts edits',
  plan: 'plan mode',
  dontAsk: 'refuses instead of asking',
  bypassPermissions: 'NO CHECKS',
};

export function modeText(mode: PermissionMode, style: Style): string {
  const paint = { default: style.muted, acceptEdits: style.yellow, plan: style.cyan, dontAsk: style.yellow };
  return mode === 'bypassPermissions' ? style.bold(style.red(modeWords[mode])) : paint[mode](modeWords[mode]);
}

function contextText({ contextTokens, contextWindow }: AgentState, style: Style): string {
  if (contextWindow === undefined) return `${formatTokens(contextTokens)} tokens, context window unknown`;
  const used = Math.round((100 * contextTokens) / contextWindow);
  return used >= 80 ? style.yellow(`${used}% of context`) : `${used}% of context`;
}

function costText({ costMicros, unpricedTokens }: AgentState): string {
  if (unpricedTokens > 0 && costMicros === 0) return 'cost unknown';
  return `${unpricedTokens > 0 ? '≥ ' : ''}${formatCost(costMicros)}`;
}

function footerLine(state: ConsoleState, drawing: Drawing): string {
  const { style, columns } = drawing;
  const { agent, branch, editor } = state;
  const hint = state.hint === '' && isShellCommand(editor.buffer.text) ? shellHint : state.hint;
  if (hint !== '') return style.yellow(`  ${oneLine(hint, columns - 3)}`);
  const of = branch === undefined ? '' : ` (${branch})`;
  const place = `${shortFolder(agent?.cwd ?? drawing.cwd)}${of}`;
  if (agent === undefined) return style.muted(`  ${oneLine(place, columns - 3)}`);
  const context = contextText(agent, style);
  const model = oneLine(agent.model, columns);
  const cost = costText(agent);
  const facts = fitFacts([modeText(agent.mode, style), model, context, cost], columns - 3);
  // The folder and the effort take the remaining space: the whole path, the name only, or nothing.
  const name = `${path.basename(agent.cwd)}${of}`;
  const effort = agent.effort === undefined ? '' : `${agent.effort} effort · `;
  const fitting = [`${effort}${place}`, `${effort}${name}`, place, name]
    .map((text) => oneLine(text, columns))
    .find((text) => displayWidth(`${facts} · ${text}`) <= columns - 3);
  return style.muted(`  ${facts}${fitting === undefined ? '' : ` · ${fitting}`}`);
}
