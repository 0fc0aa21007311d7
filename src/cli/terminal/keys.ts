// The bytes of a terminal in raw mode → keys by name. Sequences may arrive in pieces; an escape is a key if nothing
// follows it for a moment.

export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'enter'
  | 'tab'
  | 'shift-tab'
  /** Ctrl-J, Alt-Enter, and Shift-Enter if the terminal distinguishes it. */
  | 'newline'
  | 'word-left'
  | 'word-right'
  | 'word-backspace'
  | 'word-delete'
  /** Reported by terminals that were asked to. */
  | 'focus-in'
  | 'focus-out'
  | 'escape'
  | 'backspace'
  | 'delete'
  | `ctrl-${string}`
  | 'text'
  /** Its text includes newlines. */
  | 'paste'
  | 'unknown';

export interface Key {
  readonly name: KeyName;
  /** For `text` and `paste`. */
  readonly text: string;
}

const escapeCode = '\x1b';
const pasteStart = '\x1b[200~';
const pasteEnd = '\x1b[201~';

export class KeyReader {
  #rest = '';

  /** Whether an escape waits for more input. A paste is not waited for: its end always comes. */
  get isWaiting(): boolean {
    return this.#rest !== '' && !this.#rest.startsWith(pasteStart);
  }

  push(text: string): Key[] {
    this.#rest += text;
    const keys: Key[] = [];
    for (let key = this.#next(); key !== undefined; key = this.#next()) keys.push(key);
    return keys;
  }

  /** Returns the waiting input as keys, because nothing followed. */
  settle(): Key[] {
    const rest = this.#rest;
    this.#rest = '';
    if (rest === '') return [];
    return rest === escapeCode ? [named('escape')] : [named('unknown')];
  }

  #next(): Key | undefined {
    if (this.#rest === '') return undefined;
    if (!this.#rest.startsWith(escapeCode)) return this.#nextPlain();
    if (this.#rest.startsWith(pasteStart)) return this.#nextPaste();
    const sequence = /^\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[@-~])/.exec(this.#rest)?.[0];
    if (sequence !== undefined) return this.#take(sequence.length, named(sequences.get(sequence) ?? 'unknown'));
    if (/^\x1b(?:$|\[[0-9;?]*$|O$)/.test(this.#rest)) return undefined;
    const alt = altKeys.get(this.#rest.charAt(1));
    return alt === undefined ? this.#take(1, named('escape')) : this.#take(2, named(alt));
  }

  #nextPlain(): Key {
    const [run = ''] = /^[^\x00-\x1f\x7f]+/.exec(this.#rest) ?? [];
    if (run !== '') return this.#take(run.length, { name: 'text', text: run });
    return this.#take(1, named(controlName(this.#rest.charCodeAt(0))));
  }

  #nextPaste(): Key | undefined {
    const end = this.#rest.indexOf(pasteEnd);
    if (end < 0) return undefined;
    const text = this.#rest.slice(pasteStart.length, end);
    return this.#take(end + pasteEnd.length, { name: 'paste', text });
  }

  #take(length: number, key: Key): Key {
    this.#rest = this.#rest.slice(length);
    return key;
  }
}

/** For letters that are commands: several that were typed quickly, or over a slow connection, arrive as one text. */
export function singleKeys(key: Key): readonly Key[] {
  return key.name === 'text' ? Array.from(key.text, (text) => ({ name: 'text', text })) : [key];
}

function named(name: KeyName): Key {
  return { name, text: '' };
}

function controlName(code: number): KeyName {
  if (code === 0x0d) return 'enter';
  if (code === 0x0a) return 'newline';
  if (code === 0x09) return 'tab';
  if (code === 0x7f || code === 0x08) return 'backspace';
  if (code === 0x1f) return 'ctrl-_';
  return code > 0 && code < 27 ? `ctrl-${String.fromCharCode(code + 0x60)}` : 'unknown';
}

/** Of xterm, of application mode, and of rxvt and the Linux console. */
const sequences: ReadonlyMap<string, KeyName> = new Map([
  ['\x1b[A', 'up'],
  ['\x1bOA', 'up'],
  ['\x1b[B', 'down'],
  ['\x1bOB', 'down'],
  ['\x1b[C', 'right'],
  ['\x1bOC', 'right'],
  ['\x1b[D', 'left'],
  ['\x1bOD', 'left'],
  ['\x1b[I', 'focus-in'],
  ['\x1b[O', 'focus-out'],
  ['\x1b[5~', 'page-up'],
  ['\x1b[6~', 'page-down'],
  ['\x1b[H', 'home'],
  ['\x1bOH', 'home'],
  ['\x1b[1~', 'home'],
  ['\x1b[7~', 'home'],
  ['\x1b[F', 'end'],
  ['\x1bOF', 'end'],
  ['\x1b[4~', 'end'],
  ['\x1b[8~', 'end'],
  ['\x1b[3~', 'delete'],
  ['\x1b[Z', 'shift-tab'],
  ['\x1b[1;5C', 'word-right'],
  ['\x1b[1;3C', 'word-right'],
  ['\x1b[1;5D', 'word-left'],
  ['\x1b[1;3D', 'word-left'],
  ['\x1b[3;5~', 'word-delete'],
  ['\x1b[3;3~', 'word-delete'],
  ['\x1b[13;2u', 'newline'],
  ['\x1b[27;2;13~', 'newline'],
]);

/** Keys after Alt; any other is an escape and the key. */
const altKeys: ReadonlyMap<string, KeyName> = new Map([
  ['b', 'word-left'],
  ['f', 'word-right'],
  ['d', 'word-delete'],
  ['\x7f', 'word-backspace'],
  ['\x08', 'word-backspace'],
  ['\r', 'newline'],
  ['\n', 'newline'],
]);

/** The caller must restore the terminal first. */
export async function stopUntilResumed(): Promise<void> {
  const resumed = new Promise<void>((resolve) => {
    process.once('SIGCONT', () => resolve());
  });
  // A signal listener does not keep the process alive, and stdin is paused.
  const alive = setInterval(() => {}, 1_000_000);
  process.kill(process.pid, 'SIGTSTP');
  await resumed;
  clearInterval(alive);
}
