// A Bash call → a ruling. Deny and ask rules come first, then allow rules. Without a matching rule the command runs in
// the sandbox or, if there is none, only if it is trivially simple.
import path from 'node:path';
import { judgePath, type PathContext } from './path.ts';
import { allow, ask, combineRulings, fromRule, type Rule, type Ruling } from './rule.ts';
import {
  allowText,
  denyTexts,
  isHarmless,
  matchesCommand,
  nameOf,
  needsMore,
  offerRules,
  parseShell,
  type Redirect,
  reachable,
  runsCommands,
  type ShellCommand,
  type ShellScript,
  unwrap,
} from './shell-command.ts';

/** What the sandbox of this machine and the `sandbox` settings offer. */
export interface SandboxUse {
  readonly isAvailable: boolean;
  /** `autoAllowBashIfSandboxed` */
  readonly runsUnasked: boolean;
  /** `allowUnsandboxedCommands` */
  readonly mayLeave: boolean;
  /** Whether `network.allowedDomains` names any. */
  readonly hasNetwork?: boolean;
  /** `excludedCommands` */
  readonly excluded: readonly string[];
}

export interface ShellContext extends PathContext {
  readonly cwd: string;
  readonly sandbox: SandboxUse;
  /** `dangerouslyDisableSandbox`: the model wants to run it outside the sandbox. */
  readonly leaves: boolean;
}

export function judgeShell(text: string, context: ShellContext): Ruling {
  const script = parseShell(text);
  const stops = [...script.commands.flatMap((each) => findStop(each, context)), ...findDeniedFiles(script, context)];
  if (stops.length > 0) return combineRulings(stops);
  const ruled = judgeByRules(text, script, context);
  // In plan mode no rule lets a command out of the sandbox.
  if (ruled.kind === 'allow' && context.mode !== 'plan') return ruled;
  const unruled = judgeUnruled(text, script, context);
  if (unruled.kind === 'allow' || unruled.isRead || ruled.kind === 'allow') return unruled;
  const isLeaving = context.leaves && context.sandbox.isAvailable;
  return isLeaving ? { ...ruled, why: `runs outside the sandbox: ${ruled.why}` } : ruled;
}

function judgeUnruled(text: string, { commands }: ShellScript, context: ShellContext): Ruling {
  const { sandbox, mode } = context;
  const isPlan = mode === 'plan';
  const here = judgeRead('.', [context.cwd], context);
  if (!sandbox.isAvailable || !(sandbox.runsUnasked || isPlan)) {
    const reads = simpleReads(text)?.map((file) => judgeRead(file, [context.cwd], context));
    if (reads === undefined) return ask('it is not trivially simple', false);
    return combineRulings([allow('it is simple and only reads', true), here, ...reads]);
  }
  const isExcluded = commands.some((command) => sandbox.excluded.some((pattern) => isMeant(pattern, command)));
  if (!isPlan && (isExcluded || (context.leaves && sandbox.mayLeave))) return ask('runs outside the sandbox', false);
  if (here.kind !== 'allow') return here;
  const canWrite = mode === 'acceptEdits';
  const more = isPlan ? undefined : needsMore(commands, canWrite, canWrite && sandbox.hasNetwork === true);
  if (more !== undefined) return ask(more, false);
  return canWrite
    ? { ...allow('it runs in a sandbox that can only change the project', false), confinement: 'workspace' }
    : { ...allow('it runs in a sandbox that changes nothing', true), confinement: 'read-only' };
}

function isMeant(pattern: string, command: ShellCommand): boolean {
  const prefix = `${pattern.replace(/(?::| )\*$/, '')}:*`;
  return denyTexts(command).some((text) => matchesCommand(prefix, text));
}

function judgeRead(file: string, cwds: readonly string[], context: PathContext): Ruling {
  return judgePath({ access: 'read', tools: ['Read'], file, cwds }, context);
}

