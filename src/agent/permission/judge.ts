// Decides by rules, folders and mode whether a call may run, with a readable reason and the rules that would have
// allowed it. Deny wins over ask, ask wins over allow.

import { isObject } from '../../base/json/json.ts';
import { neutralise } from '../../base/text/hostile-text.ts';
import type { PathPolicy } from '../contract/confinement.ts';
import type { ToolCallView } from '../contract/event.ts';
import type { Decision, PermissionJudge, RuleOffer, RuleText } from '../contract/permission.ts';
import type { PermissionMode } from '../contract/permission-mode.ts';
import { judgeTool } from './judge-tool.ts';
import { makePlaces, makePolicy } from './path.ts';
import { parseRule, type Rule } from './rule.ts';
import type { Ruling } from './ruling.ts';
import type { SandboxUse } from './shell.ts';

export interface JudgeOptions {
  readonly projectDir: string;
  readonly home: string;
  /** The user's `.claude` folder: never written without asking. */
  readonly root?: string;
  readonly extraDirs?: readonly string[];
  /** Readable without asking: the agent's own stored results. */
  readonly readableDirs?: readonly string[];
  /** From flags and settings. */
  readonly rules: readonly RuleText[];
  /** Without a sandbox only trivially simple commands run without asking. */
  readonly sandbox?: SandboxUse;
  /** Writes a rule to `.claude/settings.local.json`. */
  readonly keepLocalRule?: (rule: string) => Promise<void>;
}

/** `problems`: texts that are not rules, for a notice. `rules`: all current rules. */
export interface Judge extends PermissionJudge {
  readonly problems: readonly string[];
  readonly rules: readonly RuleText[];
  /** Files that commands and searches may not see or change. */
  readonly policy: PathPolicy;
  /** A judge with more rules; this one does not change. */
  withRules(more: readonly RuleText[]): Judge;
}

type Where = Parameters<PermissionJudge['judge']>[1];

export function makeJudge(options: JudgeOptions): Judge {
  const { projectDir, home, root, extraDirs = [], readableDirs = [] } = options;
  const places = makePlaces({ projectDir, home, root, extraDirs, readableDirs });
  const read = options.rules.map((each) => ({ each, rule: parseRule(each.text, each.kind, each.source) }));
  const rules: Rule[] = read.flatMap(({ rule }) => rule ?? []);
  const problems = read.flatMap(({ each, rule }) =>
    rule === undefined ? [`"${each.text}" in ${each.source} is not a permission rule and is ignored`] : [],
  );
  // One choice on the screen may contain a rule for each part of a command.
  const offered = new Map<string, readonly string[]>();
  const rule = (call: ToolCallView, where: Where, list: readonly Rule[]): Ruling => {
    const context = { ...where, places, rules: list, sandbox: options.sandbox ?? noSandbox };
    return judgeTool(call.name, isObject(call.input) ? call.input : {}, context);
  };
  return {
    problems,
    policy: makePolicy(places, rules),
    get rules() {
      return rules;
    },
    withRules: (more) => makeJudge({ ...options, rules: [...rules, ...more] }),
    judge(call, where) {
      const ruling = rule(call, where, rules);
      const isEnough = (texts: readonly string[]): boolean => {
        const more = texts.flatMap((text) => parseRule(text, 'allow', 'this session') ?? []);
        return rule(call, where, [...rules, ...more]).kind === 'allow';
      };
      return decide(ruling, where.mode, () => makeOffers(call, ruling, isEnough, offered));
    },
    async addRule(offer) {
      for (const text of offered.get(offer.rule) ?? [offer.rule]) {
        const added = parseRule(text, 'allow', offer.scope === 'local' ? 'local settings' : 'this session');
        if (added === undefined) continue;
        rules.push(added);
        if (offer.scope === 'local') await options.keepLocalRule?.(text);
      }
    },
  };
}

const noSandbox: SandboxUse = { isAvailable: false, runsUnasked: true, mayLeave: true, excluded: [] };

function decide(ruling: Ruling, mode: PermissionMode, offer: () => readonly RuleOffer[]): Decision {
  const { kind } = ruling;
  const why = sayShortly(ruling.why);
  if (kind === 'deny') return { kind, why };
  if (mode === 'bypassPermissions') return { kind: 'allow', why: 'permissions are bypassed' };
  if (mode === 'plan' && !ruling.isRead)
    return {
      kind: 'deny',
      why: `plan mode only reads, and this ${kind === 'ask' ? `would need a person: ${why}` : 'may change something'}`,
    };
  const confinement = mode === 'plan' ? 'read-only' : ruling.confinement;
  const confined = confinement === undefined ? {} : { confinement };
  if (kind === 'allow') return { kind, why, ...confined };
  if (mode === 'dontAsk') return { kind: 'deny', why: `nobody is asked in this mode: ${why}` };
  return { kind: 'ask', why, always: offer(), ...confined };
}

/** A reason quotes commands and paths of the model: one line, without terminal sequences. */
function sayShortly(why: string): string {
  const line = neutralise(why).replace(/\s+/g, ' ');
  return line.length <= maxWhy ? line : `${line.slice(0, maxWhy).toWellFormed()}…`;
}

const maxWhy = 400;

/** Only rules that would have allowed the call; rules for commands can be stored, rules for files last for the session. */
function makeOffers(
  call: ToolCallView,
  { offers }: Ruling,
  isEnough: (texts: readonly string[]) => boolean,
  offered: Map<string, readonly string[]>,
): readonly RuleOffer[] {
  if (offers.length === 0 || offers.length > 5 || !isEnough(offers)) return [];
  const rule = offers.join(' and ');
  // The user cannot agree to a rule that cannot be shown as it is.
  if (neutralise(rule) !== rule || rule.includes('\n')) return [];
  offered.set(rule, offers);
  const isFile = offers.some((text) => /^(?:Read|Edit)\(/.test(text)) || call.name === 'Read';
  const session: RuleOffer = { rule, scope: 'session' };
  return isFile ? [session] : [session, { rule, scope: 'local' }];
}
