// Finds the secrets in a text, from left to right, without overlaps, in every layer of escaping. If two rules match the same
// characters, the result is their union, with the kind of the more certain rule.
import vm from 'node:vm';
import { UserError } from '../../base/errors/index.ts';
import { encodedParts, holdsPlaceholder, sparePlaceholders } from './encoded-text.ts';
import {
  codeRules,
  commandRules,
  namedValueRules,
  placeRules,
  platformRules,
  type SecretRule,
  serviceRules,
} from './rules/index.ts';
import { KeywordScanner, type View, viewsOf } from './view.ts';

/** For at most 64 windows of 1,536 characters, each of which normally takes microseconds. */
const limitMs = 500;
/** Entering the context costs 0.2 ms, more than matching a window. */
const windowsAtOnce = 64;

const run = new vm.Script('found = texts.map((text) => [...text.matchAll(pattern)])');
let context: { texts: readonly string[]; pattern: RegExp; found: RegExpExecArray[][] } | undefined;

function matchWindows(kind: string, pattern: RegExp, texts: readonly string[]): RegExpExecArray[][] {
  const found: RegExpExecArray[][] = [];
  for (let i = 0; i < texts.length; i += windowsAtOnce)
    found.push(...matchBounded(kind, pattern, texts.slice(i, i + windowsAtOnce)));
  return found;
}

