// Replaces secrets in the files of a session by placeholders; everything else stays byte for byte. Use one redactor for all
// files, so that a value has the same placeholder everywhere: first learn from every file, because a value may be
// recognizable by its name in one place only, then redact.
import {
  type CleanLine,
  type Cut,
  decodeLossless,
  decodeString,
  encodedParts,
  encodeLossless,
  excerptOf,
  type Form,
  findSecrets,
  innermostText,
  isEscapedByte,
  isPlainValue,
  type JsonString,
  type JsonView,
  LineFilter,
  learnSecrets,
  makeRuleSet,
  type NewName,
  nameOf,
  Placeholders,
  quotedSecrets,
  type RuleSet,
  redactText,
  SafeNames,
  type Secret,
  shownText,
  splice,
  splitEscapedBytes,
  textsOf,
  viewOf,
} from '../secrets/index.ts';

export interface Redaction {
  readonly bytes: Buffer;
  /** How often each placeholder was inserted. */
  readonly found: ReadonlyMap<string, number>;
  /** The indexes of signed thinking with a secret in `message.content`, which is not changed, see redact.ts. */
  readonly signed: readonly number[];
  readonly signedPlaceholders: readonly string[];
}

/** A secret that was found, without its value. */
export interface FoundSecret {
  readonly kind: string;
  readonly placeholder: string;
  readonly count: number;
  /** How to rotate it. */
  readonly rotate: string;
}

export interface KnownValue {
  readonly kind: string;
  readonly placeholder: string;
  readonly value: string;
}

export function createRedactor(ruleSet?: RuleSet): Redactor {
  return new Redactor(ruleSet ?? makeRuleSet());
}

export class Redactor {
  readonly #rules: RuleSet;
  readonly #state = new Placeholders();
  readonly #names = new SafeNames(
    (name) => redactText(name, this.#state, this.#rules),
    () => this.#state.size,
  );
  readonly #rotate: ReadonlyMap<string, string>;
  /** For the rules alone. */
  readonly #ruleFilter: LineFilter;
  /** With the values that were known when there were `#filterSize` of them. */
  #filter: LineFilter | undefined;
  #filterSize = -1;
  #values: KnownValues | undefined;

  constructor(rules: RuleSet) {
    this.#rules = rules;
    this.#ruleFilter = ruleFilterOf(rules);
    this.#rotate = new Map(rules.rules.map(({ kind, rotate }) => [kind, rotate]));
  }

  /** The values themselves, and those encoded in them: never print or write them. */
  values(): readonly KnownValue[] {
    return this.#state.list().flatMap((known) => {
      const parts = encodedParts(known.value).flatMap(({ text }) => findSecrets(text, this.#rules));
      return [
        known,
        ...parts.map(({ kind, value }) => ({ kind, placeholder: known.placeholder, value: innermostText(value) })),
      ];
    });
  }

  /** A value that was redacted before, and was found again. */
  learnValue(known: KnownValue): void {
    this.#state.adopt(known);
  }

