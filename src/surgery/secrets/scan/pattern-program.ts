// A pattern of a rule → a program for the WebAssembly module that matches wherever the pattern does, and rarely elsewhere.
// It sees bytes: where a pattern counts characters, a byte above 127 counts as any part of a character. What a program does
// not express (what precedes the pattern, repeated groups) counts as a match.

export interface PatternProgram {
  readonly code: readonly number[];
  readonly classes: readonly ByteClass[];
  /** How many characters before and after its start decide whether and what the pattern matches. */
  readonly before: number;
  readonly after: number;
}

/** The ASCII characters of a class, a bit each in four numbers, and whether it has others. */
export interface ByteClass {
  readonly ascii: Bits;
  readonly isWide: boolean;
}

type Bits = readonly [number, number, number, number];

/** The same numbers are in shared-program.as.ts. */
export const operations = { accept: 0, run: 1, split: 2, jump: 3, unless: 4, when: 5, choose: 6 } as const;

type Node =
  | { readonly type: 'run'; readonly of: ByteClass; readonly least: number; readonly most: number }
  | { readonly type: 'choice'; readonly options: readonly (readonly Node[])[]; readonly most: number }
  | { readonly type: 'look'; readonly isNot: boolean; readonly options: readonly (readonly Node[])[] }
  | { readonly type: 'enough' };

