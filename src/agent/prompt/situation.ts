// The environment of the agent as sections of the conversation: all of them with the first prompt, later only those
// that changed. Thinking depends on the content before it, so nothing that was sent is rewritten.
import { release } from 'node:os';
import { asString, type JsonObject } from '../../base/json/index.ts';
import { runGit } from '../access/index.ts';
import type { PermissionMode } from '../contract/index.ts';
import { loadMemory, type MemoryFile, type MemoryKind, type MemoryOptions } from './memory.ts';
import { soundText } from './system-prompt.ts';

export interface Section {
  readonly title: string;
  /** The section is sent again if this text changes. */
  readonly head: string;
  /** Sent with it; may change without a reason to send the section again. */
  readonly more?: () => Promise<string>;
  /** The text that the model assumes; such a section is sent only if another text was sent before. */
  readonly isUsual?: boolean;
}

export interface SituationOptions extends MemoryOptions {
  readonly model: string;
  readonly mode: PermissionMode;
  /** The user follows the run and can answer. */
  readonly isInteractive: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly now: Date;
  /** The current branch; empty outside a repository. */
  readonly gitBranch: string;
  /** Instructions of the command line that the system prompt does not contain. */
  readonly appended?: string;
  /** Tools that the model was offered and cannot use now. */
  readonly missingTools: readonly string[];
  /** Called with messages about memory files that were left out or cut. */
  readonly note?: (text: string) => void;
}

export async function describeSituation(options: SituationOptions): Promise<readonly Section[]> {
  const memory = await loadMemory(options);
  for (const text of memory.notes) options.note?.(text);
  const { appended = '', missingTools } = options;
  return [
    ...describeEnvironment(options),
    { title: 'Instructions for this work', head: describeMemory(memory.files), isUsual: memory.files.length === 0 },
    { title: 'Further instructions', head: appended === '' ? none : appended, isUsual: appended === '' },
    {
      title: 'Tools that are not available now',
      head: missingTools.length === 0 ? none : missingTools.join(', '),
      isUsual: missingTools.length === 0,
    },
  ];
}

const none = 'none';

export function describeEnvironment(
  options: Omit<SituationOptions, 'missingTools' | keyof MemoryOptions> & Pick<MemoryOptions, 'cwd' | 'extraDirs'>,
): readonly Section[] {
  const { cwd, extraDirs = [], model, mode, isInteractive, now, env, gitBranch } = options;
  const isOutside = gitBranch === '';
  return [
    {
      title: 'Environment',
      head: [
        `Working folder: ${cwd}`,
        ...(extraDirs.length === 0 ? [] : [`Further folders: ${extraDirs.join(', ')}`]),
        `Platform: ${process.platform} ${release()}`,
        ...(env.SHELL === undefined ? [] : [`Shell: ${env.SHELL}`]),
        `Questions: ${isInteractive ? 'a person reads along and can answer' : 'nobody can answer'}`,
      ].join('\n'),
    },
    { title: 'Model', head: model },
    { title: 'Permission mode', head: `${mode}\n${modeMeanings[mode]}` },
    { title: 'Date', head: localDate(now) },
    {
      title: 'Git',
      head: isOutside ? 'not a repository' : `branch ${gitBranch}`,
      ...(isOutside ? {} : { more: async () => describeGit(await readGitState(cwd, env)) }),
    },
  ];
}

/** Always says whether plan mode is on, so that its end is sent too. */
const modeMeanings: Readonly<Record<PermissionMode, string>> = {
  plan: 'Plan mode is on: only look. Calls that change anything are refused, whatever the rules allow. Read what you need, work out a plan, and present it with ExitPlanMode if you have that tool. Nothing is carried out before the person has approved the plan.',
  default:
    'Plan mode is off. Reading in the project runs; what no rule allows is asked for, or refused if nobody can answer.',
  acceptEdits: 'Plan mode is off. Edits in the project run without a question; other changes are asked for.',
  dontAsk: 'Plan mode is off. What would need a question is refused.',
  bypassPermissions: 'Plan mode is off. Everything runs that no rule denies or asks for.',
};

const memoryNames: Readonly<Record<MemoryKind, string>> = {
  user: 'the user’s own instructions for all projects',
  project: 'instructions of the project',
  local: 'the user’s own instructions for this project',
  rule: 'a rule',
  agents: 'instructions of the project for agents',
  import: 'imported',
};

