// The files that a command names → rulings: what rules for Read and Edit deny is denied to commands too, and commands
// that are known to write are held to the rules of writing.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { matchesPath } from '../../wildcard.ts';
import { judgePath, type PathContext } from '../path-judge.ts';
import { ask, combineRulings, type Ruling } from '../ruling.ts';
import { isHarmless } from './command-text.ts';
import { isLiteral, type ShellCommand, type ShellWord } from './script.ts';
import type { Standing } from './standing.ts';

const maxFiles = 1000;

const writers: ReadonlySet<string> = new Set([
  ...['cp', 'mv', 'rm', 'rmdir', 'touch', 'tee', 'mkdir', 'ln', 'chmod', 'chown', 'truncate', 'dd', 'install', 'rsync'],
  ...['sed', 'perl', 'patch', 'unlink', 'shred'],
]);

/** Flags with which they do nothing but make, copy or move the files that they name. */
const fileMakers: ReadonlyMap<string, RegExp> = new Map([
  ['mkdir', /^-[pv]+$/],
  ['touch', /^-[acm]+$/],
  ['cp', /^-[finpv]+$/],
  ['mv', /^-[finv]+$/],
]);

/** A ruling where a file that the command names is denied to Read, or for a writer to Edit. */
export function listsDenied(command: ShellCommand, standing: Standing, context: PathContext): Ruling | undefined {
  const [head, ...rest] = command.words;
  const isWriter = writers.has((head?.value ?? '').replace(/^.*\//, ''));
  const forbids = context.rules.filter(
    ({ kind, tool, specifier }) =>
      kind === 'deny' &&
      specifier !== undefined &&
      (tool === 'Read' || (isWriter && (tool === 'Edit' || tool === 'Write'))),
  );
  if (forbids.length === 0) return undefined;
  const named = rest.flatMap((word) => (word.expands.has('glob') ? expandGlob(word.value, standing) : [word.value]));
  const values = named.flatMap((value) => [value, ...(/^-*\w[^=/]*=(.+)$/s.exec(value)?.slice(1) ?? [])]);
  for (const file of values.slice(0, maxFiles)) {
    const use = { access: 'read', tools: ['Read', 'Edit', 'Write'], file, cwds: standing.folders } as const;
    const ruling = judgePath(use, { ...context, rules: forbids });
    if (ruling.kind === 'deny') return ruling;
  }
  return undefined;
}

/** For writers only: `ask` where a file is special, or `allow` where accepting edits covers the whole command. */
export function judgeOperands(command: ShellCommand, standing: Standing, context: PathContext): Ruling | undefined {
  const [head, ...rest] = command.words;
  const name = (head?.value ?? '').replace(/^.*\//, '');
  if (!writers.has(name)) return undefined;
  const operands = rest
    .filter(({ value }) => !value.startsWith('-'))
    .map((word) => ({ ...word, value: word.value.replace(/^\w+=/, '') })); // dd of=file
  const rulings = judgeWords(operands, 'write', ['Edit', 'Write'], standing, { ...context, mode: 'acceptEdits' });
  const special = rulings.find(({ kind, offers }) => kind === 'ask' && offers.length === 0);
  const flags = rest.filter(({ value }) => value.startsWith('-'));
  const isMaker =
    flags.every(({ value }) => fileMakers.get(name)?.test(value)) && name === head?.value && fileMakers.has(name);
  const isCovered =
    context.mode === 'acceptEdits' && isMaker && operands.length > 0 && command.assignments.every(isHarmless);
  if (special !== undefined && operands.every(isLiteral)) return special;
  const all = combineRulings(rulings);
  return isCovered && all.kind === 'allow' ? all : undefined;
}

export function judgeWords(
  words: readonly ShellWord[],
  access: 'read' | 'write',
  tools: readonly string[],
  standing: Standing,
  context: PathContext,
): readonly Ruling[] {
  const isRead = access === 'read';
  const judge = (file: string): Ruling => judgePath({ access, tools, file, cwds: standing.folders }, context);
  return words.flatMap((word): readonly Ruling[] => {
    const { value, raw, expands } = word;
    if (expands.has('variable') || expands.has('brace') || expands.has('command'))
      return [ask(`${isRead ? 'reads' : 'writes'} a file that is only known when it runs: ${raw}`, isRead)];
    if (standing.isLost && !value.startsWith('/'))
      return [ask(`${value} is seen from a folder that is not known`, isRead)];
    const isHome = expands.has('tilde');
    if (isHome && !/^~(?:\/|$)/.test(value)) return [ask(`${raw} is the folder of another user`, isRead)];
    const file = isHome ? `${context.places.home}${value.slice(1)}` : value.startsWith('~') ? `./${value}` : value;
    return expands.has('glob') ? judgeGlob(file, raw, isRead, standing, judge) : [judge(file)];
  });
}

/** A star in the last part of a path is looked up: one of the files may be a link that leads out, or special. */
function judgeGlob(
  file: string,
  raw: string,
  isRead: boolean,
  standing: Standing,
  judge: (file: string) => Ruling,
): readonly Ruling[] {
  const folder = path.dirname(file);
  // `.*` also stands for `..`.
  const isClear = !/[*?[]/.test(folder) && !path.basename(file).startsWith('.');
  if (!isClear) return [ask(`${raw} may stand for files elsewhere`, isRead)];
  const files = expandGlob(file, standing);
  if (files.length > maxFiles) return [ask(`${raw} stands for too many files to check`, isRead)];
  return [judge(folder), ...files.map(judge)];
}

/** The files of one folder that a pattern for names stands for. */
function expandGlob(file: string, standing: Standing): readonly string[] {
  const folder = path.dirname(file);
  const pattern = path.basename(file);
  const names = standing.folders.flatMap((from) => listNames(path.resolve(from, folder)));
  const isMatch = (name: string): boolean =>
    name.startsWith('.') === pattern.startsWith('.') && matchesPath([pattern], [name], { ignoresCase: true });
  return [...new Set(names.filter(isMatch))].map((name) => `${folder}/${name}`);
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
