// The sessions of one month that changed since the last export → their rows in new files, and a versions file that makes them
// count. Before that file is there, nothing of the export is visible.
import { createHash } from 'node:crypto';
import { type LevelNumber, levelName, levelNumber } from '../contract/index.ts';
import { type LakeMonth, lakeMonth, storeMonth, type VersionsFile, versionsFileName } from './lake-files.ts';
import { anotherExport, type LakeSettings } from './lake-settings.ts';
import { entryKey, type LakeEntry, type MonthState, type Removal, versionsBytes } from './lake-state.ts';
import { lakeTables } from './lake-tables.ts';
import { type LakeLimits, MonthWriter, type WrittenFile } from './month-writer.ts';
import { type LakeStorage, writeWhole } from './storage/index.ts';
import type { StoreHead, StoreReader } from './store-reader.ts';

export interface MonthContext {
  readonly storage: LakeStorage;
  readonly reader: StoreReader;
  readonly settings: LakeSettings;
  readonly limits: LakeLimits;
  /** Milliseconds since 1970, and higher than every number in the lake. */
  nextVersion(): number;
}

export interface ExportedMonth {
  readonly written: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly files: readonly WrittenFile[];
  /** `undefined` if nothing changed. */
  readonly versionsFile: VersionsFile | undefined;
}

/** Sessions that are read together: all of them belong to the same person. */
const sessionsPerRead = 200;

export async function exportMonth(
  context: MonthContext,
  month: LakeMonth,
  { entries }: MonthState,
): Promise<ExportedMonth> {
  const version = context.nextVersion();
  const export_ = new SessionExport(context, month, version);
  const gone = new Set(entries.keys());
  let unchanged = 0;
  try {
    for await (const head of context.reader.heads(storeMonth(month))) {
      const key = entryKey(head);
      gone.delete(key);
      if (entries.get(key)?.contentKey === lakeKey(head, context.settings)) unchanged++;
      else await export_.add(head);
    }
    const files = await export_.finish();
    for (const key of export_.vanished) if (entries.has(key)) gone.add(key);
    if (export_.entries.length === 0 && gone.size === 0)
      return { written: 0, removed: 0, unchanged, files: [], versionsFile: undefined };
    const removals = [...gone].map((key) => entries.get(key)).filter((entry) => entry !== undefined);
    const versionsFile = await commit(context, month, { export: version, entries: export_.entries, removals });
    return { written: export_.entries.length, removed: removals.length, unchanged, files, versionsFile };
  } catch (error) {
    await export_.abandon();
    throw error;
  }
}

export interface Commit {
  readonly export: number;
  readonly entries: Iterable<LakeEntry>;
  readonly removals: Iterable<Removal>;
}

export async function commit(
  { storage, settings }: MonthContext,
  month: LakeMonth,
  { export: number, entries, removals }: Commit,
): Promise<VersionsFile> {
  const name = versionsFileName(month, number);
  const bytes = versionsBytes({ tenant: settings.tenant, export: number }, entries, removals);
  if (!(await writeWhole(storage, name, bytes))) throw anotherExport(storage);
  return { name, export: number, sessionMonth: month };
}

/** Writes the rows of sessions, those of each person together, as one version. */
export class SessionExport {
  readonly entries: LakeEntry[] = [];
  /** Keys of sessions that were gone when their rows were read. */
  readonly vanished: string[] = [];
  readonly #context: MonthContext;
  readonly #month: LakeMonth;
  readonly #version: number;
  readonly #writer: MonthWriter;
  #personId = -1;
  #waiting: string[] = [];

  constructor(context: MonthContext, month: LakeMonth, version: number) {
    this.#context = context;
    this.#month = month;
    this.#version = version;
    this.#writer = new MonthWriter(context.storage, { version, sessionMonth: month }, context.limits);
  }

  async add({ personId, sessionId }: Pick<StoreHead, 'personId' | 'sessionId'>): Promise<void> {
    if (personId !== this.#personId || this.#waiting.length >= sessionsPerRead) await this.#read();
    this.#personId = personId;
    this.#waiting.push(sessionId);
  }

  async finish(): Promise<readonly WrittenFile[]> {
    await this.#read();
    return this.#writer.finish();
  }

  abandon(): Promise<void> {
    return this.#writer.abandon();
  }

  async #read(): Promise<void> {
    const sessionIds = this.#waiting;
    if (sessionIds.length === 0) return;
    this.#waiting = [];
    const { reader, settings } = this.#context;
    const found = new Map<string, StoreHead>();
    const key = { personId: this.#personId, month: storeMonth(this.#month), sessionIds };
    await reader.readSessions(key, settings.tables, {
      heads: (heads) => {
        for (const head of heads) found.set(head.sessionId, head);
      },
      rows: async (table, rows) => {
        for (const row of rows) {
          const head = found.get(String(row.session_id));
          if (head === undefined) continue;
          const own = table === 'sessions' ? { ...row, level: sharedLevel(head, settings) } : row;
          await this.#writer.add(table, lakeMonth(String(row.month)), {
            ...lakeTables[table].toRow(own),
            tenant: settings.tenant,
            person_id: head.personId,
            person: head.person,
            version: this.#version,
          });
        }
      },
    });
    for (const sessionId of sessionIds) {
      const head = found.get(sessionId);
      if (head === undefined) this.vanished.push(entryKey({ personId: this.#personId, sessionId }));
      else
        this.entries.push({
          personId: head.personId,
          person: head.person,
          sessionId,
          version: this.#version,
          level: sharedLevel(head, settings),
          contentKey: lakeKey(head, settings),
        });
    }
  }
}

/** Changes with everything that the rows of a session depend on. */
function lakeKey(head: StoreHead, settings: LakeSettings): string {
  return createHash('sha256')
    .update([head.contentKey, head.person, sharedLevel(head, settings)].join('\n'))
    .digest('hex')
    .slice(0, 32);
}

/** The lower one of the session's level and the lake's. */
function sharedLevel({ level }: Pick<StoreHead, 'level'>, settings: LakeSettings): string {
  return levelName(Math.min(level, levelNumber(settings.level)) as LevelNumber) ?? 'metrics';
}
