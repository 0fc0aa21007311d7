// A call of any tool → a ruling, by what it touches: a shell, a file, a host, a server or an agent.
import path from 'node:path';
import { asString, type JsonObject } from '../../base/json/json.ts';
import { matchesHost, matchesText } from '../access/wildcard.ts';
import { judgePath } from './path.ts';
import type { Rule, RuleKind } from './rule.ts';
import { allow, ask, combineRulings, fromRule, type Ruling } from './ruling.ts';
import { judgeShell, type ShellContext } from './shell.ts';

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

export function judgeTool(name: string, input: JsonObject, context: ToolContext): Ruling {
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
