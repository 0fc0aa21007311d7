// A Bash call → a ruling. Rules that deny and ask come first, then rules that allow; what no rule settles runs in a sandbox,
// or, where there is none, only if it is trivially simple.
import path from 'node:path';
import { judgePath, type PathContext } from '../path-judge.ts';
import type { Rule } from '../rule.ts';
import { allow, ask, combineRulings, deny, type Ruling } from '../ruling.ts';
import {
  allowText,
  denyTexts,
  innerScript,
  isHarmless,
  matchesCommand,
  nameOf,
  reachable,
  runsCommands,
  unwrap,
} from './command-text.ts';
import { needsMore } from './needs.ts';
import { offerRules } from './offers.ts';
import { parseShell, type Redirect, type ShellCommand, type ShellScript } from './parse.ts';
import { simpleReads } from './simple.ts';

/** What the sandbox of this machine and the `sandbox` settings offer. */
export interface SandboxUse {
  readonly isAvailable: boolean;
  /** `autoAllowBashIfSandboxed` */
  readonly runsUnasked: boolean;
  /** `allowUnsandboxedCommands` */
  readonly mayLeave: boolean;
  /** `excludedCommands` */
  readonly excluded: readonly string[];
}

export interface ShellContext extends PathContext {
  readonly cwd: string;
  readonly sandbox: SandboxUse;
  /** `dangerouslyDisableSandbox`: the model asks for a run outside. */
  readonly leaves: boolean;
}

export function judgeShell(text: string, context: ShellContext): Ruling {
  const script = parseShell(text);
  const bash = context.rules.filter(({ tool }) => tool === 'Bash');
  if (script.isCut && bash.some(({ kind }) => kind === 'deny'))
    return deny('a command this long cannot be compared with the rules that deny');
  const stops = [...script.commands.flatMap((each) => findStop(each, bash)), ...deniedFiles(script, context)];
  const denied = stops.find(({ kind }) => kind === 'deny');
  if (denied !== undefined) return denied;
  if (stops.length > 0) return combineRulings(stops);
  // In plan mode no rule lets a command out of the sandbox.
  const ruled = judgeByRules(text, script, bash, context);
  if (ruled.kind === 'allow' && context.mode !== 'plan') return ruled;
  const unruled = judgeUnruled(text, script, context);
  if (unruled.kind === 'allow' || isSimple(text, context)) return unruled;
  const isLeaving = context.leaves && context.sandbox.isAvailable;
  if (ruled.kind === 'allow') return unruled;
  return isLeaving ? { ...ruled, why: `runs outside the sandbox: ${ruled.why}` } : ruled;
}

function isSimple(text: string, { sandbox }: ShellContext): boolean {
  return !sandbox.isAvailable && simpleReads(text) !== undefined;
}

function judgeUnruled(text: string, script: ShellScript, context: ShellContext): Ruling {
  const { sandbox, mode, cwd } = context;
  const reads = simpleReads(text)?.map((file) =>
    judgePath({ access: 'read', tools: ['Read'], file, cwds: [cwd] }, context),
  );
  const here = judgePath({ access: 'read', tools: ['Read'], file: '.', cwds: [cwd] }, context);
  const isPlan = mode === 'plan';
  const leaves = context.leaves && sandbox.mayLeave && !isPlan;
  const isExcluded = script.commands.some((command) =>
    sandbox.excluded.some((pattern) =>
      denyTexts(command).some((each) => matchesCommand(`${pattern.replace(/(?::| )\*$/, '')}:*`, each)),
    ),
  );
  if (!sandbox.isAvailable || (!sandbox.runsUnasked && !isPlan)) {
    const simple = reads && combineRulings([allow('it is simple and only reads', true), here, ...reads]);
    return simple ?? ask(script.doubts[0] ?? 'it is not simple', false);
  }
  if (leaves || isExcluded) return ask('runs outside the sandbox', false);
  if (here.kind !== 'allow') return here;
  const canWrite = mode === 'acceptEdits';
  const more = isPlan ? undefined : needsMore(script.commands, canWrite);
  if (more !== undefined) return ask(more, false);
  return canWrite
    ? { ...allow('it runs in a sandbox that can only change the project', false), confinement: 'workspace' }
    : { ...allow('it runs in a sandbox that changes nothing', true), confinement: 'read-only' };
}

