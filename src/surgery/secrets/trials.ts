// Tries the pattern of a rule at a keyword in a text. Patterns of users are tried in windows, with a limit of time.
import vm from 'node:vm';
import { UserError } from '../../base/errors/index.ts';
import { holdsPlaceholder } from './encoded-text.ts';
import type { SecretRule } from './rules/index.ts';
import { compilePattern, type TableRule } from './scan/index.ts';

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

export interface PreparedRule {
  readonly rule: SecretRule;
  readonly pattern: RegExp;
  readonly rank: number;
}

const ranks = { form: 4, place: 3, line: 2, name: 1 } as const;

export function prepareRule(rule: SecretRule): PreparedRule {
  const flags = new Set([...rule.pattern.flags, rule.window === true ? 'g' : 'y', 'd']);
  const pattern = new RegExp(rule.pattern.source, [...flags].join(''));
  return { rule, pattern, rank: ranks[rule.certainty] };
}

const places = new WeakMap<SecretRule, TableRule | null>();

/** Where the pattern of a rule may match at all; `undefined` if every place of its keywords must be tried. */
export function placesOf(rule: SecretRule): TableRule | undefined {
  let known = places.get(rule);
  if (known === undefined) {
    const program = rule.window === true ? undefined : compilePattern(rule.pattern);
    known = program === undefined ? null : { program, leads: rule.lead ?? noLead, inWord: rule.inWord === true };
    places.set(rule, known);
  }
  return known ?? undefined;
}

/** How many characters before and after a keyword decide whether and what the pattern matches. */
export function reachOf(rule: SecretRule): { readonly before: number; readonly after: number } {
  const program = placesOf(rule)?.program;
  if (program === undefined) return { before: Number.POSITIVE_INFINITY, after: Number.POSITIVE_INFINITY };
  return { before: program.before + Math.max(...(rule.lead ?? noLead)), after: program.after };
}

/** What the trials of a text need of a rule set. */
interface TrialRules {
  readonly allows: (value: string) => boolean;
  readonly everywhere: readonly PreparedRule[];
  readonly work: { trials: number; characters: number };
}

/** The trials in one text. Calls `onClaim` for each value that a rule accepts. */
export class Trials {
  private readonly windows: WindowTrials;

  constructor(
    private readonly text: string,
    private readonly rules: TrialRules,
    private readonly onClaim: (owner: PreparedRule, from: number, to: number) => void,
  ) {
    rules.work.characters += text.length;
    this.windows = new WindowTrials(text, rules.work, (owner, match, offset) => this.claim(owner, match, offset));
  }

  /** At a keyword of the rule. */
  tryAt(owner: PreparedRule, at: number): void {
    if (owner.rule.window === true) this.windows.tryAround(owner, at);
    else this.tryPattern(owner, at);
  }

  /** Rules without keywords. */
  tryEverywhere(): void {
    for (const owner of this.rules.everywhere) this.windows.tryAll(owner);
  }

  private tryPattern(owner: PreparedRule, at: number): void {
    const { rule, pattern } = owner;
    for (const lead of rule.lead ?? noLead) {
      const start = at - lead;
      if (start < 0 || (rule.inWord !== true && isWordBefore(this.text, start))) continue;
      this.rules.work.trials++;
      pattern.lastIndex = start;
      const match = pattern.exec(this.text);
      if (match === null) continue;
      this.claim(owner, match, 0);
      return;
    }
  }

  private claim(owner: PreparedRule, match: RegExpExecArray, offset: number): void {
    const { rule } = owner;
    for (const span of spansOf(rule, match)) {
      const [from, to] = [span[0] + offset, span[1] + offset];
      const value = this.text.slice(from, to);
      if (from === to || rule.check?.(value) === false || this.rules.allows(value)) continue;
      // A user's rule may match anything, also a placeholder.
      if (rule.window === true && holdsPlaceholder(value)) continue;
      this.onClaim(owner, from, to);
    }
  }
}

type OnMatch = (owner: PreparedRule, match: RegExpExecArray, offset: number) => void;

const step = 512;

/** Windows of 1,536 characters on a grid of 512, so that the cost of a pattern does not grow with the text. */
class WindowTrials {
  private readonly done = new Map<PreparedRule, number>();

  constructor(
    private readonly text: string,
    private readonly work: TrialRules['work'],
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