function describeMemory(files: readonly MemoryFile[]): string {
  if (files.length === 0) return none;
  const sections = files.map(({ file, kind, text, importedBy }) => {
    const what = importedBy === undefined ? memoryNames[kind] : `imported by ${importedBy}`;
    return `## ${file} (${what})\n\n${text}`;
  });
  return `Follow these; where they contradict each other, the later one holds, and what the person says in the conversation goes before all of them.\n\n${sections.join('\n\n')}`;
}

const closing = '</system-reminder>';

/** `sent`: the texts of the user messages, in order. */
export async function changedSections(
  sections: readonly Section[],
  sent: readonly string[],
): Promise<readonly JsonObject[]> {
  const blocks: JsonObject[] = [];
  for (const { title, head, more, isUsual } of sections) {
    const opening = `<system-reminder>\n# ${title}\n`;
    const last = sent.findLast((text) => text.startsWith(opening));
    const current = `${opening}${soundText(head)}\n`;
    const isSent = more === undefined ? last?.trimEnd() === `${current}${closing}` : last?.startsWith(current) === true;
    if (last === undefined ? isUsual === true : isSent) continue;
    const added = more === undefined ? '' : soundText(await more());
    blocks.push({ type: 'text', text: `${current}${added === '' ? '' : `${added}\n`}${closing}` });
  }
  return blocks;
}

/** The texts of the user messages. */
export function userTexts(
  messages: readonly { readonly role: string; readonly content: string | readonly JsonObject[] }[],
): readonly string[] {
  return messages.flatMap(({ role, content }) => {
    if (role !== 'user' || typeof content === 'string') return [];
    return content.flatMap((block) => (block.type === 'text' ? (asString(block.text) ?? []) : []));
  });
}

function describeGit(git: GitState | undefined): string {
  if (git === undefined) return '';
  const more = git.moreChanges > 0 ? [`… and ${git.moreChanges} more`] : [];
  const changes = git.status.length === 0 ? ['nothing changed'] : [...git.status, ...more];
  return [
    `in ${git.topFolder}, as of now`,
    'Changes:',
    ...changes.map((line) => `  ${line}`),
    ...(git.commits.length === 0 ? [] : ['Last commits:', ...git.commits.map((line) => `  ${line}`)]),
  ].join('\n');
}

/** The local day; ISO would give another one in the evening. */
function localDate(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

interface GitState {
  readonly topFolder: string;
  readonly branch: string;
  /** `git status --short`, limited to some lines. */
  readonly status: readonly string[];
  readonly moreChanges: number;
  readonly commits: readonly string[];
}

const maxStatusLines = 40;

async function readGitState(cwd: string, env: NodeJS.ProcessEnv): Promise<GitState | undefined> {
  const topFolder = (await runGit(cwd, env, ['rev-parse', '--show-toplevel']))?.trim();
  if (topFolder === undefined || topFolder === '') return undefined;
  const filters = await neutralFilters(cwd, env);
  const git = (...args: readonly string[]): Promise<string | undefined> => runGit(cwd, env, [...filters, ...args]);
  const [branch, status, log] = await Promise.all([
    git('symbolic-ref', '--short', '-q', 'HEAD'),
    git('status', '--short', '--no-renames', '--ignore-submodules=all'),
    git('log', '-5', '--format=%h %s'),
  ]);
  const lines = splitLines(status);
  return {
    topFolder,
    branch: branch?.trim() || 'no branch (detached HEAD)',
    status: lines.slice(0, maxStatusLines),
    moreChanges: Math.max(0, lines.length - maxStatusLines),
    commits: splitLines(log).map((line) => line.slice(0, 120)),
  };
}

/** `status` would run a filter of the repository on every changed file. */
async function neutralFilters(cwd: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const names = await runGit(cwd, env, [
    'config',
    '--local',
    '--includes',
    '--name-only',
    '--get-regexp',
    '^filter\\.',
  ]);
  const commands = splitLines(names).filter((name) => /\.(?:clean|process|smudge|required)$/.test(name));
  return commands.flatMap((name) => ['-c', `${name}=${name.endsWith('.required') ? 'false' : ''}`]);
}

function splitLines(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line !== '');
}
