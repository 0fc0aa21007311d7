// One call on a state of a file → the state after it. A replacement changes only the lines that it names, so that equal
// lines around it are not confused with its own.
import { applyAction, type FileEdit } from '../calls/index.ts';
import { linesOf } from '../lines/index.ts';
import { replaceLines, type State, type Step, takeStep } from './state.ts';

/** `undefined` if the call does not fit the state. */
export function applyEdit(state: State, edit: FileEdit, step: Step): State | undefined {
  const { action, after } = edit;
  const text = textOfState(state);
  const planned = applyAction(action, text);
  const final = after ?? planned;
  if (final === undefined) return undefined;
  const lines = linesOf(final);
  if (action.kind === 'replace' && planned !== undefined && isSameText(planned, final)) {
    const replaced = replaceInPlace(state, edit, step);
    if (replaced !== undefined && isSameText(textOfState(replaced), final)) return replaced;
  }
  return takeStep(state, lines, step);
}

/** Text that a call without a known place wrote: its lines, as far as they are new to what it replaced. */
export function textOfState({ lines }: State): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function isSameText(a: string, b: string): boolean {
  return a === b || linesOf(a).join('\n') === linesOf(b).join('\n');
}

function replaceInPlace(state: State, { action }: FileEdit, step: Step): State | undefined {
  if (action.kind !== 'replace') return undefined;
  let current = state;
  for (const { from, to, isEverywhere } of action.replacements) {
    if (from === '') return undefined;
    const text = textOfState(current);
    const places: number[] = [];
    for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, at + from.length)) {
      places.push(at);
      if (!isEverywhere) break;
    }
    // From the end, so that the places before stay right.
    for (const at of places.reverse()) {
      const next = replaceAt(current, at, from, to, step);
      if (next === undefined) return undefined;
      current = next;
    }
  }
  return current;
}

function replaceAt(state: State, at: number, from: string, to: string, step: Step): State | undefined {
  const text = textOfState(state);
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const last = at + from.length;
  const isWholeLines = last === 0 || text[last - 1] === '\n';
  const end = isWholeLines && last > start ? last : endOfLine(text, last);
  const firstLine = countNewlines(text.slice(0, start));
  const lineCount = linesOf(text.slice(start, end)).length;
  const joined = text.slice(start, at) + to + text.slice(last, end);
  // Without its last newline the text would run into the next line.
  if (!joined.endsWith('\n') && end < text.length && joined !== '') return undefined;
  return replaceLines(state, { from: firstLine, to: firstLine + lineCount }, linesOf(joined), step);
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