function describe(command: ShellCommand): string {
  const [head] = command.words;
  const weighty = command.assignments.find((word) => !isHarmless(word))?.raw.replace(/\+?=.*$/s, '');
  if (head === undefined) return weighty === undefined ? 'sets variables or files' : `sets the variable ${weighty}`;
  if (!head.isLiteral) return `what runs depends on ${head.raw}`;
  return `runs ${nameOf(command)}${weighty === undefined ? '' : ` with ${weighty} set`}`;
}

function judgeByRules(text: string, script: ShellScript, bash: readonly Rule[], context: ShellContext): Ruling {
  const allows = bash.filter(({ kind }) => kind === 'allow');
  const whole = allows.find(({ specifier }) => specifier === undefined || specifier === text.trim());
  const said = (rule: Rule): Ruling => allow(`the rule ${rule.text} (${rule.source}) allows it`, false);
  const cwds = foldersOf(script.commands, context.cwd);
  const redirects = script.commands.flatMap((each) =>
    each.redirects.map((one) => judgeRedirect(one, isLost(script.commands) ? [] : cwds, context)),
  );
  const found = script.commands.map((command) => whole ?? findAllow(command, allows));
  const rulings = script.commands.map((command, i) => {
    const rule = found[i];
    if (rule === undefined) return ask(describe(command), false, offerRules(unwrap(command)));
    return findUnclear(command, bash, context) ?? said(rule);
  });
  const doubts = whole === undefined ? script.doubts.map((doubt) => ask(doubt, false)) : [];
  if (script.commands.length + doubts.length === 0) return allow('there is nothing to run', true);
  const free = script.commands.map((_, i) => isFree(script, i, context));
  const isMixed =
    (redirects.length > 0 && !context.sandbox.isAvailable) || free.some((each, i) => !each || found[i] !== undefined);
  const open = rulings.filter(({ kind }, i) => kind !== 'ask' || !isMixed || free[i] !== true);
  return combineRulings([...doubts, ...redirects, ...open]);
}

/** Next to parts that have a rule, a part needs none if it is trivially simple, or the only `cd`, into the project. */
function isFree({ commands, doubts }: ShellScript, i: number, context: ShellContext): boolean {
  const { words = [], assignments = [] } = commands[i] ?? {};
  if (doubts.length > 0 || words.length === 0 || !assignments.every(isHarmless) || isLost(commands)) return false;
  const [head, goal] = words;
  const isMove = head?.value === 'cd' && words.length === 2 && goal?.isLiteral === true;
  const files = isMove ? [goal.value] : simpleReads(words.map(({ raw }) => raw).join(' '));
  const cwds = foldersOf(commands, context.cwd);
  const isRead = (file: string): boolean =>
    judgePath({ access: 'read', tools: ['Read'], file, cwds: isMove ? [context.cwd] : cwds }, context).kind === 'allow';
  return files !== undefined && ['.', ...files].every(isRead);
}

/** After more than one move it is not known which files relative paths name. */
function isLost(commands: readonly ShellCommand[]): boolean {
  const moves = commands.map(nameOf).filter((name) => /^(?:cd|pushd|popd)$/.test(name));
  return moves.length > 1 || moves.some((name) => name !== 'cd');
}

/** Where the shell may be while the text runs. */
function foldersOf(commands: readonly ShellCommand[], cwd: string): readonly string[] {
  const goals = commands.flatMap(({ words: [head, goal] }) => (head?.value === 'cd' ? [goal?.value ?? '~'] : []));
  return [cwd, ...goals.map((goal) => path.resolve(cwd, goal))];
}

function judgeRedirect({ access, target }: Redirect, cwds: readonly string[], context: ShellContext): Ruling {
  if (/^\/dev\/(?:null|stdout|stderr)$/.test(target.value)) return allow('it goes nowhere', true);
  const isRead = access === 'read';
  if (!target.isLiteral || cwds.length === 0)
    return ask(`${isRead ? 'reads' : 'writes'} a file that is only known when it runs: ${target.raw}`, isRead);
  return judgePath({ access, tools: isRead ? ['Read'] : ['Edit', 'Write'], file: target.value, cwds }, context);
}

