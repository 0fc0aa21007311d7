// One simple command → a ruling. Rules that deny and ask look at it from every side, also inside the commands that run
// commands; then rules that allow, then what is known to only read or, where edits are accepted, to only move files.
import path from 'node:path';
import type { PathContext } from '../path-judge.ts';
import { followLinks } from '../real-path.ts';
import type { Rule } from '../rule.ts';
import { allow, ask, combineRulings, deny, type Ruling } from '../ruling.ts';
import { allowText, denyTexts, isHarmless, matchesCommand } from './command-text.ts';
import { isForeignRepository } from './foreign-repository.ts';
import { judgeOperands, judgeWords, listsDenied } from './judge-operands.ts';
import { offerRules } from './offers.ts';
import { checkReadOnly } from './read-only.ts';
import { isLiteral, type Redirect, type ShellCommand } from './script.ts';
import { move, type Standing } from './standing.ts';
import { type Runner, unwrap } from './wrapper.ts';

export interface CommandContext extends PathContext {
  /** The rules for Bash. */
  readonly bash: readonly Rule[];
}

const maxWrappers = 6;

/** `isSure`: where it is a `cd`, what comes next runs only if it has succeeded. */
export function judgeCommand(
  command: ShellCommand,
  standing: Standing,
  context: CommandContext,
  isSure = false,
  depth = 0,
): Ruling {
  const [head] = command.words;
  if (head === undefined) return judgeAssignments(command);
  const stopped = findStop(command, context) ?? listsDenied(command, standing, context);
  if (stopped !== undefined) return stopped;
  if (head.value === 'cd' || head.value === 'pushd') {
    // Inside of another command a `cd` may be that of another shell.
    return judgeMove(command, standing, context, isSure && depth === 0);
  }
  const reads = checkReadOnly(command.words);
  if (reads === undefined || 'problem' in reads) {
    const wrapping = depth < maxWrappers ? unwrap(command) : ({ kind: 'none' } as const);
    if (wrapping.kind === 'through') {
      const inner = judgeCommand(wrapping.inner, standing, context, false, depth + 1);
      return wrapping.isOpen ? closeOpen(inner, wrapping.inner, context) : inner;
    }
    if (wrapping.kind === 'runner') return judgeRunner(command, wrapping, standing, context, depth);
  }
  return judgePlain(command, standing, context);
}

export function judgeRedirect({ kind, target }: Redirect, standing: Standing, context: PathContext): Ruling {
  if (/^\/dev\/(?:null|stdout|stderr)$/.test(target.value) && isLiteral(target)) return allow('it goes nowhere', true);
  const tools = kind === 'read' ? ['Read'] : ['Edit', 'Write'];
  return judgeWords([target], kind, tools, standing, context)[0] ?? ask('a redirect leads nowhere', false);
}

function judgePlain(command: ShellCommand, standing: Standing, context: CommandContext): Ruling {
  const [head] = command.words;
  const name = head?.value ?? '';
  if (head === undefined || !isLiteral(head)) return ask(`what runs depends on ${head?.raw ?? 'nothing'}`, false);
  const reads = checkReadOnly(command.words);
  const isRead = reads !== undefined && 'paths' in reads && command.assignments.every(isHarmless);
  const operands = judgeOperands(command, standing, context);
  if (operands !== undefined) return operands;
  const rule = findAllow(command, context);
  if (rule !== undefined)
    return findUnclear(command, context) ?? allow(`the rule ${rule.text} (${rule.source}) allows it`, isRead);
  const weighty = command.assignments.find((assignment) => !isHarmless(assignment));
  const offers = offerRules(command);
  if (weighty !== undefined) return ask(`runs ${name} with ${weighty.name} set`, false, offers);
  if (reads === undefined) return ask(`runs ${name}`, false, offers);
  if ('problem' in reads) return ask(reads.problem, false, offers);
  if (
    name === 'git' &&
    standing.folders.some(
      (folder) => folder !== standing.start || isForeignRepository(folder, context.places.projectDir),
    )
  )
    return ask('git in another folder may run programs of that repository', true, offers);
  const places = judgeWords(reads.paths, 'read', ['Read'], standing, context);
  const here = judgeWords([{ raw: '.', value: '.', expands: new Set() }], 'read', ['Read'], standing, context);
  return combineRulings([allow(`${name} only reads`, true), ...here, ...places]);
}