/** `undefined` if the pattern has a part that is not understood. */
export function compilePattern({ source, flags }: RegExp): PatternProgram | undefined {
  if (/[^dgiy]/.test(flags)) return undefined;
  try {
    const parser = new Parser(source, flags.includes('i'));
    const options = parser.parse();
    const writer = new Writer();
    writer.options(options);
    writer.code.push(operations.accept);
    writer.addFirsts();
    return {
      code: writer.code,
      classes: writer.classes,
      before: parser.before + 1,
      after: lengthOf(options) + parser.ahead + 1,
    };
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

class NotUnderstood extends Error {}

class Parser {
  readonly #source: string;
  readonly #isFolded: boolean;
  #at = 0;
  /** How many parts were left out so far, each of which makes the program match more. */
  #leftOut = 0;
  /** The characters that lookbehinds and lookaheads compare, all together. */
  before = 0;
  ahead = 0;

  constructor(source: string, isFolded: boolean) {
    this.#source = source;
    this.#isFolded = isFolded;
  }

  parse(): readonly (readonly Node[])[] {
    const options = this.#options();
    if (this.#at < this.#source.length) throw new NotUnderstood();
    return options;
  }

  #options(): Node[][] {
    const options: Node[][] = [[]];
    while (this.#at < this.#source.length && this.#peek() !== ')') {
      if (this.#take('|')) options.push([]);
      else options.at(-1)?.push(...this.#term());
    }
    return options;
  }

  #term(): Node[] {
    // A place; the module does not compare it.
    if (this.#take('^') || this.#take('$') || this.#take('\\b') || this.#take('\\B')) return this.#leaveOut();
    if (this.#peek() === '(') return this.#group();
    const of = this.#take('[') ? this.#class() : this.#character();
    const [least, most] = this.#repetition();
    return [{ type: 'run', of, least, most }];
  }

  #group(): Node[] {
    const kind = /^\((?:\?(?::|=|!|<=|<!|<\w+>))?/.exec(this.#source.slice(this.#at, this.#at + 40))?.[0] ?? '(';
    if (kind === '(' && this.#source.charAt(this.#at + 1) === '?') throw new NotUnderstood();
    this.#at += kind.length;
    const leftOutBefore = this.#leftOut;
    const options = this.#options();
    if (!this.#take(')')) throw new NotUnderstood();
    if (kind === '(?<=' || kind === '(?<!') {
      this.before += lengthOf(options);
      return this.#leaveOut();
    }
    if (kind === '(?=' || kind === '(?!') this.ahead += lengthOf(options);
    // What must not follow is compared only if it is compared exactly.
    if (kind === '(?!' && this.#leftOut > leftOutBefore) return this.#leaveOut();
    if (kind === '(?=' || kind === '(?!') return [{ type: 'look', isNot: kind === '(?!', options }];
    const [least, most] = this.#repetition();
    if (least === 1 && most === 1) return [{ type: 'choice', options, most }];
    if (least === 0 && most === 1) return [{ type: 'choice', options: [...options, []], most }];
    this.#leftOut++;
    const once = options.map((option): Node[] => [...option, { type: 'enough' }]);
    return [{ type: 'choice', options: least === 0 ? [...once, []] : once, most }];
  }

  #leaveOut(): Node[] {
    this.#leftOut++;
    return [];
  }

  #repetition(): [number, number] {
    const found = /^(?:([?*+])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(this.#source.slice(this.#at, this.#at + 24));
    if (found === null) return [1, 1];
    const [text, sign, least = '', comma, most = ''] = found;
    this.#at += text.length;
    if (sign !== undefined) return [sign === '+' ? 1 : 0, sign === '?' ? 1 : endless];
    return [Number(least), comma === undefined ? Number(least) : most === '' ? endless : Number(most)];
  }

  #class(): ByteClass {
    const isNot = this.#take('^');
    let found = noBytes;
    while (!this.#take(']')) {
      const first = this.#member();
      if (typeof first !== 'number') {
        found = both(found, first);
        continue;
      }
      let last = first;
      if (this.#peek() === '-' && this.#source.charAt(this.#at + 1) !== ']') {
        this.#at++;
        const end = this.#member();
        if (typeof end !== 'number') throw new NotUnderstood();
        last = end;
      }
      found = both(found, classOf(first, last));
    }
    const folded = this.#fold(found);
    return isNot ? { ascii: inverse(folded.ascii), isWide: true } : folded;
  }

  #member(): number | ByteClass {
    if (this.#peek() === '\\') return this.#escape();
    if (this.#at >= this.#source.length) throw new NotUnderstood();
    return this.#source.charCodeAt(this.#at++);
  }

  #character(): ByteClass {
    if (this.#take('.')) return { ascii: inverse(lineEnd.ascii), isWide: true };
    if (/[*+?{}\])]/.test(this.#peek())) throw new NotUnderstood();
    const member = this.#member();
    return typeof member === 'number' ? this.#fold(classOf(member, member)) : member;
  }

  #escape(): number | ByteClass {
    const letter = this.#source.charAt(this.#at + 1);
    this.#at += 2;
    const named = escapes[letter];
    if (named !== undefined) return named;
    if (letter === 'x') {
      this.#at += 2;
      return Number.parseInt(this.#source.slice(this.#at - 2, this.#at), 16);
    }
    if (/[A-Za-z0-9]/.test(letter) || letter === '') throw new NotUnderstood();
    return letter.charCodeAt(0);
  }

  /** Letters are in the third and fourth number, at the same bits. */
  #fold({ ascii: [a, b, capitals, small], isWide }: ByteClass): ByteClass {
    const letters = this.#isFolded ? (capitals | small) & allLetters : 0;
    return { ascii: [a, b, capitals | letters, small | letters], isWide };
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}

const endless = 0x7fffffff;

const noBytes: ByteClass = { ascii: [0, 0, 0, 0], isWide: false };
/** The bits of A to Z. */
const allLetters = 0x07fffffe;

function classOf(first: number, last: number): ByteClass {
  const bits: [number, number, number, number] = [0, 0, 0, 0];
  for (let code = first; code <= Math.min(last, 127); code++) (bits[code >>> 5] as number) |= 1 << (code & 31);
  return { ascii: bits, isWide: last > 127 };
}

function both(x: ByteClass, y: ByteClass): ByteClass {
  const [a, b, c, d] = x.ascii;
  return {
    ascii: [a | y.ascii[0], b | y.ascii[1], c | y.ascii[2], d | y.ascii[3]],
    isWide: x.isWide || y.isWide,
  };
}

function inverse([a, b, c, d]: Bits): Bits {
  return [~a, ~b, ~c, ~d];
}

function classOfPattern(pattern: RegExp, isWide: boolean): ByteClass {
  const members = Array.from({ length: 128 }, (_, code) => code).filter((code) =>
    pattern.test(String.fromCharCode(code)),
  );
  return { ...members.map((code) => classOf(code, code)).reduce(both, noBytes), isWide };
}

/** The most characters that one of the options matches. */
function lengthOf(options: readonly (readonly Node[])[]): number {
  return Math.max(0, ...options.map((option) => option.reduce((sum, node) => sum + lengthOfNode(node), 0)));
}

function lengthOfNode(node: Node): number {
  if (node.type === 'run') return node.most;
  return node.type === 'choice' ? node.most * lengthOf(node.options) : 0;
}

const lineEnd = both(classOf(10, 10), classOf(13, 13));
const escapes: Readonly<Record<string, number | ByteClass>> = {
  n: 10,
  r: 13,
  t: 9,
  f: 12,
  v: 11,
  0: 0,
  d: classOfPattern(/\d/, false),
  D: classOfPattern(/\D/, true),
  w: classOfPattern(/\w/, false),
  W: classOfPattern(/\W/, true),
  s: classOfPattern(/\s/, true),
  S: classOfPattern(/\S/, true),
};

/** The most bytes of UTF-8 for one unit of UTF-16. */
const bytesOfUnit = 3;

class Writer {
  readonly code: number[] = [];
  readonly classes: ByteClass[] = [];

  /** The order of the options does not matter: a program only says whether one of them matches. */
  options(written: readonly (readonly Node[])[]): void {
    const options = withSharedStarts(written);
    const starts = options.map(startOf);
    if (options.length > 2 && areDistinct(starts)) this.#choose(options, starts);
    else this.#tryEach(options);
  }

  /** The next byte decides which option can match. */
  #choose(options: readonly (readonly Node[])[], starts: readonly ByteClass[]): void {
    const table = this.code.push(operations.choose);
    for (let i = 0; i < 64; i++) this.code.push(0);
    const ends: number[] = [];
    for (const [i, option] of options.entries()) {
      const target = this.code.length;
      for (let byte = 0; byte < 128; byte++) {
        if (hasByte(starts[i], byte)) (this.code[table + (byte >>> 1)] as number) |= target << (16 * (byte & 1));
      }
      for (const node of option) this.#node(node);
      ends.push(this.code.push(operations.jump, 0) - 1);
    }
    for (const end of ends) this.code[end] = this.code.length;
  }

  #tryEach(options: readonly (readonly Node[])[]): void {
    const ends: number[] = [];
    for (const [i, option] of options.entries()) {
      const isLast = i === options.length - 1;
      const split = this.code.length;
      if (!isLast) this.code.push(operations.split, 0, anyByte, anyByte);
      for (const node of option) this.#node(node);
      if (isLast) break;
      ends.push(this.code.push(operations.jump, 0) - 1);
      this.code[split + 1] = this.code.length;
    }
    for (const end of ends) this.code[end] = this.code.length;
  }

  #indexOf({ ascii, isWide }: ByteClass): number {
    const known = this.classes.findIndex(
      (each) => each.isWide === isWide && each.ascii.every((bits, i) => bits >>> 0 === (ascii[i] as number) >>> 0),
    );
    return known >= 0 ? known : this.classes.push({ ascii, isWide }) - 1;
  }

  #node(node: Node): void {
    switch (node.type) {
      case 'run': {
        const { of, least, most } = node;
        const bytes = of.isWide ? Math.min(endless, most * bytesOfUnit) : most;
        this.code.push(operations.run, this.#indexOf(of), least, bytes, anyByte);
        break;
      }
      case 'choice':
        this.options(node.options);
        break;
      case 'look': {
        const start = this.code.push(node.isNot ? operations.unless : operations.when, 0) - 1;
        this.options(node.options);
        this.code.push(operations.accept);
        this.code[start] = this.code.length;
        break;
      }
      case 'enough':
        this.code.push(operations.accept);
        break;
      default:
        node satisfies never;
    }
  }

  /** Adds to each choice the bytes with which it may continue, so that most of them need no trial. */
  addFirsts(): void {
    const known = new Map<number, ByteClass | undefined>();
    for (let at = 0; at < this.code.length; at += sizes[this.code[at] as number] as number) {
      if (this.code[at] === operations.run) this.code[at + 4] = this.#firstIndex(at + 5, known);
      if (this.code[at] !== operations.split) continue;
      this.code[at + 2] = this.#firstIndex(at + 4, known);
      this.code[at + 3] = this.#firstIndex(this.code[at + 1] as number, known);
    }
  }

  #firstIndex(at: number, known: Map<number, ByteClass | undefined>): number {
    const first = this.#first(at, known);
    return first === undefined ? anyByte : this.#indexOf(first);
  }

  /** The bytes with which the program may continue; `undefined` for any byte, or the end of the text. */
  #first(at: number, known: Map<number, ByteClass | undefined>): ByteClass | undefined {
    if (!known.has(at)) known.set(at, this.#findFirst(at, known));
    return known.get(at);
  }

  #findFirst(at: number, known: Map<number, ByteClass | undefined>): ByteClass | undefined {
    const [operation, operand = 0, least = 0] = this.code.slice(at, at + 3);
    switch (operation) {
      case operations.run: {
        const own = this.classes[operand];
        return least > 0 ? own : unite(own, this.#first(at + 5, known));
      }
      case operations.choose: {
        const table = this.code.slice(at + 1, at + 65);
        const bytes = Array.from({ length: 128 }, (_, byte) => byte);
        const taken = bytes.filter((byte) => ((table[byte >>> 1] ?? 0) >>> (16 * (byte & 1))) & 0xffff);
        return taken.map((byte) => classOf(byte, byte)).reduce(both, noBytes);
      }
      case operations.split:
        return unite(this.#first(at + 4, known), this.#first(operand, known));
      case operations.jump:
      case operations.unless:
      case operations.when:
        return this.#first(operand, known);
      default:
        return undefined;
    }
  }
}

/** `abc|abd|x` → `ab(?:c|d)|x`. */
function withSharedStarts(options: readonly (readonly Node[])[]): readonly (readonly Node[])[] {
  const groups = new Map<string, (readonly Node[])[]>();
  for (const [i, option] of options.entries()) {
    const [first] = option;
    const isSingle = first?.type === 'run' && first.least === 1 && first.most === 1 && !first.of.isWide;
    const key = isSingle ? first.of.ascii.join() : `own ${i}`;
    groups.set(key, [...(groups.get(key) ?? []), option]);
  }
  return [...groups.values()].map((group): readonly Node[] => {
    const [only = []] = group;
    const rests = group.map((option) => option.slice(1));
    return group.length === 1 ? only : [only[0] as Node, { type: 'choice', options: rests, most: 1 }]; // a group shares its first node
  });
}

/** The bytes with which an option must begin; `undefined` if that is not certain. */
function startOf([first]: readonly Node[]): ByteClass | undefined {
  return first?.type === 'run' && first.least > 0 && !first.of.isWide ? first.of : undefined;
}

function areDistinct(starts: readonly (ByteClass | undefined)[]): starts is readonly ByteClass[] {
  let all = noBytes;
  for (const start of starts) {
    if (start === undefined || start.ascii.some((bits, i) => (bits & (all.ascii[i] as number)) !== 0)) return false;
    all = both(all, start);
  }
  return true;
}

function hasByte(of: ByteClass | undefined, byte: number): boolean {
  return (((of?.ascii[byte >>> 5] ?? 0) >>> (byte & 31)) & 1) === 1;
}

function unite(a: ByteClass | undefined, b: ByteClass | undefined): ByteClass | undefined {
  return a === undefined || b === undefined ? undefined : both(a, b);
}

/** Words of each operation. */
const sizes = [1, 5, 4, 2, 2, 2, 65];
/** No class: any byte, or the end of the text. */
const anyByte = 0xffffffff;
