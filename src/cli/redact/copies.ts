// The copies of a session's secrets everywhere else: searched for in all roots and in Clew's own folder, cleaned or listed, and
// then searched for again.
import path from 'node:path';
import { isWithin, realPath } from '../../base/files/index.ts';
import { counted } from '../../base/text/index.ts';
import { archiveFolder } from '../../library/archive/index.ts';
import { sessionPlace } from '../../library/session-files/index.ts';
import { namesIn, stateFolder } from '../../store/index.ts';
import {
  type CleanFiles,
  type CleaningOptions,
  countArchived,
  explainCopies,
  type KnownValue,
  markPurge,
  type PurgedValue,
  planCleaning,
  type Redactor,
  readPurges,
  redactArchive,
  type SearchReport,
  searchFiles,
} from '../../surgery/redact/index.ts';
import { hashValue } from '../../surgery/secrets/index.ts';
import { deleteHeldBatch, findBatches, tracePlaces } from '../../trace/state/index.ts';
import type { CommandInput } from '../command/index.ts';
import { showByteProgress } from '../terminal/index.ts';

export interface CleanedCopies {
  readonly notes: readonly string[];
  /** Copies that remain, and files that could not be searched, as sentences. */
  readonly remaining: readonly string[];
}

export interface CopiesOptions {
  readonly main: string;
  readonly redactor: Redactor;
  readonly roots: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stderr: CommandInput['io']['stderr'];
  readonly onWait: (holder: string) => void;
}

/** The folders and files to search for copies of what was in these sessions. */
export function searchedPlaces(mains: readonly string[], roots: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const all = [...new Set([...roots.map((root) => path.resolve(root)), ...mains.map(rootOf)])];
  // The client keeps its settings and old prompts next to `~/.claude`.
  const settings = all
    .filter((root) => path.basename(root) === '.claude')
    .flatMap((root) => settingsNextTo(path.dirname(root)));
  return [...all, ...all.map((root) => path.join(root, 'projects')), ...settings, stateFolder(env)];
}

function settingsNextTo(home: string): string[] {
  const names = namesIn(home).filter((name) => name.startsWith('.claude.json'));
  return names.map((name) => path.join(home, name));
}

/** The folder of the project for a session outside of a root. */
function rootOf(main: string): string {
  const { projects } = sessionPlace(main);
  return path.basename(projects) === 'projects' ? path.dirname(projects) : path.dirname(main);
}

/** Values that were redacted before and are in the session again, or in its prompts. */
export async function findReturned(main: string, env: NodeJS.ProcessEnv): Promise<readonly KnownValue[]> {
  const { salt, values } = recordedValues(sessionIdOf(main), env);
  if (values.length === 0) return [];
  const history = path.join(rootOf(main), 'history.jsonl');
  const { found } = await searchFiles([main, main.replace(/\.jsonl$/, ''), history], { salt, values });
  return knownValues(found);
}

function knownValues(found: ReadonlyMap<PurgedValue, string>): readonly KnownValue[] {
  return [...found].map(([{ kind, placeholder }, value]) => ({ kind, placeholder, value }));
}

function sessionIdOf(main: string): string {
  return path.basename(main, '.jsonl');
}

function recordedValues(sessionId: string, env: NodeJS.ProcessEnv) {
  const { salt, purges } = readPurges(stateFolder(env));
  const purge = purges.find((each) => each.sessionId === sessionId);
  return { salt, purge, values: purge?.values ?? [] };
}

/** What `cleanArchive` would do. */
export function planArchive({ main, redactor, env }: CopiesOptions, isInPlace: boolean): readonly string[] {
  const held = countArchived(main, redactor, archiveFolder(env));
  if (held === 0) return [];
  const copies = counted(held, 'copy', 'copies');
  const hold = held === 1 ? 'holds' : 'hold';
  return [isInPlace ? `${copies} in the archive would be replaced` : `${copies} in the archive also ${hold} them`];
}

export async function cleanArchive({ main, redactor, env, onWait }: CopiesOptions): Promise<CleanedCopies> {
  const folder = archiveFolder(env);
  const sessionId = sessionIdOf(main);
  try {
    const { purge } = recordedValues(sessionId, env);
    const isArchived = purge?.isArchived === true || countArchived(main, redactor, folder) > 0;
    if (isArchived) await markPurge(stateFolder(env), sessionId, { isArchived });
    const gone = await redactArchive(main, redactor, { folder, onWait, isArchived });
    const copies = counted(gone, 'copy', 'copies');
    return {
      notes:
        gone === 0
          ? []
          : [`${copies} in the archive held them and ${gone === 1 ? 'was' : 'were'} replaced by the redacted one`],
      remaining: [],
    };
  } catch (error) {
    return { notes: [], remaining: [`the archive (${folder}) still holds them: ${messageOf(error)}`] };
  }
}

