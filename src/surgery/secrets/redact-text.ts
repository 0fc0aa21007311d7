// Replaces the secrets in one text by placeholders. Works on decoded strings and on raw JSON: a placeholder needs no
// escaping, and escapes are never split.
import { findSecrets, type RuleSet, type Secret } from './find.ts';
import type { Placeholders } from './placeholders.ts';
import { isRandomLetters } from './rules/index.ts';

interface RedactedText {
  readonly text: string;
  /** With offsets in the text before the round in which each was found. */
  readonly found: readonly Secret[];
}

/** A replacement may reveal another secret, which the next round replaces. */
const mostRounds = 4;

export function redactText(text: string, state: Placeholders, ruleSet?: RuleSet): RedactedText {
  const found: Secret[] = [];
  let current = text;
  for (let round = 0; round < mostRounds; round++) {
    const secrets = findSecrets(current, ruleSet);
    const cut = secrets.length === 0 ? current : state.replace(current, secrets);
    const known = state.findKnown(cut);
    const next = known.length === 0 ? cut : state.replace(cut, known);
    found.push(...secrets, ...known);
    if (next === current) break;
    current = next;
  }
  return { text: current, found };
}

/** Learns the secrets of a text without replacing them. */
export function learnSecrets(text: string, state: Placeholders, ruleSet?: RuleSet): readonly Secret[] {
  const secrets = findSecrets(text, ruleSet);
  for (const secret of secrets) state.placeholderOf(secret);
  return secrets;
}

// Valid names without the secret for tools, files and agents whose name holds one: the API accepts only letters, digits, `_`
// and `-` for a tool, and some systems do not allow a colon in a file name.

export interface NewName {
  readonly to: string;
  readonly secrets: readonly Secret[];
}

export class SafeNames {
  readonly #redact: (name: string) => RedactedText;
  /** With the maximum length of the new name. */
  readonly #candidates = new Map<string, number>();
  readonly #countKnown: () => number;
  #names: ReadonlyMap<string, NewName> | undefined;
  #knownThen = 0;

  /** `countKnown`: a value that is learned later may also be part of a name. */
  constructor(redact: (name: string) => RedactedText, countKnown: () => number) {
    this.#redact = redact;
    this.#countKnown = countKnown;
  }

  addTools(names: readonly string[]): void {
    for (const name of names) if (/^[a-zA-Z0-9_-]{4,128}$/.test(name)) this.#add(name, longestToolName);
  }

  /** One part of a path. */
  addFile(part: string): void {
    this.#add(partOf(part).name, longestFileName);
  }

  renameFile(part: string): string {
    const { before, name, after } = partOf(part);
    return `${before}${this.get(name)?.to ?? name}${after}`;
  }

  /** The secrets in one part of a path. */
  inFile(part: string): readonly Secret[] {
    return this.get(partOf(part).name)?.secrets ?? [];
  }

  /** How many names may change. */
  get size(): number {
    return this.#candidates.size;
  }

  /** Whether any name changes. */
  get isUsed(): boolean {
    return this.#all().size > 0;
  }

  get(name: string): NewName | undefined {
    return this.#all().get(name);
  }

  /** The text with the new names; calls `onReplaced` for each. */
  replace(text: string, onReplaced: (name: NewName) => void): string {
    let replaced = text;
    for (const [from, name] of this.#all()) {
      const parts = replaced.split(from);
      for (let i = 1; i < parts.length; i++) onReplaced(name);
      replaced = parts.join(name.to);
    }
    return replaced;
  }

  #add(name: string, longest: number): void {
    if (this.#candidates.has(name)) return;
    this.#candidates.set(name, longest);
    this.#names = undefined;
  }

  /** Longer names first: one may be part of another. */
  #all(): ReadonlyMap<string, NewName> {
    if (this.#names !== undefined && this.#knownThen === this.#countKnown()) return this.#names;
    const names = new Map<string, NewName>();
    const taken = new Set<string>();
    for (const [name, longest] of [...this.#candidates].sort(([a], [b]) => b.length - a.length)) {
      const { text, found } = this.#redact(name);
      if (found.length === 0) continue;
      const to = unused(inPlainLetters(text, longest), taken);
      taken.add(to);
      names.set(name, { to, secrets: found });
    }
    this.#names = names;
    this.#knownThen = this.#countKnown();
    return names;
  }
}

const longestToolName = 128;
const longestFileName = 200;

/** The id of an agent also occurs without the rest of the file name. */
function partOf(part: string): { readonly before: string; readonly name: string; readonly after: string } {
  const [, before = '', name = part, after = ''] =
    /^((?:[0-9a-f-]{36}-)?agent-)(.+?)((?:\.meta)?\.jsonl?)$/.exec(part) ?? [];
  return { before, name, after };
}

/** With placeholders that are valid in a name. */
export function nameOf(text: string): string {
  return text.replaceAll(placeholder, 'redacted-$1-$2');
}

function inPlainLetters(text: string, longest: number): string {
  const plain = nameOf(text);
  if (plain.length <= longest) return plain;
  const [, kind = 'secret', number = '1'] = new RegExp(placeholder.source).exec(text) ?? [];
  return `redacted-${kind}-${number}`;
}

const placeholder = /\[redacted:([a-z0-9-]{1,60}):(\d{1,9})\]/g;

function unused(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2, free = name; ; number++) {
    if (!taken.has(free)) return free;
    free = `${name}-${number}`;
  }
}

/** `at`: the position of the placeholder, or -1 if the value is not in the text. */
export function excerptOf(value: string, redacted: string, at: number): string {
  return `${at < 0 ? '' : contextBefore(redacted, at)}${maskValue(value)}`;
}

/** At most a quarter of the value, and not its length, to reveal little of a short one. */
function maskValue(value: string): string {
  return `${[...value].slice(0, Math.min(4, Math.floor(value.length / 4))).join('')}${mask}`;
}

const mask = '********';
const longestContext = 32;

/** Secrets are already placeholders; what looks like one is masked too. */
function contextBefore(redacted: string, at: number): string {
  const start = Math.max(0, at - 4 * longestContext);
  const line =
    redacted
      .slice(start, at)
      .split(/[\r\n]|\\+[nr]/)
      .at(-1) ?? '';
  const plain = line.replaceAll(/\\+(["'/])/g, '$1');
  // In JSON, only its member.
  const member = /"[^"\s]{1,40}"\s*:\s*"?[^"]*$/.exec(plain)?.[0] ?? plain;
  const isCut = member.length > longestContext || (member === plain && start > 0 && line.length === at - start);
  const shown = member.slice(-longestContext);
  const whole = isCut ? shown.replace(/^[^\s"'`=]*/, '').trimStart() : shown;
  return whole.replaceAll(/[^\s"'`=:,;()[\]{}]{6,}/g, (word) =>
    /\d/.test(word) || isRandomLetters(word) ? '***' : word,
  );
}
