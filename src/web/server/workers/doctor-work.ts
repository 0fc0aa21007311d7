// A worker that diagnoses sessions and repairs them. It examines the whole library one session at a time, and answers
// questions in between.
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  type DamageCode,
  damageClasses,
  type Finding,
  type Severity,
  severities,
} from '../../../doctor/checks/index.ts';
import { diagnoseLibrary, findFolderDamage } from '../../../doctor/diagnosis/index.ts';
import { isRepairable } from '../../../doctor/repair/index.ts';
import { IndexHandle, type JudgedSession, saveVerdicts } from '../../../library/index/index.ts';
import { discoverSessions, type ProjectsFolder, projectsFolders } from '../../../store/index.ts';
import type { DoctorRow, LibraryDoctorAnswer } from '../../wire/index.ts';
import { ActionAnswers } from '../actions/index.ts';
import { findingView, RepairAnswers } from '../answers/index.ts';
import { ArchivedFiles, ArchiveList } from '../archived/index.ts';
import type { ThreadSetup } from './thread.ts';
import type { DoctorFound, Emit, LibraryDoctorFound, WorkerMethods } from './worker-methods.ts';

type DoctorSetup = Pick<ThreadSetup, 'roots' | 'state' | 'isDemo' | 'archivedFolder'>;

export function doctorMethods(setup: DoctorSetup, emit: Emit<'doctor'>): WorkerMethods['doctor'] {
  // The demo's folders do not exist on this disk.
  const folders = setup.isDemo ? [] : projectsFolders(setup.roots);
  const repairs = new RepairAnswers(folders);
  const index = new IndexHandle({ folder: setup.state });
  const actions = new ActionAnswers(setup.roots);
  const archive = new ArchiveList(setup.roots, new ArchivedFiles(path.join(setup.archivedFolder, 'list')));
  const library = new LibraryDoctor(setup, folders, emit, index);
  return {
    diagnosis: async (query) => {
      const { answer, judged } = await repairs.diagnosis(query);
      if (judged !== undefined) saveAndEmit(index, emit, [judged]);
      return answer;
    },
    preview: (query) => repairs.preview(query),
    apply: (query) => repairs.apply(query),
    previewAction: (query) => actions.preview(query),
    applyAction: (query) => actions.apply(query),
    previewActions: (query) => actions.previewMany(query),
    applyActions: (query) => actions.applyMany(query),
    operations: () => repairs.operations(),
    undo: (query) => repairs.undo(query),
    archive: () => {
      const found = archive.read();
      archive
        .describe((row) => emit('archived', row))
        .catch((error) => emit('notice', `reading the archive failed: ${messageOf(error)}`));
      return found;
    },
    start: () => library.start(),
    library: () => library.answer(),
  };
}

const maxFindings = 500;
/** Every write of the index waits for the disk. */
const verdictBatch = 32;

/** Writes to the index first: listeners may read it there. */
function saveAndEmit(index: IndexHandle, emit: Emit<'doctor'>, judged: readonly JudgedSession[]): void {
  try {
    index.ask((database) => saveVerdicts(database, judged));
  } catch {
    // The index worker reports its problems; the page still gets the verdict.
  }
  for (const { path, verdict } of judged) emit('judged', { path, severity: verdict });
}

class LibraryDoctor {
  readonly #setup: DoctorSetup;
  readonly #folders: readonly ProjectsFolder[];
  readonly #emit: Emit<'doctor'>;
  readonly #index: IndexHandle;
  #state: LibraryDoctorAnswer['state'] = 'idle';
  #done = { bytesDone: 0, bytesTotal: 0, sessionsDone: 0, sessionsTotal: 0 };
  #rows: DoctorFound[] = [];
  #inFolders: readonly Finding[] = [];
  #unread = new Map<string, string>();
  #counts = new Map<DamageCode, { severity: Severity; findings: number; sessions: number }>();

  constructor(setup: DoctorSetup, folders: readonly ProjectsFolder[], emit: Emit<'doctor'>, index: IndexHandle) {
    this.#index = index;
    this.#setup = setup;
    this.#folders = folders;
    this.#emit = emit;
  }