function judgeRunner(
  command: ShellCommand,
  runner: Runner,
  standing: Standing,
  context: CommandContext,
  depth: number,
): Ruling {
  const inside = [...(runner.script?.commands ?? []), ...(runner.inner === undefined ? [] : [runner.inner])];
  const rulings = [
    ...inside.map((each) => judgeCommand(each, standing, context, false, depth + 1)),
    ...inside.flatMap(({ redirects }) => redirects.map((redirect) => judgeRedirect(redirect, standing, context))),
  ];
  const denied = [...rulings, ...runner.suspects.flatMap((each) => findStop(each, context) ?? [])].find(
    ({ kind }) => kind === 'deny',
  );
  if (denied !== undefined) return denied;
  const rule = findAllow(command, context);
  const why = `${runner.name} runs another command`;
  if (rule === undefined) return ask(why, false, offerRules(command));
  const isHidden = runner.inner === undefined && runner.script === undefined;
  if (isHidden && rule.specifier === undefined && context.bash.some(({ kind }) => kind !== 'allow'))
    return ask(`${why}, maybe one that a rule denies or asks for`, false);
  if (reachesInside(rule, runner)) return allow(`the rule ${rule.text} (${rule.source}) allows it`, false);
  const isKnown = inside.length > 0 && (runner.script?.doubts ?? []).length === 0;
  return isKnown ? combineRulings(rulings.map((ruling) => ({ ...ruling, isRead: false }))) : ask(why, false);
}

/** The rule names not just the wrapper but also what it runs, or everything. */
function reachesInside({ specifier }: Rule, runner: Runner): boolean {
  if (specifier === undefined || !specifier.includes('*')) return true;
  const named = specifier.slice(0, specifier.indexOf('*')).replace(/:$/, ' ').split(' ').length - 1;
  return runner.inner !== undefined && named > runner.innerAt;
}

function findStop(command: ShellCommand, { bash }: CommandContext): Ruling | undefined {
  const texts = denyTexts(command);
  const hits = ({ specifier }: Rule): boolean =>
    specifier === undefined || texts.some((text) => matchesCommand(specifier, text));
  const denied = bash.find((rule) => rule.kind === 'deny' && hits(rule));
  if (denied !== undefined) return deny(`${texts[0]} is denied by the rule ${denied.text} (${denied.source})`);
  const asked = bash.find((rule) => rule.kind === 'ask' && hits(rule));
  return asked && ask(`the rule ${asked.text} (${asked.source}) asks for ${texts[0]}`, false);
}

function findAllow(command: ShellCommand, { bash }: CommandContext): Rule | undefined {
  const text = allowText(command);
  return bash.find(
    ({ kind, specifier }) => kind === 'allow' && (specifier === undefined || matchesCommand(specifier, text)),
  );
}

/** With words that are only known when it runs, it may be just what another rule denies. */
function findUnclear(command: ShellCommand, context: CommandContext): Ruling | undefined {
  const hidden = command.words.find((word) => !isLiteral(word));
  return hidden && mayBeStopped(command, context)
    ? ask(`${hidden.raw} may stand for something that a rule denies or asks for`, false)
    : undefined;
}

function mayBeStopped(command: ShellCommand, { bash }: CommandContext): boolean {
  const name = (command.words[0]?.value ?? '').replace(/^.*\//, '');
  const first = (specifier = ''): string => /^[^\s:*]*/.exec(specifier)?.[0] ?? '';
  return bash.some(({ kind, specifier }) => kind !== 'allow' && name.startsWith(first(specifier)));
}

/** `xargs` adds words of its own. */
function closeOpen(inner: Ruling, command: ShellCommand, context: CommandContext): Ruling {
  if (inner.kind !== 'allow') return inner;
  if (findAllow(command, context) === undefined)
    return ask('xargs adds arguments that are only known when it runs', inner.isRead);
  return mayBeStopped(command, context) ? ask('xargs may add what a rule denies or asks for', false) : inner;
}

function judgeAssignments(command: ShellCommand): Ruling {
  const weighty = command.assignments.find((assignment) => !isHarmless(assignment));
  return weighty === undefined
    ? allow('it sets a harmless variable', true)
    : ask(`sets the variable ${weighty.name}`, false);
}

function judgeMove(command: ShellCommand, standing: Standing, context: CommandContext, isSure: boolean): Ruling {
  const [head, goal, more] = command.words;
  const isPlain = goal !== undefined && more === undefined && isLiteral(goal) && !goal.value.startsWith('-');
  if (!isPlain) {
    standing.isLost = true;
    return ask(`${head?.value ?? 'cd'} leads to a folder that is not known`, true);
  }
  const rulings = judgeWords([goal], 'read', ['Read'], standing, context);
  // The shell counts `..` in the words of the path or, if it was told to, on the disk.
  const goals = standing.folders.flatMap((folder) => {
    const named = path.resolve(folder, goal.value);
    return [named, followLinks(path.isAbsolute(goal.value) ? goal.value : `${folder}/${goal.value}`) ?? named];
  });
  move(standing, goals, isSure);
  const ruling = combineRulings(rulings);
  return ruling.kind === 'ask' ? ask(`leaves the project: cd ${goal.value}`, true) : ruling;
}