function judgeByRules(text: string, script: ShellScript, context: ShellContext): Ruling {
  const { commands, isPlain } = script;
  const allows = context.rules.filter(({ tool, kind }) => tool === 'Bash' && kind === 'allow');
  // A part that is known only at run time could be what a rule denies. A sandbox hides denied files.
  const isRestricted = context.rules.some(
    ({ kind, tool }) => kind !== 'allow' && (tool === 'Bash' || !context.sandbox.isAvailable),
  );
  const whole = allows.find(({ specifier }) => specifier === text.trim() || (specifier === undefined && !isRestricted));
  if (whole !== undefined) return fromRule(whole, text, false);
  if (!isPlain) return ask(unknown, false);
  if (commands.length === 0) return allow('there is nothing to run', true);
  const needing = commands.filter((command) => !isFree(command, commands, context));
  const rulings = (needing.length > 0 ? needing : commands).map((outer) => {
    const command = unwrap(outer);
    const rule = findAllow(command, allows, isRestricted);
    return rule === undefined ? ask(describe(command), false, offerRules(command)) : fromRule(rule, text, false);
  });
  const cwds = foldersOf(commands, context.cwd);
  const redirects = commands.flatMap((command) => command.redirects.map((each) => judgeRedirect(each, cwds, context)));
  return combineRulings([...redirects, ...rulings]);
}

function judgeRedirect(
  { access, target }: Redirect,
  cwds: readonly string[] | undefined,
  context: PathContext,
): Ruling {
  const isRead = access === 'read';
  if (!target.isLiteral || cwds === undefined)
    return ask(`${access}s ${target.raw}, which is known only when it runs`, isRead);
  return judgePath({ access, tools: isRead ? ['Read'] : ['Edit', 'Write'], file: target.value, cwds }, context);
}

const unknown = 'what it does is known only when it runs';

function describe(command: ShellCommand): string {
  const [head] = command.words;
  const variable = command.assignments.find((word) => !isHarmless(word))?.raw.replace(/\+?=.*$/s, '');
  if (head === undefined) return `sets ${variable ?? 'variables'}`;
  if (!head.isLiteral) return `what runs depends on ${head.raw}`;
  return `runs ${nameOf(command)}${variable === undefined ? '' : ` with ${variable} set`}`;
}

/** A trivially simple part needs no rule if the other parts have one. */
function isFree({ words, assignments }: ShellCommand, all: readonly ShellCommand[], context: ShellContext) {
  const cwds = foldersOf(all, context.cwd);
  if (cwds === undefined || !assignments.every(isHarmless)) return false;
  const files = simpleReads(words.map(({ raw }) => raw).join(' '));
  return files !== undefined && ['.', ...files].every((file) => judgeRead(file, cwds, context).kind === 'allow');
}

/** The working directories while the text runs; `undefined` after several moves or one that is not literal. */
function foldersOf(commands: readonly ShellCommand[], cwd: string): readonly string[] | undefined {
  const moves = commands.filter((command) => /^(?:cd|pushd|popd)$/.test(nameOf(command)));
  const [goal] = moves.map(({ words }) => words);
  if (goal === undefined) return [cwd];
  const isClear = moves.length === 1 && goal.length === 2 && goal[0]?.value === 'cd' && goal[1]?.isLiteral === true;
  return isClear ? [cwd, path.resolve(cwd, goal[1]?.value ?? '')] : undefined;
}

/** An allow rule for a command that runs commands must name what it runs. */
function findAllow(command: ShellCommand, allows: readonly Rule[], isRestricted: boolean): Rule | undefined {
  const { words } = command;
  if (words[0]?.isLiteral !== true) return undefined;
  if (isRestricted && words.some(({ isLiteral }) => !isLiteral)) return undefined;
  const text = allowText(command);
  return allows.find(({ specifier }) => {
    if (specifier === undefined) return !isRestricted || !runsCommands(command);
    const isNarrow = !specifier.includes('*') || /^\S+ \S.*[ :*]\*$/.test(specifier);
    return matchesCommand(specifier, text) && (isNarrow || !runsCommands(command));
  });
}

function findStop(command: ShellCommand, { rules }: PathContext): readonly Ruling[] {
  const texts = reachable(command).flatMap(denyTexts);
  const isHit = ({ specifier }: Rule): boolean =>
    specifier === undefined || texts.some((text) => matchesCommand(specifier, text));
  const hits = rules.filter((rule) => rule.tool === 'Bash' && rule.kind !== 'allow' && isHit(rule));
  return hits.map((rule) => fromRule(rule, texts[0] ?? '', false));
}

