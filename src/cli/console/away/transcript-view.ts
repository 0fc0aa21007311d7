// The whole conversation on the alternate screen (Ctrl-O): every call with its output, thinking and long pastes, as `clew
// show --full` prints them. It scrolls, follows new lines while its end is visible, and leaves the scrollback as it was.
import { clusters, oneLine } from '../../../base/text/index.ts';
import { fitFacts, rule } from '../../render/index.ts';
import { type Key, type Screen, type Style, singleKeys } from '../../terminal/index.ts';

export interface TranscriptViewOptions {
  readonly screen: Screen;
  readonly style: Style;
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** The conversation as it is on the disk, for this width; `undefined` if it is the same as at the last call. */
  readonly readLines: (columns: number) => Promise<readonly string[] | undefined>;
  /** What the user should know while the view is open. */
  readonly notice: () => string;
}

/** Reading a long session again takes a moment; a turn writes several lines a second. */
const reloadMs = 500;

export class TranscriptView {
  readonly #options: TranscriptViewOptions;
  #lines: readonly string[] | undefined;
  #columns = 0;
  /** The first visible line; `end` follows the conversation. */
  #top: number | 'end' = 'end';
  #isOpen = false;
  #reading: Promise<void> | undefined;
  #isStale = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TranscriptViewOptions) {
    this.#options = options;
  }

  open(): void {
    this.#isOpen = true;
    this.#options.screen.enter();
    this.draw();
    this.#read();
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#options.screen.leave();
  }

  /** Returns `closed` if the key ends the view. */
  press(key: Key): 'closed' | 'open' {
    return singleKeys(key).some((each) => this.#press(each) === 'closed') ? 'closed' : 'open';
  }

  #press(key: Key): 'closed' | 'open' {
    if (closingKeys.has(key.name) || (key.name === 'text' && key.text === 'q')) return 'closed';
    const page = this.#page();
    const step = key.name === 'text' ? letterSteps[key.text] : steps[key.name];
    if (step === undefined) return 'open';
    const last = Math.max(0, (this.#lines?.length ?? 0) - page);
    const top = Math.max(0, Math.min(last, step(this.#first(page), page, last)));
    this.#top = top >= last ? 'end' : top;
    this.draw();
    return 'open';
  }

  /** The conversation may have grown. */
  refresh(): void {
    if (!this.#isOpen || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#read();
    }, reloadMs);
  }

  resize(): void {
    this.#options.screen.clear();
    this.draw();
    this.#read();
  }

  draw(): void {
    if (!this.#isOpen) return;
    const { screen, style, size, notice } = this.#options;
    const { columns, rows } = size();
    const page = this.#page();
    const lines = this.#lines ?? ['', style.muted('  reading the session')];
    const first = this.#first(page);
    const shown = lines.slice(first, first + page);
    const blank = Array.from({ length: page - shown.length }, () => '');
    const place = lines.length === 0 ? [] : [`${first + 1}–${first + shown.length} of ${lines.length}`];
    const notices = notice() === '' ? [] : [notice()];
    const facts = fitFacts([...notices, ...place, 'Ctrl-O closes', '↑↓ PageUp PageDown Home End'], columns - 3);
    const footer = [style.muted(rule('─', [], columns)), style.muted(`  ${oneLine(facts, columns - 3)}`)];
    screen.draw({ lines: [...shown, ...blank, ...footer].slice(0, rows) });
  }

  #page(): number {
    return Math.max(1, this.#options.size().rows - 2);
  }

  #first(page: number): number {
    const last = Math.max(0, (this.#lines?.length ?? 0) - page);
    return this.#top === 'end' ? last : Math.min(this.#top, last);
  }

  #read(): void {
    if (this.#reading !== undefined) {
      this.#isStale = true;
      return;
    }
    const { columns } = this.#options.size();
    this.#reading = this.#options
      .readLines(columns)
      .catch((error: unknown) => [`the session cannot be read: ${error instanceof Error ? error.message : error}`])
      .then((lines) => {
        this.#reading = undefined;
        this.#columns = columns;
        if (lines !== undefined) {
          this.#lines = lines.flatMap((line) => wrapPainted(line, columns));
          this.draw();
        }
        if (!this.#isStale && this.#columns === this.#options.size().columns) return;
        this.#isStale = false;
        this.refresh();
      });
  }
}

const closingKeys: ReadonlySet<string> = new Set(['ctrl-o', 'escape', 'ctrl-c', 'ctrl-d']);

type Step = (top: number, page: number, last: number) => number;

const steps: Readonly<Record<string, Step>> = {
  up: (top) => top - 1,
  'ctrl-p': (top) => top - 1,
  down: (top) => top + 1,
  'ctrl-n': (top) => top + 1,
  enter: (top) => top + 1,
  'page-up': (top, page) => top - page,
  'ctrl-b': (top, page) => top - page,
  'page-down': (top, page) => top + page,
  'ctrl-f': (top, page) => top + page,
  'ctrl-u': (top, page) => top - Math.floor(page / 2),
  home: () => 0,
  end: (_, __, last) => last,
};

const letterSteps: Readonly<Record<string, Step>> = {
  k: (top) => top - 1,
  j: (top) => top + 1,
  b: (top, page) => top - page,
  ' ': (top, page) => top + page,
  g: () => 0,
  G: (_, __, last) => last,
};

/** A line with colours, broken at the width; each piece begins with the colours that are on. */
export function wrapPainted(line: string, columns: number): readonly string[] {
  const width = Math.max(1, columns);
  const pieces: string[] = [];
  let piece = '';
  let column = 0;
  let codes = '';
  for (const part of line.split(/(\x1b\[[\d;]*m)/)) {
    if (part.startsWith('\x1b')) {
      codes += part;
      piece += part;
      continue;
    }
    for (const cluster of clusters(part)) {
      if (column + cluster.width > width) {
        pieces.push(piece);
        piece = codes;
        column = 0;
      }
      piece += cluster.text;
      column += cluster.width;
    }
  }
  return [...pieces, piece];
}