/** What `cleanCopies` would do. */
export async function planCopies(options: CopiesOptions): Promise<readonly string[]> {
  const report = await searchCopies(options);
  const cleaning = cleaningOptions(options);
  const others = report.copies.filter(({ file }) => !isRedactedFirst(file, options.main));
  const { cleanable, kept } = planCleaning(others, cleaning);
  const would = [...cleanable, ...ownBatches(options)].map(({ action, what }) => `would ${action} ${what}`);
  return [...would, ...kept, ...unreadFiles(report)];
}

/** The session's own files, what the client keeps of it, and its prompts. */
function isRedactedFirst(file: string, main: string): boolean {
  const root = realPath(rootOf(main));
  return isWithin(root, file) && (file.includes(sessionIdOf(main)) || file === path.join(root, 'history.jsonl'));
}

/** Cleans the archive, Clew's folder and what the client keeps, and searches again. A failure does not stop the rest. */
export async function cleanCopies(options: CopiesOptions): Promise<CleanedCopies> {
  const clean: CleanFiles = new Map();
  const before = await searchCopies(options, clean);
  const archive = await cleanArchive(options);
  const notes = [...archive.notes];
  const failed: string[] = [...archive.remaining];
  const { cleanable } = planCleaning(before.copies, cleaningOptions(options));
  for (const { action, what, clean } of [...cleanable, ...ownBatches(options)]) {
    try {
      await clean();
      notes.push(`${action === 'delete' ? 'deleted' : 'redacted'} ${what}`);
    } catch (error) {
      failed.push(`${what} could not be changed: ${messageOf(error)}`);
    }
  }
  const after = await searchCopies(options, clean);
  const remaining = [...explainCopies(after.copies, cleaningOptions(options)), ...unreadFiles(after)];
  if (remaining.length + failed.length === 0)
    await markPurge(stateFolder(options.env), sessionIdOf(options.main), { doneAt: new Date().toISOString() });
  const result = remaining.length + failed.length === 0 ? 'no copy is left: ' : '';
  return { notes: [...notes, `${result}${searchedText(after)}`], remaining: [...failed, ...remaining] };
}

/** The same for a session whose backup stays: only the archive is cleaned. */
export async function finishArchive(options: CopiesOptions): Promise<CleanedCopies> {
  const clean: CleanFiles = new Map();
  await searchCopies(options, clean);
  const archive = await cleanArchive(options);
  const after = await searchCopies(options, clean);
  const remaining = [...explainCopies(after.copies, cleaningOptions(options)), ...unreadFiles(after)];
  return { notes: archive.notes, remaining: [...archive.remaining, ...remaining] };
}

/** What is found is known to the redactor then. */
async function searchCopies(options: CopiesOptions, clean?: CleanFiles): Promise<SearchReport> {
  const { salt, values } = recordedValues(sessionIdOf(options.main), options.env);
  const known = options.redactor.values().flatMap(({ kind, placeholder, value }): PurgedValue[] => {
    const hash = hashValue(value, salt);
    return hash === undefined || values.some(({ sha256 }) => sha256 === hash.sha256)
      ? []
      : [{ kind, placeholder, ...hash }];
  });
  const places = searchedPlaces([options.main], options.roots, options.env);
  const progress = showByteProgress(options.stderr, 'searching');
  const all = { salt, values: [...values, ...known], archive: archiveFolder(options.env), progress };
  const report = await searchFiles(places, clean === undefined ? all : { ...all, clean });
  for (const found of knownValues(report.found)) options.redactor.learnValue(found);
  return report;
}

function cleaningOptions({ main, roots, redactor, env }: CopiesOptions): CleaningOptions {
  return { state: stateFolder(env), sessionId: sessionIdOf(main), roots: [rootOf(main), ...roots], redactor };
}

function ownBatches({ main, redactor, env }: CopiesOptions) {
  const sessionId = sessionIdOf(main);
  const batches = findBatches(tracePlaces(env), (bytes) => redactor.holdsValue(bytes));
  const own = batches.filter((batch) => batch.sessionId === sessionId);
  if (own.length === 0) return [];
  const what = `${counted(own.length, 'batch', 'batches')} of unsent traces`;
  return [{ action: 'delete' as const, what, clean: async () => own.forEach(deleteHeldBatch) }];
}

function unreadFiles({ unread }: SearchReport): readonly string[] {
  return unread.map(({ file, reason }) => `${file} could not be searched (${reason}) and may hold them`);
}

function searchedText({ folders, partly }: SearchReport): string {
  const files = folders.reduce((sum, folder) => sum + folder.files, 0);
  const rest = partly.length === 0 ? '' : `; ${partly.length} only in part, see \`clew redact --prove\``;
  return `searched every byte of ${counted(files, 'file')} in ${folders.map(({ folder }) => folder).join(', ')}${rest}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
