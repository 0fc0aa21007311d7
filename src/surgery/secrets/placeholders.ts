// Assigns each secret a placeholder that is the same in all copies of a session, and finds known secrets again where no rule
// matches: the password of an .env line in the output of a later command.

import { encodedParts, sparePlaceholders, writePlaceholder } from './encoded-text.ts';
import type { Secret } from './find.ts';
import { innermostText, KeywordScanner, type View, viewsOf } from './view.ts';

export interface KnownSecret {
  readonly kind: string;
  readonly placeholder: string;
  /** Without any layer of escaping. */
  readonly value: string;
  /** How often it was replaced. */
  readonly count: number;
}

/** Shorter values would match inside unrelated words. */
const shortestKnown = 8;
const standsAloneBelow = 20;

export class Placeholders {
  private readonly byValue = new Map<string, { kind: string; placeholder: string; value: string; count: number }>();
  private readonly numbers = new Map<string, number>();
  private scanner: KeywordScanner<string> | undefined;

  get size(): number {
    return this.byValue.size;
  }

  /** Creates a new placeholder for a new value. */
  placeholderOf(secret: Pick<Secret, 'kind' | 'value'>): string {
    const value = innermostText(secret.value);
    const known = this.byValue.get(value);
    if (known !== undefined) return known.placeholder;
    const number = (this.numbers.get(secret.kind) ?? 0) + 1;
    this.numbers.set(secret.kind, number);
    const placeholder = writePlaceholder(secret.kind, number);
    this.byValue.set(value, { kind: secret.kind, placeholder, value, count: 0 });
    this.scanner = undefined;
    const inner = encodedPassword(value);
    if (inner !== undefined) this.placeholderOf({ kind: secret.kind, value: inner });
    return placeholder;
  }

  /** A value that was replaced before keeps its placeholder, unless another value has that one now. */
  adopt({ kind, placeholder, value }: Pick<KnownSecret, 'kind' | 'placeholder' | 'value'>): void {
    if (this.byValue.has(value)) return;
    const isTaken = [...this.byValue.values()].some((known) => known.placeholder === placeholder);
    if (isTaken) {
      this.placeholderOf({ kind, value });
      return;
    }
    const number = Number(/:(\d+)\]$/.exec(placeholder)?.[1] ?? 0);
    this.numbers.set(kind, Math.max(number, this.numbers.get(kind) ?? 0));
    this.byValue.set(value, { kind, placeholder, value, count: 0 });
    this.scanner = undefined;
  }

  /** Replaces secrets, which must be sorted without overlaps, like those of `findSecrets`. */
  replace(text: string, secrets: readonly Secret[]): string {
    const parts: string[] = [];
    let done = 0;
    for (const secret of secrets) {
      parts.push(text.slice(done, secret.start), this.placeholderOf(secret));
      this.countUse(secret.value);
      done = secret.end;
    }
    parts.push(text.slice(done));
    return parts.join('');
  }

  /** Finds known values in the text, in any layer of escaping. */
  findKnown(text: string): Secret[] {
    if (this.byValue.size === 0) return [];
    const scanner = this.knownScanner();
    const found: Secret[] = [];
    const views = viewsOf(text);
    const look = (view: View, push: (kind: string, value: string, at: number) => void): void =>
      scanner.scan(view.text, (value, at, length) => {
        if (length < standsAloneBelow && !standsAlone(view.text, at, at + length)) return;
        push(this.byValue.get(value)?.kind ?? 'secret', value, at);
      });
    for (const view of views)
      look(view, (kind, value, at) =>
        found.push({ kind, start: view.sourceStart(at), end: view.sourceEnd(at + value.length), value }),
      );
    const innermost = views.at(-1);
    for (const part of innermost === undefined ? [] : encodedParts(innermost.text)) {
      const [start, end] = [innermost?.sourceStart(part.start) ?? 0, innermost?.sourceEnd(part.end) ?? 0];
      for (const view of viewsOf(part.text)) look(view, (kind, value) => found.push({ kind, start, end, value }));
    }
    return sparePlaceholders(text, withoutOverlap(found));
  }

  replaceKnown(text: string): string {
    const found = this.findKnown(text);
    return found.length === 0 ? text : this.replace(text, found);
  }

  /** The same for values of at least eight characters, also as part of a longer word. */
  replaceValues(text: string): string {
    let replaced = text;
    for (const { value, placeholder } of this.longest()) replaced = replaced.replaceAll(value, () => placeholder);
    return replaced;
  }

  holdsValue(text: string): boolean {
    return this.longest().some(({ value }) => text.includes(value));
  }

  /** The values that `findKnown` looks for. */
  searched(): string[] {
    return [...this.byValue.keys()].filter((value) => value.length >= shortestKnown);
  }

  /** All secrets in the order of their discovery. */
  list(): KnownSecret[] {
    return [...this.byValue.values()].map((known) => ({ ...known }));
  }

  valueOf(placeholder: string): string {
    return this.list().find((known) => known.placeholder === placeholder)?.value ?? '';
  }

  /** One may be part of another. */
  private longest(): KnownSecret[] {
    return this.list()
      .filter(({ value }) => value.length >= shortestKnown)
      .sort((a, b) => b.value.length - a.value.length);
  }

  private countUse(value: string): void {
    const known = this.byValue.get(innermostText(value));
    if (known !== undefined) known.count++;
  }

  private knownScanner(): KeywordScanner<string> {
    this.scanner ??= new KeywordScanner(this.searched().map((value) => ({ text: value, exact: true, owner: value })));
    return this.scanner;
  }
}

/** The password in a base64 value (a Kubernetes secret or a Basic header), which may occur elsewhere in plain text. */
function encodedPassword(value: string): string | undefined {
  if (value.length > 400 || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return undefined;
  const plain = /^(?:[\x20-\x39\x3b-\x7e]{1,64}:)?([\x20-\x7e]{8,200})\n?$/.exec(
    Buffer.from(value, 'base64').toString('latin1'),
  );
  return plain?.[1];
}

function standsAlone(text: string, start: number, end: number): boolean {
  return !/[A-Za-z0-9]/.test(text.charAt(start - 1)) && !/[A-Za-z0-9]/.test(text.charAt(end));
}

/** The longer of two overlapping values wins. */
function withoutOverlap(found: Secret[]): Secret[] {
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const apart: Secret[] = [];
  for (const secret of found) {
    const last = apart.at(-1);
    if (last === undefined || secret.start >= last.end) apart.push(secret);
  }
  return apart;
}
