// A Bash call → a ruling: every simple command, every redirect and every doubt is judged, and the strictest decides.
import type { PathContext } from '../path-judge.ts';
import type { Rule } from '../rule.ts';
import { allow, ask, combineRulings, deny, type Ruling } from '../ruling.ts';
import { judgeCommand, judgeRedirect } from './judge-command.ts';
import { parseShell } from './parse.ts';
import { isLiteral, type ShellScript } from './script.ts';
import { rejoin, type Standing, standAt } from './standing.ts';

export interface ShellContext extends PathContext {
  readonly cwd: string;
}

export function judgeShell(text: string, context: ShellContext): Ruling {
  const script = parseShell(text);
  const bash = context.rules.filter(({ tool }) => tool === 'Bash');
  if (script.isCut && bash.some(({ kind }) => kind === 'deny'))
    return deny('a command this long or this deep cannot be compared with the rules that deny');
  const exact = bash.find(
    ({ kind, specifier }) =>
      kind === 'allow' && specifier !== undefined && !specifier.includes('*') && specifier === text.trim(),
  );
  const rulings = judgeScript(script, standAt(context.cwd), context, bash, exact);
  return combineRulings(rulings.length === 0 ? [allow('there is nothing to run', true)] : rulings);
}

function judgeScript(
  script: ShellScript,
  standing: Standing,
  context: ShellContext,
  bash: readonly Rule[],
  exact: Rule | undefined,
): readonly Ruling[] {
  const all = bash.find(({ kind, specifier }) => kind === 'allow' && specifier === undefined);
  const settled = exact ?? all;
  const settle = (ruling: Ruling): Ruling =>
    ruling.kind === 'ask' && exact !== undefined
      ? allow(`the rule ${exact.text} (${exact.source}) allows it`, ruling.isRead)
      : ruling;
  const doubts =
    settled === undefined
      ? script.doubts.map((doubt) => ask(doubt, false))
      : script.doubts.map(() => allow('a rule allows it', false));
  const isSure = hasSureMoves(script);
  let chain: number | undefined;
  const parts = script.commands.flatMap((command) => {
    if (command.chain !== chain) rejoin(standing);
    chain = command.chain;
    const redirects = command.redirects.map((redirect) => judgeRedirect(redirect, standing, context));
    return [...redirects, settle(judgeCommand(command, standing, { ...context, bash }, isSure))];
  });
  return [...doubts, ...parts];
}

/** What the shell does itself, and with which it may come to stand elsewhere or `cd` to mean something else. */
const unsettling: ReadonlySet<string> = new Set(
  (
    '. alias bind builtin command declare dirs enable eval exec export fc let ' +
    'local mapfile popd pushd read readarray readonly set shopt source trap typeset time unalias unset'
  ).split(' '),
);

/** Whether the shell stands in x behind `cd x &&`, for all that the text shows. */
function hasSureMoves({ commands, doubts, isStraight, isCut }: ShellScript): boolean {
  if (!isStraight || isCut || doubts.length > 0) return false;
  return commands.every(
    ({ assignments, words: [head] }) =>
      assignments.length === 0 && head !== undefined && isLiteral(head) && !unsettling.has(head.value),
  );
}