  start(): LibraryDoctorFound {
    if (this.#state !== 'running') {
      this.#state = 'running';
      this.#run().then(
        () => this.#end('done'),
        (error) => {
          this.#end('failed');
          this.#emit('notice', `examining the library failed: ${messageOf(error)}`);
        },
      );
    }
    return this.answer();
  }

  answer(): LibraryDoctorFound {
    return {
      state: this.#state,
      ...this.#done,
      sessions: this.#rows.toSorted(worstFirst),
      folders: this.#inFolders.slice(0, maxFindings).map(findingView),
      unread: [...this.#unread].map(([path, code]) => ({ path, code })),
      counts: [...this.#counts].map(([code, count]) => ({ code, title: damageClasses[code].title, ...count })),
    };
  }

  async #run(): Promise<void> {
    this.#rows = [];
    this.#counts = new Map();
    const { sessions, problems: found } = await discoverSessions(this.#setup.roots);
    this.#unread = new Map(found.map(({ path, code }) => [path, code]));
    const bytesTotal = sessions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    this.#done = { bytesDone: 0, bytesTotal, sessionsDone: 0, sessionsTotal: sessions.length };
    this.#inFolders = findFolderDamage(this.#folders);
    for (const finding of this.#inFolders) this.#count([finding]);
    const waiting: JudgedSession[] = [];
    for await (const { session, judged, diagnosis, problems } of diagnoseLibrary(sessions, {
      folders: this.#folders,
      nowMs: Date.now(),
    })) {
      this.#done.bytesDone += session.sizeBytes;
      this.#done.sessionsDone++;
      for (const { path, code } of problems) this.#unread.set(path, code);
      if (judged !== undefined) waiting.push(judged);
      if (waiting.length >= verdictBatch) saveAndEmit(this.#index, this.#emit, waiting.splice(0));
      if (diagnosis !== undefined) this.#take(session, diagnosis);
      this.#emit('doctor', { state: this.#state, ...this.#done });
      // Lets other questions run in this thread.
      await setImmediate();
    }
    saveAndEmit(this.#index, this.#emit, waiting);
  }

  #take(
    session: { readonly path: string; readonly sessionId: string; readonly slug: string },
    diagnosis: {
      readonly findings: readonly Finding[];
      readonly reachable: DoctorRow['reachable'];
    },
  ): void {
    const { findings, reachable } = diagnosis;
    const [worst] = findings;
    if (worst === undefined) return;
    // The page lists sessions that expire by their time.
    const reason = findings.find(({ code }) => code !== 'F-expiring') ?? worst;
    const codes = new Map<DamageCode, number>();
    for (const { code } of findings) codes.set(code, (codes.get(code) ?? 0) + 1);
    this.#count(findings);
    this.#rows.push({
      path: session.path,
      id: session.sessionId,
      project: session.slug,
      severity: worst.severity,
      reachable: { loaded: reachable.loaded, of: reachable.of },
      effect: reason.effect,
      isRepairable: findings.some(isRepairable),
      codes: [...codes].map(([code, count]) => ({ code, title: damageClasses[code].title, count })),
    });
  }

  #count(findings: readonly Finding[]): void {
    const seen = new Set<DamageCode>();
    for (const { code, severity } of findings) {
      const known = this.#counts.get(code) ?? { severity, findings: 0, sessions: 0 };
      this.#counts.set(code, {
        severity: rank(severity) < rank(known.severity) ? severity : known.severity,
        findings: known.findings + 1,
        sessions: known.sessions + (seen.has(code) ? 0 : 1),
      });
      seen.add(code);
    }
  }

  #end(state: 'done' | 'failed'): void {
    this.#state = state;
    this.#emit('doctor', { state, ...this.#done });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function worstFirst(a: DoctorFound, b: DoctorFound): number {
  const lost = ({ reachable }: DoctorFound): number => reachable.of - reachable.loaded;
  return rank(a.severity) - rank(b.severity) || lost(b) - lost(a) || (a.path < b.path ? -1 : 1);
}

function rank(severity: Severity): number {
  return severities.indexOf(severity);
}
