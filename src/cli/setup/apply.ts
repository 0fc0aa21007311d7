// Carries out a plan: says in the record what each file was and becomes, writes the file, and forgets what is gone when
// everything is done. It may be killed at any point: the same call, or --remove, continues from the files as they are.
import { existsSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { structuredPatch } from 'diff';
import { UserError } from '../../base/errors/index.ts';
import {
  clearSwap,
  clientLock,
  readSettingsFile,
  retryChanged,
  swapSettingsFile,
  withClientLock,
} from '../../settings/index.ts';
import { stateFolder } from '../../store/index.ts';
import type { Plan } from './add.ts';
import type { Derived, Place, Target } from './content.ts';
import type { PartName } from './parts.ts';
import {
  type Added,
  hashText,
  nameCopy,
  ownFolders,
  type RecordedFile,
  type RootRecord,
  removeLeftCopies,
  setupFolder,
  writeCopy,
  writeRecord,
} from './record.ts';

export interface FileChange {
  readonly target: Target;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface WrittenFile {
  readonly file: string;
  readonly action: 'create' | 'change' | 'delete';
  readonly backup: string | null;
}

/** The files that the plan changes. */
export function previewChanges(plan: Plan): readonly FileChange[] {
  return plan.targets.flatMap((target) => {
    const before = readSettingsFile(target.file);
    const { after } = target.derive(before);
    return after === before ? [] : [{ target, before, after }];
  });
}

export function nameAction({ before, after }: Pick<FileChange, 'before' | 'after'>): WrittenFile['action'] {
  return after === undefined ? 'delete' : before === undefined ? 'create' : 'change';
}

/** As `diff -u` prints it; nothing around the changes of a file that Claude Code writes, because it has private values. */
export function formatDiff({ target, before, after }: FileChange): string {
  const context = target.isShared === true ? 0 : 3;
  const { hunks } = structuredPatch('', '', before ?? '', after ?? '', '', '', { context });
  const head = `--- ${before === undefined ? '/dev/null' : target.file}\n+++ ${after === undefined ? '/dev/null' : target.file}\n`;
  const bodies = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) =>
    [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines, ''].join('\n'),
  );
  return `${head}${bodies.join('')}`;
}

/** The caller holds the settings lock, and has made the plan since. */
export async function applyPlan(plan: Plan, place: Place, record: RootRecord): Promise<readonly WrittenFile[]> {
  const work = new SetupWork(plan, place, record);
  const written: WrittenFile[] = [];
  for (const target of plan.targets) {
    const one = await work.write(target);
    if (one !== undefined) written.push(one);
  }
  work.finish();
  return written;
}

class SetupWork {
  readonly #plan: Plan;
  readonly #place: Place;
  readonly #state: string;
  #record: RootRecord;

