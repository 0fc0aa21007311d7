// Decides by rules, folders and mode whether a call may run, with a readable reason and the rules that would have
// allowed it. Deny wins over ask, ask wins over allow.

import path from 'node:path';
import { asString, isObject, type JsonObject } from '../../base/json/index.ts';
import { neutralise } from '../../base/text/index.ts';
import { matchesHost, matchesText } from '../access/index.ts';
import type {
  Decision,
  PathPolicy,
  PermissionJudge,
  PermissionMode,
  RuleChange,
  RuleOffer,
  RuleText,
  ToolCallView,
} from '../contract/index.ts';
import { judgePath, makePlaces, makePolicy } from './path.ts';
import { allow, ask, combineRulings, fromRule, parseRule, type Rule, type RuleKind, type Ruling } from './rule.ts';
import { judgeShell, type SandboxUse, type ShellContext } from './shell.ts';

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
  /** Changes the rules of this run. */
  changeRules(change: RuleChange): void;
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
  let version = 0;
  return {
    problems,
    policy: makePolicy(places, rules, () => version),
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
        version++;
        if (offer.scope === 'local') await options.keepLocalRule?.(text);
      }
    },
    changeRules(change) {
      changeRules(rules, change);
      version++;
    },
  };
}

/** Changes the list itself: the policy of the sandbox reads it too. */
function changeRules(rules: Rule[], { how, kind, texts, source }: RuleChange): void {
  const added = texts.flatMap((text) => parseRule(text, kind, source) ?? []);
  const isRemoved = (rule: Rule): boolean => {
    if (how === 'add' || rule.kind !== kind) return false;
    return how === 'replace' ? rule.source === source : added.some(({ text }) => text === rule.text);
  };
  const kept = rules.filter((rule) => !isRemoved(rule));
  rules.splice(0, rules.length, ...kept, ...(how === 'remove' ? [] : added));
}

const noSandbox: SandboxUse = { isAvailable: false, runsUnasked: true, mayLeave: true, excluded: [] };

function decide(ruling: Ruling, mode: PermissionMode, offer: () => readonly RuleOffer[]): Decision {
  const { kind } = ruling;
  const why = sayShortly(ruling.why);
  if (kind === 'deny') return { kind, why };
  // As the client: whoever wrote an ask rule wants to be asked in every mode.
  if (mode === 'bypassPermissions')
    return ruling.isAskedByRule
      ? { kind: 'ask', why, always: [], isByRule: true }
      : { kind: 'allow', why: 'permissions are bypassed' };
  if (mode === 'plan' && !ruling.isRead)
    return {
      kind: 'deny',
      why: `plan mode only reads, and this ${kind === 'ask' ? `would need a person: ${why}` : 'may change something'}`,
    };
  const confinement = mode === 'plan' ? 'read-only' : ruling.confinement;
  const confined = confinement === undefined ? {} : { confinement };
  if (kind === 'allow') return { kind, why, ...confined };
  if (mode === 'dontAsk') return { kind: 'deny', why: `nobody is asked in this mode: ${why}` };
  return { kind: 'ask', why, always: offer(), ...confined, ...(ruling.isAskedByRule ? { isByRule: true } : {}) };
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

// A call of any tool → a ruling, by what it touches: a shell, a file, a host, a server or an agent.

export interface ToolContext extends Omit<ShellContext, 'leaves'> {
  /** Reported by the tool. */
  readonly isReadOnly: boolean;
}

const readers: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob', 'LS', 'NotebookRead']);
const writers: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);
/** They touch only the session, or ask the user themselves. */
const free: ReadonlySet<string> = new Set(
  (
    'TodoWrite TodoRead AskUserQuestion ExitPlanMode EnterPlanMode BashOutput TaskOutput KillShell TaskStop ' +
    'ListMcpResourcesTool ToolSearch TaskCreate TaskUpdate TaskList TaskGet'
  ).split(' '),
);

function judgeTool(name: string, input: JsonObject, context: ToolContext): Ruling {
  const { rules, isReadOnly } = context;
  const stopped = wholeRule('deny', name, rules) ?? wholeRule('ask', name, rules);
  if (stopped?.kind === 'deny') return fromRule(stopped, name, isReadOnly);
  const ruling = judgeParts(name, input, context);
  return stopped === undefined ? ruling : combineRulings([fromRule(stopped, name, isReadOnly), ruling]);
}

function judgeParts(name: string, input: JsonObject, context: ToolContext): Ruling {
  if (name === 'Bash') return judgeBash(input, context);
  if (readers.has(name)) return judgeReader(name, input, context);
  if (writers.has(name)) return judgeWriter(name, input, context);
  if (name === 'WebFetch') return judgeFetch(input, context);
  const subject = subjectOf(name, input);
  const ruled = subjectRule(name, subject, context);
  if (ruled !== undefined) return ruled;
  if (free.has(name)) return allow(`${name} only touches the session`, true);
  if (name === 'Task' || name === 'Agent') return allow('what the agent does is judged call by call', true);
  if (name === 'WebSearch') return ask('searches the web', true, ['WebSearch']);
  if (name === 'Skill')
    return ask(`uses the skill ${subject ?? ''}`, true, /^[\w:.-]+$/.test(subject ?? '') ? [`Skill(${subject})`] : []);
  if (name === 'ReadMcpResourceTool')
    return ask(`reads ${asString(input.uri) ?? 'a resource'} from a server`, true, [name]);
  // Trusted for our own tools, not for those of a server.
  if (name.startsWith('mcp__'))
    return ask(`calls ${name}, a tool of a server`, context.isReadOnly, /^[\w-]+$/.test(name) ? [name] : []);
  return context.isReadOnly
    ? allow(`${name} only reads`, true)
    : ask(`uses ${name}`, false, /^\w+$/.test(name) ? [name] : []);
}