/** A command that runs commands needs a rule for itself and for what it runs, or one that names both. */
function findAllow(outer: ShellCommand, allows: readonly Rule[]): Rule | undefined {
  const command = unwrap(outer);
  if (command.words[0]?.isLiteral !== true) return undefined;
  const text = allowText(command);
  const rule = allows.find(({ specifier }) => specifier === undefined || matchesCommand(specifier, text));
  if (rule?.specifier === undefined || !rule.specifier.includes('*') || !runsCommands(command)) return rule;
  if (/^\S+ \S.*[ :*]\*$/.test(rule.specifier)) return rule;
  const inner = innerScript(command);
  if (inner === undefined) return rule;
  const isKnown = inner.doubts.length === 0 && inner.commands.every((each) => each.redirects.length === 0);
  return isKnown && inner.commands.every((each) => findAllow(each, allows) !== undefined) ? rule : undefined;
}

function findStop(command: ShellCommand, bash: readonly Rule[]): readonly Ruling[] {
  const texts = reachable(command).flatMap(denyTexts);
  const hit = (kind: Rule['kind']): Rule | undefined =>
    bash.find(
      (rule) =>
        rule.kind === kind &&
        (rule.specifier === undefined || texts.some((text) => matchesCommand(rule.specifier ?? '', text))),
    );
  const denied = hit('deny');
  if (denied !== undefined) return [deny(`${texts[0]} is denied by the rule ${denied.text} (${denied.source})`)];
  const asked = hit('ask');
  return asked === undefined ? [] : [ask(`the rule ${asked.text} (${asked.source}) asks for ${texts[0]}`, false)];
}

/** With words that are only known when it runs, it may be just what another rule denies. */
function findUnclear(command: ShellCommand, bash: readonly Rule[], context: ShellContext): Ruling | undefined {
  const hidden = command.words.find(({ isLiteral }) => !isLiteral);
  const names = reachable(command).map(nameOf);
  const isMeant = ({ kind, specifier = '' }: Rule): boolean =>
    kind !== 'allow' && names.some((name) => name !== '' && name === (/^[^\s:*]*/.exec(specifier)?.[0] ?? ''));
  const isOpen = hidden !== undefined || /^(?:xargs|parallel|find)$/.test(nameOf(command));
  const runsHidden = hidden !== undefined && runsCommands(command) && bash.some(({ kind }) => kind !== 'allow');
  if ((isOpen && bash.some(isMeant)) || runsHidden)
    return ask('it may run something that a rule denies or asks for', false);
  const hides = context.rules.some(
    ({ kind, tool, specifier }) => kind === 'deny' && tool === 'Read' && specifier !== undefined,
  );
  return hidden !== undefined && hides && !context.sandbox.isAvailable
    ? ask(`${hidden.raw} may stand for a file that a rule denies`, false)
    : undefined;
}

/** Files that the text names and a rule denies. In a sandbox they are hidden as well, however they are named. */
function deniedFiles({ commands }: ShellScript, context: ShellContext): readonly Ruling[] {
  if (!context.rules.some(({ kind, specifier }) => kind === 'deny' && specifier !== undefined)) return [];
  const cwds = foldersOf(commands, context.cwd);
  const rulings = commands.flatMap((command) => {
    const isWriter = needsMore([{ ...command, redirects: [] }], false) !== undefined;
    const files = command.words
      .slice(1)
      .flatMap(({ value }) => [value, ...(/^-*\w[^=/]*=(.+)$/s.exec(value)?.slice(1) ?? [])]);
    const named = files.map((file) => ({
      file,
      access: 'read' as const,
      tools: isWriter ? ['Read', 'Edit', 'Write'] : ['Read'],
    }));
    const redirected = command.redirects.map(({ access, target }) => ({
      ...{ file: target.value, access },
      tools: access === 'read' ? ['Read'] : ['Edit', 'Write'],
    }));
    return [...named, ...redirected].map((use) => judgePath({ ...use, cwds }, context));
  });
  return rulings.filter(({ kind }) => kind === 'deny').slice(0, 1);
}
