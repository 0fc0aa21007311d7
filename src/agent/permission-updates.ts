// Applies the changes of the permissions that a program which drives the agent, or a hook, returns with its decision.
// They hold for this run; those for a settings file are also written there.
import path from 'node:path';
import type { PermissionMode, PermissionPlace, PermissionUpdate, RuleChange } from './contract/index.ts';
import { keepPermission, localSettingsFile } from './settings/index.ts';

export interface PermissionTarget {
  /** The folder of the session. */
  readonly projectDir: string;
  /** The user's `.claude` folder. */
  readonly root: string;
  readonly changeRules: (change: RuleChange) => void;
  readonly setMode: (mode: PermissionMode) => Promise<void>;
  /** The additional folders, which the judge and the sandbox read at every call. */
  readonly extraDirs: string[];
  /** Shows a problem to the user. */
  readonly note: (problem: string) => void;
}

export async function applyPermissionUpdates(
  updates: readonly PermissionUpdate[],
  target: PermissionTarget,
): Promise<void> {
  for (const update of updates) await applyUpdate(update, target);
}

async function applyUpdate(update: PermissionUpdate, target: PermissionTarget): Promise<void> {
  switch (update.type) {
    case 'setMode':
      return target.setMode(update.mode);
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return changeRules(update, target);
    case 'addDirectories':
    case 'removeDirectories':
      return changeFolders(update, target);
    default:
      return update satisfies never;
  }
}

const hows = { addRules: 'add', replaceRules: 'replace', removeRules: 'remove' } as const;

async function changeRules(
  { type, rules, behavior, destination }: PermissionUpdate & { readonly type: keyof typeof hows },
  target: PermissionTarget,
): Promise<void> {
  const texts = rules.map(({ toolName, ruleContent }) =>
    ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
  );
  target.changeRules({ how: hows[type], kind: behavior, texts, source: sourceNames[destination] });
  const file = settingsFileOf(destination, target);
  if (file === undefined) return;
  if (type !== 'addRules') return noteUnwritten(file, target);
  for (const text of texts) noteProblem(await keepPermission(file, behavior, text), target);
}

async function changeFolders(
  { type, directories, destination }: PermissionUpdate & { readonly type: 'addDirectories' | 'removeDirectories' },
  target: PermissionTarget,
): Promise<void> {
  const { extraDirs, projectDir } = target;
  const folders = directories.map((folder) => path.resolve(projectDir, folder));
  const kept = extraDirs.filter((folder) => !folders.includes(folder));
  extraDirs.splice(0, extraDirs.length, ...kept, ...(type === 'addDirectories' ? folders : []));
  const file = settingsFileOf(destination, target);
  if (file === undefined) return;
  if (type !== 'addDirectories') return noteUnwritten(file, target);
  for (const folder of folders) noteProblem(await keepPermission(file, 'additionalDirectories', folder), target);
}

/** The reason of a decision names them. */
const sourceNames: Readonly<Record<PermissionPlace, string>> = {
  session: 'this session',
  cliArg: 'the command line',
  localSettings: 'local settings',
  projectSettings: 'project settings',
  userSettings: 'user settings',
};

function settingsFileOf(place: PermissionPlace, { projectDir, root }: PermissionTarget): string | undefined {
  switch (place) {
    case 'localSettings':
      return localSettingsFile(projectDir);
    case 'projectSettings':
      return path.join(projectDir, '.claude', 'settings.json');
    case 'userSettings':
      return path.join(root, 'settings.json');
    case 'session':
    case 'cliArg':
      return undefined;
    default:
      return place satisfies never;
  }
}

function noteUnwritten(file: string, { note }: PermissionTarget): void {
  note(`the permissions changed for this session only: Clew removes nothing from ${file}; edit it by hand`);
}

function noteProblem(problem: string | undefined, { note }: PermissionTarget): void {
  if (problem !== undefined) note(problem);
}