function judgeBash(input: JsonObject, context: ToolContext): Ruling {
  const command = asString(input.command);
  if (command === undefined) return ask('it names no command', false);
  return judgeShell(command, { ...context, leaves: input.dangerouslyDisableSandbox === true });
}

function judgeReader(name: string, input: JsonObject, context: ToolContext): Ruling {
  const pattern = name === 'Glob' ? (asString(input.pattern) ?? '') : '';
  const judge = (file: string): Ruling => judgeFile('read', ['Read', name], file, context);
  // A pattern may lead out of the searched folder.
  const roams = pattern.split('/').includes('..') || /[{,]\s*(?:\/|\.\.)/.test(pattern);
  const start = pattern.startsWith('/') || pattern.startsWith('~') ? [judge(staticFolder(pattern))] : [];
  const elsewhere = roams ? [ask(`searches elsewhere: ${pattern}`, true)] : [];
  return combineRulings([judge(fileOf(input) ?? asString(input.path) ?? '.'), ...start, ...elsewhere]);
}

function fileOf(input: JsonObject): string | undefined {
  return asString(input.file_path) ?? asString(input.notebook_path);
}

function judgeFile(access: 'read' | 'write', tools: readonly string[], file: string, context: ToolContext): Ruling {
  return judgePath({ access, tools, file, cwds: [...new Set([context.places.projectDir, context.cwd])] }, context);
}

function staticFolder(pattern: string): string {
  const star = pattern.search(/[*?[{]/);
  return star < 0 ? pattern : path.dirname(`${pattern.slice(0, star)}x`);
}

function judgeWriter(name: string, input: JsonObject, context: ToolContext): Ruling {
  const file = fileOf(input);
  return file === undefined ? ask('it names no file', false) : judgeFile('write', ['Edit', name], file, context);
}

function judgeFetch(input: JsonObject, context: ToolContext): Ruling {
  const host = hostOf(asString(input.url) ?? '');
  if (host === undefined) return ask('its address is not clear', true);
  const isHit = ({ specifier }: Rule): boolean =>
    specifier === undefined || (specifier.startsWith('domain:') && matchesHost(specifier.slice(7).toLowerCase(), host));
  const rule = firstRule('WebFetch', isHit, context.rules);
  return rule === undefined
    ? ask(`fetches from ${host}`, true, [`WebFetch(domain:${host})`])
    : fromRule(rule, `fetching from ${host}`, true);
}

function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, username } = new URL(url);
  // A user name before the @ can look like a host.
  const isClear = /^https?:$/.test(protocol) && username === '' && hostname !== '';
  return isClear ? hostname.toLowerCase().replace(/\.$/, '') : undefined;
}

function subjectOf(name: string, input: JsonObject): string | undefined {
  if (name === 'Task' || name === 'Agent') return asString(input.subagent_type);
  if (name === 'Skill') return asString(input.skill) ?? asString(input.command);
  return undefined;
}

function subjectRule(
  name: string,
  subject: string | undefined,
  { rules, isReadOnly }: ToolContext,
): Ruling | undefined {
  const tool = name === 'Agent' ? 'Task' : name;
  const isHit = ({ kind, specifier }: Rule): boolean => {
    if (specifier === undefined) return true;
    // A specifier without a known meaning denies everything and allows nothing.
    if (tool !== 'Task' && tool !== 'Skill') return kind !== 'allow';
    const wanted = specifier.replace(/(?:\s|:)\*$/, '');
    return subject !== undefined && (matchesText(specifier, subject) || wanted === subject);
  };
  const rule = firstRule(tool, isHit, rules);
  return rule && fromRule(rule, subject === undefined ? name : `${name} ${subject}`, isReadOnly || tool === 'Task');
}

function firstRule(tool: string, isHit: (rule: Rule) => boolean, rules: readonly Rule[]): Rule | undefined {
  const hits = rules.filter((rule) => namesTool(rule, tool) && isHit(rule));
  return (['deny', 'ask', 'allow'] as const).flatMap((kind) => hits.filter((rule) => rule.kind === kind))[0];
}

function wholeRule(kind: RuleKind, name: string, rules: readonly Rule[]): Rule | undefined {
  const tool = name === 'Agent' ? 'Task' : name;
  const family = writers.has(name) ? [tool, 'Edit'] : readers.has(name) ? [tool, 'Read'] : [tool];
  return rules.find(
    (rule) => rule.kind === kind && rule.specifier === undefined && family.some((each) => namesTool(rule, each)),
  );
}

/** `mcp__server` names every tool of the server; stars work only within such names. */
function namesTool({ tool, kind }: Rule, name: string): boolean {
  if (tool === name) return true;
  if (!name.startsWith('mcp__') || !tool.startsWith('mcp__')) return tool === '*' && kind !== 'allow';
  if (tool.includes('*')) return (kind !== 'allow' || /^mcp__[^*]+__/.test(tool)) && matchesText(tool, name);
  return !tool.slice(5).includes('__') && name.startsWith(`${tool}__`);
}