  /** Returns what is known of these bytes if they have no secret of their own. */
  learn(bytes: Buffer, form: Form = 'record'): CleanLine | undefined {
    const clean = form === 'record' ? this.#ruleFilter.judge(bytes) : undefined;
    if (clean !== undefined) {
      this.#names.addTools(clean.toolNames);
      return clean;
    }
    const view = viewOf(decodeLossless(bytes), form);
    const thinking = view.signed.map(({ text }) => text);
    for (const text of [...textsOf(view), ...thinking]) learnSecrets(text, this.#state, this.#rules);
    this.#learnQuoted(view);
    this.#names.addTools(view.toolNames);
    return undefined;
  }

  /** Whether no secret is known, and no name changes. */
  get isEmpty(): boolean {
    return !this.#names.isUsed && this.#state.size === 0;
  }

  /** Grows with every value and every name that is learned. */
  get version(): number {
    return this.#state.size + this.#names.size;
  }

  /** Whether `redact` does not change a line for which `learn` returned `clean`: it has no known value, and no name changes. */
  isUnchanged(bytes: Buffer, clean: Pick<CleanLine, 'isPlain'>): boolean {
    if (this.#names.isUsed) return false;
    const size = this.#state.size;
    if (size === 0) return true;
    if (this.#values?.size !== size) this.#values = { size, ...knownValues(this.#state.searched()) };
    const { plain, filter } = this.#values;
    if (clean.isPlain && plain !== undefined) return !plain.some((value) => bytes.includes(value));
    return filter.judge(bytes) !== undefined;
  }

  /** Also renames the file in all texts, see `renameFile`. */
  learnFileName(name: string): void {
    for (const part of name.split('/')) {
      learnSecrets(part, this.#state, this.#rules);
      this.#names.addFile(part);
    }
  }

  /** The name of a file, with `/`, without the secrets in it. */
  renameFile(name: string): string {
    return name
      .split('/')
      .map((part) => this.#names.renameFile(part))
      .join('/');
  }

  findInName(name: string): string[] {
    const found = name.split('/').flatMap((part) => this.#names.inFile(part));
    return found.map((secret) => this.#state.placeholderOf(secret));
  }

  /** A path or message to show: with the new names of files, and without known values. */
  hide(text: string): string {
    return this.#state.replaceValues(this.#state.replaceKnown(this.#names.replace(text, () => {})));
  }

  #learnQuoted({ text, strings = [] }: JsonView): void {
    for (const { start, end, name } of strings) {
      if (name === undefined) continue;
      for (const secret of quotedSecrets(name, text.slice(start, end), this.#rules)) this.#state.placeholderOf(secret);
    }
  }

  /** A line without secrets, known values and names that change; `undefined` for any other. */
  #cleanLine(bytes: Buffer, form: Form): CleanLine | undefined {
    if (form !== 'record' || this.#names.isUsed) return undefined;
    if (this.#filter === undefined || this.#filterSize !== this.#state.size) {
      const values = this.#state.searched();
      this.#filter = values.length === 0 ? this.#ruleFilter : new LineFilter(this.#rules, values);
      this.#filterSize = this.#state.size;
    }
    return this.#filter.judge(bytes);
  }

  redact(bytes: Buffer, form: Form = 'record'): Redaction {
    const clean = this.#cleanLine(bytes, form);
    if (clean === undefined) return this.redactUnclean(bytes, form);
    this.#names.addTools(clean.toolNames);
    return { bytes, found: new Map(), signed: [], signedPlaceholders: [] };
  }

  /** The same, faster for bytes that are not clean. */
  redactUnclean(bytes: Buffer, form: Form): Redaction {
    const found = new Map<string, number>();
    const text = decodeLossless(bytes);
    const view = viewOf(text, form);
    this.#learnQuoted(view);
    this.#names.addTools(view.toolNames);
    const redacted = view.strings === undefined ? this.#cut(text, found) : this.#redactJson(view, form, found);
    const held = view.signed.map(({ index, text: thinking }) => ({ index, secrets: this.#look(thinking) }));
    return {
      bytes: redacted === text ? bytes : encodeLossless(redacted),
      found,
      signed: held.filter(({ secrets }) => secrets.length > 0).map(({ index }) => index),
      signedPlaceholders: [...new Set(held.flatMap(({ secrets }) => secrets))],
    };
  }

  redactLine(bytes: Buffer): Buffer {
    return this.redact(bytes, 'record').bytes;
  }

  redactText(text: string): string {
    return this.#cut(text, new Map());
  }

  /** Replaces only known values. */
  replaceKnown(bytes: Buffer): Buffer {
    const text = decodeLossless(bytes);
    const replaced = this.#state.replaceKnown(text);
    return replaced === text ? bytes : encodeLossless(replaced);
  }

  /** The placeholders of the known values in these bytes. */
  findKnown(bytes: Buffer): string[] {
    return this.#state.findKnown(decodeLossless(bytes)).map((secret) => this.#state.placeholderOf(secret));
  }

  /** Whether these bytes hold a known value, also as part of a longer word. */
  holdsValue(bytes: Buffer): boolean {
    return this.holdsPlain(bytes) || this.findKnown(bytes).length > 0;
  }

  /** The same without decoding escapes and encodings, which is fast. */
  holdsPlain(bytes: Buffer): boolean {
    return this.#state.holdsValue(decodeLossless(bytes));
  }

  /** Replaces the values that `holdsValue` finds. */
  replaceValues(bytes: Buffer): Buffer {
    return encodeLossless(this.#state.replaceValues(this.#state.replaceKnown(decodeLossless(bytes))));
  }

  /** The placeholders of the secrets in these bytes, except in kept values (ids, signatures, signed thinking). */
  inspect(bytes: Buffer, form: Form = 'record'): string[] {
    const view = viewOf(decodeLossless(bytes), form);
    return [...new Set(textsOf(view).flatMap((text) => this.#look(text)))];
  }

  /** The secrets in a text by line. */
  locate(bytes: Buffer): { readonly placeholder: string; readonly line: number; readonly count: number }[] {
    const text = decodeLossless(bytes);
    const found = findSecrets(text, this.#rules);
    const known = this.#state.findKnown(text).filter((each) => !found.some((secret) => overlap(each, secret)));
    let [line, at] = [1, 0];
    return [...found, ...known]
      .sort((a, b) => a.start - b.start)
      .map((secret) => {
        for (; at < secret.start; at++) if (text.charCodeAt(at) === 0x0a) line++;
        return { placeholder: this.#state.placeholderOf(secret), line, count: 1 };
      });
  }

  /** `redacted`: the text without values. */
  excerpt(placeholder: string, redacted: string, from = 0): string {
    const found = [placeholder, nameOf(placeholder)].map((text) => redacted.indexOf(text, from));
    return excerptOf(this.#state.valueOf(placeholder), redacted, found.find((at) => at >= 0) ?? -1);
  }

  list(): FoundSecret[] {
    return this.#state.list().map(({ kind, placeholder, count }) => ({
      kind,
      placeholder,
      count,
      rotate: this.#rotate.get(kind) ?? 'revoke it where it was issued',
    }));
  }

  #look(text: string): string[] {
    const secrets = [...findSecrets(text, this.#rules), ...this.#state.findKnown(text)];
    return secrets.map((secret) => this.#state.placeholderOf(secret));
  }

  #cut(whole: string, found: Map<string, number>): string {
    const text = this.#names.replace(whole, (name) => this.#countName(name, found));
    const { text: cut, found: secrets } = redactText(text, this.#state, this.#rules);
    for (const secret of secrets) this.#count(secret, found);
    return cut;
  }

  #countName({ secrets }: NewName, found: Map<string, number>): void {
    for (const secret of secrets) this.#count(secret, found);
  }

  #count(secret: Secret, found: Map<string, number>): void {
    const placeholder = this.#state.placeholderOf(secret);
    found.set(placeholder, (found.get(placeholder) ?? 0) + 1);
  }

  #redactJson(first: JsonView, form: Form, found: Map<string, number>): string {
    let view = first;
    const cuts = [
      ...(view.strings ?? []).flatMap((string) => this.#redactString(view.text, string, found)),
      ...view.kept.flatMap((string) => this.#renameAgent(view.text, string, found)),
    ];
    let text = splice(
      view.text,
      cuts.sort((a, b) => a.start - b.start),
    );
    // Values that only their name or a previous replacement reveals.
    for (let round = 0; round < mostRounds; round++) {
      if (text !== view.text) view = viewOf(text, form);
      const cuts = this.#acrossStrings(view, found);
      if (cuts.length === 0) break;
      text = splice(text, cuts);
    }
    return text;
  }

  #redactString(text: string, { start, end }: JsonString, found: Map<string, number>): Cut[] {
    const raw = text.slice(start, end);
    const parts = splitEscapedBytes(raw).map((part) => {
      if (isEscapedByte(part)) return part;
      const plain = decodeString(part);
      if (plain === undefined) return this.#cut(part, found);
      const cut = this.#cut(plain, found);
      return cut === plain ? part : JSON.stringify(cut).slice(1, -1);
    });
    const redacted = parts.join('');
    return redacted === raw ? [] : [{ start, end, text: redacted }];
  }

  /** The id of an agent is kept, unless its file is renamed. */
  #renameAgent(text: string, { start, end, name }: JsonString, found: Map<string, number>): Cut[] {
    const renamed = name === 'agentId' ? this.#names.get(text.slice(start, end)) : undefined;
    if (renamed === undefined) return [];
    this.#countName(renamed, found);
    return [{ start, end, text: renamed.to }];
  }

  /** Secrets of the whole line, replaced only inside strings, so that the JSON stays valid. */
  #acrossStrings(view: JsonView, found: Map<string, number>): Cut[] {
    const shown = shownText(view);
    const secrets = [...findSecrets(shown, this.#rules), ...this.#state.findKnown(shown)];
    const { strings = [] } = view;
    const cuts: Cut[] = [];
    let first = 0;
    for (const secret of secrets.sort((a, b) => a.start - b.start)) {
      while (first < strings.length && (strings[first] as JsonString).end <= secret.start) first++;
      for (let i = first; i < strings.length && (strings[i] as JsonString).start < secret.end; i++) {
        const string = strings[i] as JsonString;
        const [start, end] = [Math.max(secret.start, string.start), Math.min(secret.end, string.end)];
        if (start >= end || start < (cuts.at(-1)?.end ?? 0)) continue;
        cuts.push({ start, end, text: this.#state.placeholderOf(secret) });
        this.#count(secret, found);
      }
    }
    return cuts;
  }
}

interface KnownValues {
  /** How many there were. */
  readonly size: number;
  /** Only if all of them can be searched in plain lines. */
  readonly plain: readonly Buffer[] | undefined;
  readonly filter: LineFilter;
}

/** With more, the filter is faster. */
const mostPlain = 32;

function knownValues(values: readonly string[]): Omit<KnownValues, 'size'> {
  const isPlain = values.length <= mostPlain && values.every(isPlainValue);
  return {
    plain: isPlain ? values.map((value) => Buffer.from(value)) : undefined,
    filter: new LineFilter(undefined, values),
  };
}

/** A table takes longer to make than a short session takes to search. */
const ruleFilters = new WeakMap<RuleSet, LineFilter>();

function ruleFilterOf(rules: RuleSet): LineFilter {
  const known = ruleFilters.get(rules) ?? new LineFilter(rules);
  ruleFilters.set(rules, known);
  return known;
}

function overlap(a: Secret, b: Secret): boolean {
  return a.start < b.end && b.start < a.end;
}

const mostRounds = 4;
