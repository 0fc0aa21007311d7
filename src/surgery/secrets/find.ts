// A text and rules → the secrets in it, from left to right, none touching another. Every layer of escaping is looked
// at; where two rules claim the same characters the union is cut out, under the name of the more certain one.
import { KeywordScanner } from './keyword-scanner.ts';
import type { SecretRule } from './rule.ts';
import { placeRules } from './rules-place.ts';
import { platformRules } from './rules-platform.ts';
import { serviceRules } from './rules-service.ts';
import { type View, viewsOf } from './view.ts';

export interface Secret {
  readonly kind: string;
  /** UTF-16 offsets in the text that was asked about; only the secret, not the name it is assigned to. */
  readonly start: number;
  readonly end: number;
  /** Without the escapes it is written with. */
  readonly value: string;
}

export const bundledRules: readonly SecretRule[] = [...platformRules, ...serviceRules, ...placeRules];

/** Rules made ready to search with; make it once and use it for every text. */
export interface RuleSet {
  readonly rules: readonly SecretRule[];
  /** Values a user declared harmless. */
  readonly allows: (value: string) => boolean;
  readonly scanner: KeywordScanner<PreparedRule>;
  /** Counts pattern trials and the characters scanned, so that a test can say what a text costs. */
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
  const keywords = rules.flatMap((rule) => {
    const owner = prepareRule(rule);
    return [...new Set(rule.keywords)].map((text) => ({ text, exact: rule.exact === true, owner }));
  });
  return { rules, allows, scanner: new KeywordScanner(keywords), work: { trials: 0, characters: 0 } };
}

export function findSecrets(text: string, ruleSet: RuleSet = bundledRuleSet()): Secret[] {
  const claims: Claim[] = [];
  for (const view of viewsOf(text)) collectClaims(view, ruleSet, claims);
  return settleClaims(text, claims);
}

let bundled: RuleSet | undefined;

function bundledRuleSet(): RuleSet {
  bundled ??= makeRuleSet();
  return bundled;
}

const ranks = { form: 3, place: 2, name: 1 } as const;

function prepareRule(rule: SecretRule): PreparedRule {
  const flags = new Set([...rule.pattern.flags, 'y', 'd']);
  return { rule, pattern: new RegExp(rule.pattern.source, [...flags].join('')), rank: ranks[rule.certainty] };
}

function collectClaims(view: View, { scanner, allows, work }: RuleSet, claims: Claim[]): void {
  const { text } = view;
  work.characters += text.length;
  scanner.scan(text, (owner, at) => {
    const { rule, pattern, rank } = owner;
    for (const lead of rule.lead ?? noLead) {
      const start = at - lead;
      if (start < 0 || (rule.inWord !== true && isWordBefore(text, start))) continue;
      work.trials++;
      pattern.lastIndex = start;
      const match = pattern.exec(text);
      if (match === null) continue;
      for (const [from, to] of spansOf(rule, match)) {
        const value = text.slice(from, to);
        if (rule.check?.(value) === false || allows(value)) continue;
        claims.push({ kind: rule.kind, start: view.sourceStart(from), end: view.sourceEnd(to), value, rank });
      }
      break;
    }
  });
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
