// Finds the secrets in a text, from left to right, without overlaps, in every layer of escaping. If two rules match the same
// characters, the result is their union, with the kind of the more certain rule.
import { encodedParts, sparePlaceholders } from './encoded-text.ts';
import {
  codeRules,
  commandRules,
  namedValueRules,
  placeRules,
  platformRules,
  type SecretRule,
  serviceRules,
} from './rules/index.ts';
import { type PreparedRule, placesOf, prepareRule, Trials } from './trials.ts';
import { KeywordScanner, type View, viewsOf } from './view.ts';

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
    scanner: new KeywordScanner(keywords, ({ rule }) => placesOf(rule)),
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

function collectClaims(view: View, ruleSet: RuleSet, claims: Claim[]): void {
  const { text } = view;
  const trials = new Trials(text, ruleSet, ({ rule, rank }, from, to) => {
    const value = text.slice(from, to);
    claims.push({ kind: rule.kind, start: view.sourceStart(from), end: view.sourceEnd(to), value, rank });
  });
  ruleSet.scanner.scan(text, (owner, at) => trials.tryAt(owner, at));
  trials.tryEverywhere();
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
