// Carries out a plan: works out the new text of every file, shows the difference, and writes the files one after the other,
// with a copy of each in Clew's own folder.
import { rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { structuredPatch } from 'diff';
import { readSettingsFile, type SettingsFile, withClientLock, writeSettingsFile } from '../../settings/index.ts';
import { diskError, identify, refuseIfChanged } from '../../store/index.ts';
import type { FileEdit, Plan } from './add.ts';
import { hashOf, type RecordedFile, type RootRecord, setupFolder, writeRecord } from './record.ts';

export interface FileChange {
  readonly edit: FileEdit;
  readonly before: SettingsFile;
  readonly after: string | undefined;
}

export interface WrittenFile {
  readonly file: string;
  readonly action: 'create' | 'change' | 'delete';
  readonly backup: string | null;
}

/** The files that the plan changes. */
export function changesOf(plan: Plan): readonly FileChange[] {
  return plan.edits.flatMap((edit) => {
    const before = readSettingsFile(edit.file);
    const after = edit.edit(before.text);
    return after === before.text ? [] : [{ edit, before, after }];
  });
}

export function actionOf({ before, after }: FileChange): WrittenFile['action'] {
  return after === undefined ? 'delete' : before.text === undefined ? 'create' : 'change';
}

/** As `diff -u` prints it; nothing around the changes of a file that Claude Code writes, because it has private values. */
export function diffOf({ edit, before, after }: FileChange): string {
  const context = edit.isShared === true ? 0 : 3;
  const { hunks } = structuredPatch('', '', before.text ?? '', after ?? '', '', '', { context });
  const head = `--- ${before.text === undefined ? '/dev/null' : edit.file}\n+++ ${after === undefined ? '/dev/null' : edit.file}\n`;
  const bodies = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) =>
    [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines, ''].join('\n'),
  );
  return `${head}${bodies.join('')}`;
}

export interface ApplyOptions {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly record: RootRecord;
  readonly isRemoval: boolean;
}

export async function applyPlan(
  plan: Plan,
  changes: readonly FileChange[],
  { root, env, record, isRemoval }: ApplyOptions,
): Promise<readonly WrittenFile[]> {
  const files: Record<string, RecordedFile> = { ...record.files };
  const written: WrittenFile[] = [];
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  for (const change of changes) {
    const recorded = files[change.edit.file];
    const copy = path.join(setupFolder(env), `${path.basename(change.edit.file)}.${stamp}`);
    const backup = await writeChange(change, copy);
    const action = actionOf(change);
    written.push({ file: change.edit.file, action, backup });
    const next = isRemoval ? afterRemoval(change, plan, recorded) : afterAddition(change, recorded, backup);
    if (next === undefined) delete files[change.edit.file];
    else files[change.edit.file] = next;
    if (action === 'delete') await removeEmptyFolders(root, change.edit.file);
    await writeRecord(env, root, { files, added: plan.added });
    // The file is what the copy was: nobody needs it any more.
    if (isRemoval && next === undefined && recorded?.backup != null) await rm(recorded.backup, { force: true });
  }
  // Entries that the user removed by hand are not ours any more either.
  if (isRemoval) await writeRecord(env, root, { files: hasParts(plan) ? files : {}, added: plan.added });
  return written;
}

function hasParts({ added }: Plan): boolean {
  return Object.keys(added).length > 0;
}

async function writeChange(change: FileChange, copy: string): Promise<string | null> {
  const { edit } = change;
  if (edit.isShared !== true) return writeOne(change.before, change.after, copy);
  return withClientLock(edit.file, async () => {
    const before = readSettingsFile(edit.file);
    return writeOne(before, edit.edit(before.text), copy);
  });
}

async function writeOne(before: SettingsFile, after: string | undefined, copy: string): Promise<string | null> {
  if (after === before.text) return null;
  if (after !== undefined) return (await writeSettingsFile(before, after, copy)) ?? null;
  refuseIfChanged(before.file, before.identity, identify(before.file));
  try {
    await rm(before.file);
  } catch (error) {
    throw diskError(error, 'write', before.file);
  }
  return null;
}

function afterAddition(
  { edit, before }: FileChange,
  recorded: RecordedFile | undefined,
  backup: string | null,
): RecordedFile {
  const now = readSettingsFile(edit.file).text ?? '';
  const afterHash = hashOf(now);
  if (recorded === undefined)
    return { backup, beforeHash: before.text === undefined ? null : hashOf(before.text), afterHash };
  // The file has changed since: its old bytes must not come back any more.
  const isSame = before.text !== undefined && recorded.afterHash === hashOf(before.text);
  return isSame ? { ...recorded, afterHash } : { backup: recorded.backup, beforeHash: 'changed', afterHash };
}

/** `undefined` if nothing of ours is left in the file. */
function afterRemoval({ edit }: FileChange, plan: Plan, recorded: RecordedFile | undefined): RecordedFile | undefined {
  const isSettings = path.basename(edit.file) === 'settings.json';
  const isLeft =
    isSettings && ['archive', 'trace', 'guard', 'statusline'].some((part) => plan.added[part] !== undefined);
  if (!isLeft || recorded === undefined) return undefined;
  return { ...recorded, afterHash: hashOf(readSettingsFile(edit.file).text ?? '') };
}

/** Folders of commands and skills that are empty now. */
async function removeEmptyFolders(root: string, file: string): Promise<void> {
  for (let folder = path.dirname(file); folder.startsWith(root + path.sep); folder = path.dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}