function matchBounded(kind: string, pattern: RegExp, texts: readonly string[]): RegExpExecArray[][] {
  context ??= vm.createContext({ texts, pattern, found: [] }) as NonNullable<typeof context>; // returns its argument
  Object.assign(context, { texts, pattern, found: [] });
  try {
    run.runInContext(context, { timeout: limitMs });
  } catch (error) {
    // From the other context, where Error is another class.
    if ((error as { code?: unknown } | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new UserError(
      `rule "${kind}" takes too long on a text`,
      'write its pattern with fewer or shorter repetitions',
    );
  }
  return context.found;
}

export interface Secret {
  readonly kind: string;
  /** UTF-16 offsets of the secret, without the name it is assigned to. */
  readonly start: number;
  readonly end: number;
  /** Without escapes. */
  readonly value: string;
}

export const bundledRules: readonly SecretRule[] = [
  ...platformRules,
  ...codeRules,
  ...serviceRules,
  ...placeRules,
  ...namedValueRules,
  ...commandRules,
];

/** Prepared rules; create it once and use it for every text. */
export interface RuleSet {
  readonly rules: readonly SecretRule[];
  /** Values that the user allows. */
  readonly allows: (value: string) => boolean;
  readonly scanner: KeywordScanner<PreparedRule>;
  /** Rules without a keyword. */
  readonly everywhere: readonly PreparedRule[];
  /** Counts pattern trials and scanned characters, so that a test can measure the cost of a text. */
  readonly work: { trials: number; characters: number };
}

interface PreparedRule {
  readonly rule: SecretRule;
  readonly pattern: RegExp;
  readonly rank: number;
}

interface Claim extends Secret {
  readonly rank: number;
}

export function makeRuleSet(
  rules: readonly SecretRule[] = bundledRules,
  allows: (value: string) => boolean = () => false,
): RuleSet {
  const prepared = rules.map(prepareRule);
  const keywords = prepared.flatMap((owner) =>
    [...new Set(owner.rule.keywords)].map((text) => ({ text, exact: owner.rule.exact === true, owner })),
  );
  return {
    rules,
    allows,
    scanner: new KeywordScanner(keywords),
    everywhere: prepared.filter(({ rule }) => rule.keywords.length === 0),
    work: { trials: 0, characters: 0 },
  };
}

export function findSecrets(text: string, ruleSet: RuleSet = bundledRuleSet()): Secret[] {
  const claims: Claim[] = [];
  const views = viewsOf(text);
  for (const view of views) collectClaims(view, ruleSet, claims);
  const innermost = views.at(-1);
  if (innermost !== undefined) collectEncoded(innermost, ruleSet, claims);
  return settleClaims(text, sparePlaceholders(text, claims));
}

/** If base64 or hex digits hold a secret, all of them count as the secret. */
function collectEncoded(view: View, ruleSet: RuleSet, claims: Claim[]): void {
  for (const { start, end, text } of encodedParts(view.text)) {
    const inside: Claim[] = [];
    for (const inner of viewsOf(text)) collectClaims(inner, ruleSet, inside);
    const [first] = sparePlaceholders(text, inside).sort((a, b) => b.rank - a.rank);
    if (first === undefined) continue;
    const value = view.text.slice(start, end);
    claims.push({ ...first, start: view.sourceStart(start), end: view.sourceEnd(end), value });
  }
}

let bundled: RuleSet | undefined;

function bundledRuleSet(): RuleSet {
  bundled ??= makeRuleSet();
  return bundled;
}

const ranks = { form: 4, place: 3, line: 2, name: 1 } as const;

function prepareRule(rule: SecretRule): PreparedRule {
  const flags = new Set([...rule.pattern.flags, rule.window === true ? 'g' : 'y', 'd']);
  return { rule, pattern: new RegExp(rule.pattern.source, [...flags].join('')), rank: ranks[rule.certainty] };
}

function collectClaims(view: View, { scanner, everywhere, allows, work }: RuleSet, claims: Claim[]): void {
  const { text } = view;
  work.characters += text.length;
  const claim = ({ rule, rank }: PreparedRule, match: RegExpExecArray, offset: number): void => {
    for (const span of spansOf(rule, match)) {
      const [from, to] = [span[0] + offset, span[1] + offset];
      const value = text.slice(from, to);
      if (from === to || rule.check?.(value) === false || allows(value)) continue;
      // A user's rule may match anything, also a placeholder.
      if (rule.window === true && holdsPlaceholder(value)) continue;
      claims.push({ kind: rule.kind, start: view.sourceStart(from), end: view.sourceEnd(to), value, rank });
    }
  };
  const windows = new WindowTrials(text, work, claim);
  scanner.scan(text, (owner, at) => {
    if (owner.rule.window === true) windows.tryAround(owner, at);
    else tryAt(owner, text, at, work, claim);
  });
  for (const owner of everywhere) windows.tryAll(owner);
}

type OnMatch = (owner: PreparedRule, match: RegExpExecArray, offset: number) => void;

function tryAt(owner: PreparedRule, text: string, at: number, work: RuleSet['work'], onMatch: OnMatch): void {
  const { rule, pattern } = owner;
  for (const lead of rule.lead ?? noLead) {
    const start = at - lead;
    if (start < 0 || (rule.inWord !== true && isWordBefore(text, start))) continue;
    work.trials++;
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    if (match === null) continue;
    onMatch(owner, match, 0);
    return;
  }
}

const step = 512;

/** Windows of 1,536 characters on a grid of 512, so that the cost of a pattern does not grow with the text. */
class WindowTrials {
  private readonly done = new Map<PreparedRule, number>();

  constructor(
    private readonly text: string,
    private readonly work: RuleSet['work'],
    private readonly onMatch: OnMatch,
  ) {}

  tryAround(owner: PreparedRule, at: number): void {
    const place = Math.floor(at / step);
    const first = Math.max(0, place - 1, (this.done.get(owner) ?? -1) + 1);
    this.tryWindows(owner, first, place);
    this.done.set(owner, place);
  }

  tryAll(owner: PreparedRule): void {
    this.tryWindows(owner, 0, Math.ceil(this.text.length / step) - 1);
  }

  /** A match at the edge may be incomplete; the next window has all of it. */
  private tryWindows(owner: PreparedRule, first: number, last: number): void {
    const starts: number[] = [];
    for (let window = first; window <= last; window++) starts.push(Math.max(0, (window - 1) * step));
    const texts = starts.map((start, i) => this.text.slice(start, (first + i + 2) * step));
    this.work.trials += texts.length;
    for (const [i, matches] of matchWindows(owner.rule.kind, owner.pattern, texts).entries()) {
      const start = starts[i] ?? 0;
      const end = start + (texts[i]?.length ?? 0);
      for (const match of matches) {
        const cutLeft = match.index === 0 && start > 0;
        const cutRight = start + match.index + match[0].length === end && end < this.text.length;
        if (!cutLeft && !cutRight) this.onMatch(owner, match, start);
      }
    }
  }
}

const noLead: readonly number[] = [0];

function isWordBefore(text: string, at: number): boolean {
  if (at === 0) return false;
  const code = text.charCodeAt(at - 1);
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function spansOf(rule: SecretRule, match: RegExpExecArray): (readonly [number, number])[] {
  const indices = match.indices ?? [];
  const whole = rule.grouped === true ? indices.slice(1).find((span) => span !== undefined) : indices[0];
  if (whole === undefined) return [];
  if (rule.each === undefined) return [whole];
  const inside = match.input.slice(whole[0], whole[1]);
  return [...inside.matchAll(new RegExp(rule.each.source, 'dg'))].flatMap((found) => {
    const span = found.indices?.[1];
    return span === undefined ? [] : [[whole[0] + span[0], whole[0] + span[1]] as const];
  });
}

function settleClaims(text: string, claims: Claim[]): Secret[] {
  claims.sort((a, b) => a.start - b.start || b.end - a.end || b.rank - a.rank);
  const settled: Claim[] = [];
  for (const claim of claims) {
    const last = settled.at(-1);
    if (last !== undefined && claim.start < last.end) settled[settled.length - 1] = unite(text, last, claim);
    else settled.push(claim);
  }
  return settled.map(({ kind, start, end, value }) => ({ kind, start, end, value }));
}

function unite(text: string, first: Claim, second: Claim): Claim {
  const end = Math.max(first.end, second.end);
  const { kind, rank } = second.rank > first.rank ? second : first;
  const value = end === first.end ? first.value : text.slice(first.start, end);
  return { kind, rank, start: first.start, end, value };
}