/** Files that the text names and a rule denies. A sandbox also hides them under any other name. */
function findDeniedFiles({ commands, isPlain }: ShellScript, context: ShellContext): readonly Ruling[] {
  if (!context.rules.some(({ kind, specifier }) => kind === 'deny' && specifier !== undefined)) return [];
  const cwds = foldersOf(commands, context.cwd) ?? [context.cwd];
  const rulings = commands.flatMap(({ words, redirects }) => {
    const changes = !isPlain || needsMore([{ words, redirects: [], assignments: [] }], false) !== undefined;
    const named = words.flatMap(({ value }) => [value, ...(/^-*\w[^=/]*=(.+)$/s.exec(value)?.slice(1) ?? [])]);
    const uses = [
      ...named.map((file) => ({ file, isChanged: changes })),
      ...redirects.map(({ access, target }) => ({ file: target.value, isChanged: access === 'write' })),
    ];
    return uses.map(({ file, isChanged }) => {
      const tools = isChanged ? ['Read', 'Edit', 'Write'] : ['Read'];
      return judgePath({ access: 'read', tools, file, cwds }, context);
    });
  });
  return rulings.filter(({ kind }) => kind === 'deny').slice(0, 1);
}

const word = String.raw`(?:[A-Za-z0-9_./=:@%+,-]+|'[A-Za-z0-9_./=:@%+, ^$*()[\]{}?|<>;&!#~-]*'|"[A-Za-z0-9_./=:@%+, -]*")`;
const pipeline = new RegExp(String.raw`^ *${word}(?: +${word})*(?: *\| *${word}(?: +${word})*)* *$`);

interface Program {
  readonly flags: RegExp;
  /** How many operands precede the files; `Infinity`: none is a file. */
  readonly texts: number;
}

const none = /^$/;
const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['ls', { flags: /^-[1aAdFhlrStR]+$/, texts: 0 }],
  ['cat', { flags: /^-[bEnsT]+$/, texts: 0 }],
  ['head', { flags: /^-(?:[nc]?\d+|[nc])$/, texts: 0 }],
  ['tail', { flags: /^-(?:[nc]?\d+|[nc])$/, texts: 0 }],
  ['wc', { flags: /^-[clmw]+$/, texts: 0 }],
  ['nl', { flags: none, texts: 0 }],
  ['stat', { flags: none, texts: 0 }],
  ['sort', { flags: /^-[bdfgnru]+$/, texts: 0 }],
  ['cut', { flags: /^-[dfc][\w,:-]*$/, texts: 0 }],
  ['grep', { flags: /^-(?:[EFHchilnoqsvwx]+|[ABC]\d+)$/, texts: 1 }],
  ['find', { flags: /^-(?:name|iname|type|maxdepth|mindepth|newer|size|empty)$/, texts: 0 }],
  ['uniq', { flags: /^-[cdiu]+$/, texts: Number.POSITIVE_INFINITY }],
  ['cd', { flags: none, texts: 0 }],
  ['pwd', { flags: none, texts: Number.POSITIVE_INFINITY }],
  ['echo', { flags: none, texts: Number.POSITIVE_INFINITY }],
  ['true', { flags: none, texts: Number.POSITIVE_INFINITY }],
  ['whoami', { flags: none, texts: Number.POSITIVE_INFINITY }],
]);

/** The files that a simple command reads; `undefined` for a command that is not simple. */
function simpleReads(text: string): readonly string[] | undefined {
  if (!pipeline.test(text)) return undefined;
  const reads = parseShell(text).commands.map(({ words, assignments }) => {
    const [name = '', ...args] = words.map(({ value }) => value);
    const { flags, texts } = programs.get(name) ?? { flags: none, texts: 0 };
    const operands = args.filter((arg) => !arg.startsWith('-'));
    const isKnown = assignments.length === 0 && args.every((arg) => !arg.startsWith('-') || flags.test(arg));
    const isBounded = (name !== 'uniq' || operands.length === 0) && (name !== 'cd' || operands.length === 1);
    return programs.has(name) && isKnown && isBounded ? operands.slice(texts).filter((file) => file !== '') : undefined;
  });
  return reads.includes(undefined) ? undefined : reads.flatMap((files) => files ?? []);
}