  constructor(plan: Plan, place: Place, record: RootRecord) {
    this.#plan = plan;
    this.#place = place;
    this.#state = stateFolder(place.env);
    const isNew = Object.keys(record.added).length === 0;
    const folders = record.folders ?? (isNew && Object.keys(plan.known).length === 0 ? [] : undefined);
    this.#record = {
      files: record.files,
      added: uniteParts(plan.known, plan.goal),
      goal: Object.keys(plan.goal) as PartName[],
      ...(folders === undefined ? {} : { folders }),
    };
  }

  async write(target: Target): Promise<WrittenFile | undefined> {
    const { file } = target;
    if (target.isShared !== true) return this.#swap(target);
    const text = readSettingsFile(file);
    // The lock of a call that was killed is removed too.
    if (target.derive(text).after === text && !existsSync(clientLock(file)) && !clearSwap(file, this.#state)) return;
    return withClientLock(file, () => this.#swap(target));
  }

  /** Everything is in place: what is not wanted any more is forgotten. */
  finish(): void {
    const { goal, targets } = this.#plan;
    const isNeeded = ([file]: readonly [string, RecordedFile]): boolean => {
      const target = targets.find((each) => each.file === file);
      return target?.parts.some((part) => goal[part] !== undefined) === true;
    };
    const folders = this.#removeFolders();
    const files = Object.fromEntries(Object.entries(this.#record.files).filter(isNeeded));
    const { goal: _, folders: _folders, ...rest } = this.#record;
    writeRecord(this.#place.env, this.#place.root, {
      ...rest,
      files,
      added: goal,
      ...(folders === undefined ? {} : { folders }),
    });
    removeLeftCopies(this.#place.env);
  }

  async #swap(target: Target): Promise<WrittenFile | undefined> {
    const { file } = target;
    const state = this.#state;
    clearSwap(file, state);
    let left = tornReads;
    const done = await retryChanged(file, () => {
      const before = readSettingsFile(file);
      const derived = deriveWhole(target, before, --left > 0);
      if (derived === undefined) return undefined;
      const { after } = derived;
      if (after === before) return { written: undefined };
      const backup = this.#announce(file, before, derived);
      if (!swapSettingsFile({ file, before, after, state })) return undefined;
      return { written: { file, action: nameAction({ before, after }), backup } };
    });
    return done.written;
  }

  /** The copy before the record, and the record before the file: a copy that no record names is removed at the next end. */
  #announce(file: string, before: string | undefined, { base, after }: Derived): string | null {
    const { env, root } = this.#place;
    const backup = base === undefined ? null : nameCopy(file, base);
    if (backup !== null && base !== undefined) writeCopy(env, backup, base);
    const state = { beforeHash: hashText(base), backup, afterHash: hashText(before), nextHash: hashText(after) };
    const folders = after === undefined ? undefined : this.#addFolders(file);
    this.#record = {
      ...this.#record,
      files: { ...this.#record.files, [file]: state },
      ...(folders === undefined ? {} : { folders }),
    };
    writeRecord(env, root, this.#record);
    return backup === null ? null : path.join(setupFolder(env), backup);
  }

  #addFolders(file: string): readonly string[] | undefined {
    const { folders } = this.#record;
    const { root } = this.#place;
    const missing = ownFolders.filter((name) => {
      const folder = path.join(root, name);
      return (file.startsWith(folder + path.sep) && !existsSync(folder)) || folders?.includes(name);
    });
    return folders === undefined ? undefined : missing;
  }

  /** Those that setup made, and that are empty now. Older versions did not record them. Returns those that stay. */
  #removeFolders(): readonly string[] | undefined {
    const { folders, added } = this.#record;
    if (this.#plan.goal.skill !== undefined || (folders === undefined && added.skill === undefined)) return folders;
    const all = (folders ?? ownFolders.filter((name) => name !== '')).toReversed();
    return all.filter((name) => !removeEmpty(path.join(this.#place.root, name))).toReversed();
  }
}

/** A program that writes a file in place leaves it empty or cut off for a moment. */
const tornReads = 10;

function deriveWhole(target: Target, text: string | undefined, mayBeTorn: boolean): Derived | undefined {
  if (mayBeTorn && text !== undefined && text.trim() === '') return undefined;
  try {
    return target.derive(text);
  } catch (error) {
    if (mayBeTorn && error instanceof UserError) return undefined;
    throw error;
  }
}

function uniteParts(known: Added, goal: Added): Added {
  const all: Partial<Record<PartName, Added[PartName]>> = { ...known };
  for (const [part, value] of Object.entries(goal) as [PartName, NonNullable<Added[PartName]>][]) {
    const commands = [...new Set([...commandList(value), ...commandList(known[part])])];
    all[part] = { ...value, ...(commands.length === 0 ? {} : { commands }) };
  }
  return all as Added;
}

function commandList(value: Added[PartName]): readonly string[] {
  return Array.isArray(value?.commands) ? value.commands.map(String) : [];
}

function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    // It is not empty, or not there; finding out which of both would not change anything.
    return !existsSync(folder);
  }
}
