// Loads commands (one Markdown file each) and skills (a folder with SKILL.md) from the `.claude` folders. Both are
// prompts with front matter; skills are also offered to the model.
import path from 'node:path';
import { readContent } from '../access/file.ts';
import { listFolders, listMarkdown, splitInside } from './definition-files.ts';
import { type FrontMatter, fieldFlag, fieldText, fieldTools, parseFrontMatter } from './front-matter.ts';

export interface CommandOptions {
  readonly cwd: string;
  /** The user's `.claude` folder. */
  readonly root: string;
  /** Without trust, only the user's own commands are loaded. */
  readonly isProjectTrusted: boolean;
}

export interface LoadedCommands {
  readonly commands: readonly Command[];
  /** Messages for the user about what was left out. */
  readonly notes: readonly string[];
}

export interface Command {
  /** Without the slash; `folder:name` for a command in a folder. */
  readonly name: string;
  readonly kind: 'command' | 'skill';
  readonly scope: 'project' | 'user';
  readonly file: string;
  readonly description: string;
  readonly argumentHint: string | undefined;
  readonly allowedTools: readonly string[];
  readonly model: string | undefined;
  readonly isForUser: boolean;
  readonly isForModel: boolean;
  readonly body: string;
}

const maxBytes = 256 * 1024;
const maxDescription = 1536;

/** Sorted by name. The project wins over the user, and a skill wins over a command of the same name. */
export async function loadCommands(options: CommandOptions): Promise<LoadedCommands> {
  const { root, isProjectTrusted } = options;
  const { commands: projects, notes } = isProjectTrusted ? await loadProjectCommands(options.cwd) : nothing;
  const found = [
    ...projects,
    ...(await loadSkills(path.join(root, 'skills'), 'user')),
    ...(await loadCommandFiles(path.join(root, 'commands'), 'user')),
  ];
  const byName = new Map<string, Command>();
  for (const command of found) if (!byName.has(command.name)) byName.set(command.name, command);
  return { commands: [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), notes };
}

const nothing: LoadedCommands = { commands: [], notes: [] };

/** The project's commands, trusted or not, without links that lead out of the project. */
export async function loadProjectCommands(cwd: string): Promise<LoadedCommands> {
  const folder = path.join(cwd, '.claude');
  const found = [
    ...(await loadSkills(path.join(folder, 'skills'), 'project')),
    ...(await loadCommandFiles(path.join(folder, 'commands'), 'project')),
  ];
  const { inside, notes } = await splitInside(found, cwd);
  return { commands: inside, notes };
}

async function loadCommandFiles(folder: string, scope: Command['scope']): Promise<readonly Command[]> {
  const commands: Command[] = [];
  for (const { file, parts } of await listMarkdown(folder)) {
    const head = await readHead(file);
    const name = parts.join(':');
    if (head !== undefined && isName(name)) commands.push(toCommand(name, 'command', scope, file, head));
  }
  return commands;
}

async function loadSkills(folder: string, scope: Command['scope']): Promise<readonly Command[]> {
  const skills: Command[] = [];
  for (const name of await listFolders(folder)) {
    const file = path.join(folder, name, 'SKILL.md');
    const head = await readHead(file);
    if (head !== undefined && isName(name)) skills.push(toCommand(name, 'skill', scope, file, head));
  }
  return skills;
}

/** Names that can be typed after a slash and printed. */
function isName(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,199}$/u.test(name);
}

async function readHead(file: string): Promise<FrontMatter | undefined> {
  const content = await readContent(file, maxBytes);
  return content.kind === 'text' ? parseFrontMatter(content.text) : undefined;
}

function toCommand(
  name: string,
  kind: Command['kind'],
  scope: Command['scope'],
  file: string,
  head: FrontMatter,
): Command {
  const why = fieldText(head, 'when_to_use') ?? fieldText(head, 'when-to-use');
  const what = fieldText(head, 'description') ?? firstLine(head.body);
  const model = fieldText(head, 'model');
  return {
    name,
    kind,
    scope,
    file,
    description: [what, why]
      .filter((part) => part !== undefined)
      .join(' ')
      .slice(0, maxDescription)
      .toWellFormed(),
    argumentHint: fieldText(head, 'argument-hint'),
    allowedTools: fieldTools(head, 'allowed-tools') ?? [],
    model: model === 'inherit' ? undefined : model,
    isForUser: fieldFlag(head, 'user-invocable') ?? true,
    isForModel: kind === 'skill' && fieldFlag(head, 'disable-model-invocation') !== true,
    body: head.body,
  };
}

function firstLine(body: string): string {
  const line = body.split('\n', 50).find((each) => each.trim() !== '') ?? '';
  return line.replace(/^#+/, '').trim().slice(0, 200);
}
