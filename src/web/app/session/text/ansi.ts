// Terminal output → runs of text with colours. Only colours and weight stay: every other sequence
// (titles, links, cursor moves) and every control character is removed or made visible, as in Clew's terminal output.
import { neutralise } from '../../../../base/text/index.ts';

export interface AnsiRun {
  readonly text: string;
  /** 0 to 15 of the terminal's colours; `null`: the text's own. */
  readonly ink: number | null;
  readonly ground: number | null;
  readonly isBold: boolean;
  readonly isFaint: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
}

type Look = Omit<AnsiRun, 'text'>;

const plain: Look = { ink: null, ground: null, isBold: false, isFaint: false, isItalic: false, isUnderlined: false };

export function readAnsi(text: string): readonly AnsiRun[] {
  const runs: AnsiRun[] = [];
  let look = plain;
  let at = 0;
  const shown = withoutOverwritten(text);
  const add = (end: number): void => {
    const run = neutralise(shown.slice(at, end));
    const last = runs.at(-1);
    if (run === '') return;
    if (last !== undefined && isSame(last, look)) runs[runs.length - 1] = { ...last, text: last.text + run };
    else runs.push({ ...look, text: run });
  };
  for (const match of shown.matchAll(/\x1b\[([\d;:]{0,60})m/g)) {
    add(match.index);
    look = change(look, match[1] ?? '');
    at = match.index + match[0].length;
  }
  add(shown.length);
  return runs;
}

/** The text as it would be pasted: without colours and other sequences of the terminal. */
export function withoutAnsi(text: string): string {
  const sequences = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])/g;
  return withoutOverwritten(text).replace(sequences, '');
}

/** A progress bar returns to the start of its line and overwrites it: only the last text is on the screen. */
function withoutOverwritten(text: string): string {
  return text.includes('\r') ? text.replace(/^[^\n]*\r(?=[^\n\r])/gm, '') : text;
}

function isSame(a: Look, b: Look): boolean {
  return (
    a.ink === b.ink &&
    a.ground === b.ground &&
    a.isBold === b.isBold &&
    a.isFaint === b.isFaint &&
    a.isItalic === b.isItalic &&
    a.isUnderlined === b.isUnderlined
  );
}

function change(before: Look, parameters: string): Look {
  const codes = parameters.split(/[;:]/).map(Number);
  let look = before;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes, i + 1);
      if (colour !== null) look = code === 38 ? { ...look, ink: colour } : { ...look, ground: colour };
      i += used;
    } else look = step(look, code);
  }
  return look;
}

function step(look: Look, code: number): Look {
  if (code >= 30 && code <= 37) return { ...look, ink: code - 30 };
  if (code >= 90 && code <= 97) return { ...look, ink: code - 82 };
  if (code >= 40 && code <= 47) return { ...look, ground: code - 40 };
  if (code >= 100 && code <= 107) return { ...look, ground: code - 92 };
  switch (code) {
    case 0:
      return plain;
    case 1:
      return { ...look, isBold: true };
    case 2:
      return { ...look, isFaint: true };
    case 3:
      return { ...look, isItalic: true };
    case 4:
      return { ...look, isUnderlined: true };
    case 22:
      return { ...look, isBold: false, isFaint: false };
    case 23:
      return { ...look, isItalic: false };
    case 24:
      return { ...look, isUnderlined: false };
    case 39:
      return { ...look, ink: null };
    case 49:
      return { ...look, ground: null };
    default:
      return look;
  }
}

/** One of 256 colours, or red, green and blue; as the nearest of the sixteen, which are legible on light and dark. */
function extended(codes: readonly number[], at: number): readonly [colour: number | null, used: number] {
  if (codes[at] === 5) return [ofIndex(codes[at + 1] ?? 0), 2];
  if (codes[at] === 2) return [nearest(codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0), 4];
  return [null, 0];
}

function ofIndex(index: number): number {
  if (index < 16) return index;
  if (index >= 232) {
    const grey = (index - 232) * 10 + 8;
    return nearest(grey, grey, grey);
  }
  const cube = index - 16;
  const level = (step: number): number => (step === 0 ? 0 : step * 40 + 55);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function nearest(red: number, green: number, blue: number): number {
  const high = Math.max(red, green, blue);
  const low = Math.min(red, green, blue);
  if (high - low < 40) return high > 200 ? 15 : high > 130 ? 7 : high > 60 ? 8 : 0;
  const middle = (high + low) / 2;
  const bits = (red > middle ? 1 : 0) | (green > middle ? 2 : 0) | (blue > middle ? 4 : 0);
  return high > 190 ? bits + 8 : bits;
}
