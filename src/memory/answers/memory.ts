// All sessions that an agent may ask about, and its questions. The index is opened and brought up to date by the first
// question, and before each further one.
import { statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { counted } from '../../base/text/index.ts';
import { type ExportSource, exportSource } from '../../export/source/index.ts';
import type { DeletedSession } from '../../library/deleted/index.ts';
import {
  type Database,
  IndexHandle,
  listSessions,
  newestSessions,
  type ReadSummaries,
  updateRows,
} from '../../library/index/index.ts';
import { updateText } from '../../library/search/index.ts';
import { loadSession } from '../../session/load/index.ts';
import { loadSource } from '../../surgery/engine/index.ts';
import { redactorFor } from '../../surgery/redact/index.ts';
import { type RuleSet, usualRuleSet } from '../../surgery/secrets/index.ts';
import { ArchivedSessions, type DeletedFilter, DeletedSessions, type FoundPrompt } from '../gone/index.ts';
import type { OutlineQuestion, ReadQuestion, SearchQuestion, UsageQuestion } from '../questions/index.ts';
import { AmbiguousTurn, type Reference, readReference } from '../reference/index.ts';
import { type CallEvidence, CallingSession, ProjectScope } from '../scope/index.ts';
import { SecretFilter } from '../text/index.ts';
import { type OutlinedSession, outlineSessions, outlineTurns } from './outline.ts';
import { readPrompts, readTurn } from './read.ts';
import { readExchange } from './read-exchange.ts';
import { searchAnswer } from './search.ts';
import { KnownSessions, namedSessions, type VisibleSession, visibleSessions } from './sessions.ts';
import { usageAnswer } from './usage.ts';

export interface MemoryOptions {
  readonly roots: readonly string[];
  /** Clew's own state folder. */
  readonly state: string;
  readonly env: Environment;
  /** The processes that this one was started by, the nearest first. */
  readonly ancestors: readonly number[];
  /** The user's decision: sessions of all projects. */
  readonly isAllProjects: boolean;
  /** The folders of the project that asks. */
  readonly folders: readonly string[];
  readonly onNotice?: (message: string) => void;
}

/** What an answer may be about. */
interface Visible {
  readonly sessions: readonly VisibleSession[];
  readonly deleted: DeletedFilter;
}

type NamedSession = { readonly session: VisibleSession } | { readonly deleted: DeletedSession };

/** Larger sessions are searched for secrets only as far as they are shown. */
const learnedBytes = 48 * 1024 * 1024;
const keptSources = 4;
const manySessions = 50;

export class Memory {
  readonly #options: MemoryOptions;
  readonly #index: IndexHandle;
  readonly #caller: CallingSession;
  readonly #sources = new Map<string, Promise<ExportSource>>();
  readonly #known: KnownSessions;
  readonly #archived: ArchivedSessions;
  readonly #deleted: DeletedSessions;
  #rules: RuleSet | undefined;
  /** One question at a time: each may restore and remove copies from the archive. */
  #last: Promise<unknown> = Promise.resolve();
  #scope: ProjectScope | undefined;

  constructor(options: MemoryOptions) {
    this.#options = options;
    this.#index = new IndexHandle({
      folder: options.state,
      onNotice: (message) => options.onNotice?.(message),
      onUnavailable: ({ message }) => options.onNotice?.(`${message}; until then every start reads all sessions`),
    });
    this.#caller = new CallingSession(options);
    this.#known = new KnownSessions(options.roots);
    this.#archived = new ArchivedSessions(options);
    this.#deleted = new DeletedSessions(options);
    this.setFolders(options.folders);
  }

  /** The folders of the project, which a client may change. */
  setFolders(folders: readonly string[]): void {
    this.#scope = this.#options.isAllProjects ? undefined : new ProjectScope(folders);
  }

  search(question: SearchQuestion, call: CallEvidence = {}): Promise<string> {
    return this.#ask(call, (database, visible) => {
      updateText(database, { roots: this.#options.roots });
      const sessions = this.#ofProject(visible.sessions, question.project);
      const deleted = (since: number | undefined): readonly FoundPrompt[] =>
        question.project === undefined ? this.#deleted.search(question.query, since, visible.deleted) : [];
      return searchAnswer({ database, sessions, archived: this.#archived, deleted }, question, this.#filter());
    });
  }

  read(question: ReadQuestion, call: CallEvidence = {}): Promise<string> {
    const reference = referenceIn(question.reference);
    return this.#ask(call, async (database, visible) => {
      const found = this.#named(visible, reference);
      let problem: unknown;
      for (const each of found) {
        if ('deleted' in each)
          return readPrompts(each.deleted, this.#deleted.promptsOf(each.deleted), reference, question, this.#filter());
        try {
          return await readTurn(await this.#open(each.session), reference, question, this.#filter());
        } catch (error) {
          if (!(error instanceof UserError) || error instanceof AmbiguousTurn) throw error;
          problem ??= error;
        }
      }
      for (const each of found) {
        const answer =
          'session' in each ? readExchange(database, each.session, reference, question, this.#filter()) : undefined;
        if (answer !== undefined) return answer;
      }
      throw problem;
    });
  }

  outline(question: OutlineQuestion, call: CallEvidence = {}): Promise<string> {
    const reference = question.session === undefined ? undefined : referenceIn(question.session);
    return this.#ask(call, async (database, visible) => {
      const secrets = this.#filter();
      if (reference === undefined) return outlineSessions(this.#listed(database, visible, question), question, secrets);
      const [found] = this.#named(visible, reference);
      if ('session' in found) return outlineTurns(await this.#open(found.session), question, secrets);
      const { tokens } = question;
      const whole = { reference: reference.session, tokens, include: [] };
      return readPrompts(found.deleted, this.#deleted.promptsOf(found.deleted), reference, whole, secrets);
    });
  }

  usage(question: UsageQuestion, call: CallEvidence = {}): Promise<string> {
    return this.#ask(call, (_, { sessions }) => {
      const visible = new Set(sessions.map((session) => session.path));
      const { roots, state, env } = this.#options;
      return usageAnswer(
        { roots, folder: state, env },
        question,
        (session) => visible.has(session.path),
        this.#filter(),
      );
    });
  }

  /** The sessions that were used last, as the index has them: nothing is read for this. */
  recent(limit: number): readonly { readonly sessionId: string; readonly title: string }[] {
    const { roots } = this.#options;
    return this.#index.ask((database) => {
      const visible = new Set(this.#visible(database, {}).sessions.map((session) => session.path));
      const { sessions } = newestSessions(database, roots, limit * 8);
      const secrets = this.#filter();
      return sessions
        .filter((session) => visible.has(session.path))
        .slice(0, limit)
        .map(({ sessionId, title, firstPrompt }) => ({
          sessionId,
          title: secrets.line(title ?? firstPrompt ?? '', 80) || sessionId,
        }));
    });
  }

  close(): void {
    this.#sources.clear();
    this.#archived.release();
    this.#index.close();
  }

  #ask(
    call: CallEvidence,
    answer: (database: Database, visible: Visible) => Promise<string> | string,
  ): Promise<string> {
    const work = this.#last.then(() =>
      this.#index.work(async (database) => {
        this.#update(database);
        await this.#archived.update(database);
        try {
          return await answer(database, this.#visible(database, call));
        } finally {
          // What a session that is kept open still reads stays until the end.
          if (this.#sources.size === 0) this.#archived.release();
        }
      }),
    );
    this.#last = work.catch(() => undefined);
    return work;
  }

  /** The first time, what a list of sessions shows is made while they are read; later it would read them twice. */
  #update(database: Database): void {
    const { roots } = this.#options;
    const summaries: ReadSummaries = new Map();
    updateRows(database, { roots, summaries });
    if (summaries.size >= manySessions) listSessions(database, { roots, summaries });
  }

  #visible(database: Database, call: CallEvidence): Visible {
    const own = this.#caller.ids(database, call);
    const all = this.#known.list(database, (file) => this.#archived.has(file));
    const known = new Set([...own, ...all.map(({ sessionId }) => sessionId.toLowerCase())]);
    return { sessions: visibleSessions(all, this.#scope, own), deleted: { scope: this.#scope, without: known } };
  }

  #named(visible: Visible, reference: Reference): readonly [NamedSession, ...NamedSession[]] {
    const deleted = this.#deleted
      .list(visible.deleted)
      .map((each) => ({ deleted: each, sessionId: each.id, endedAt: each.endedAt }));
    const sessions = visible.sessions.map((session) => ({
      session,
      sessionId: session.sessionId,
      endedAt: session.endedAt,
    }));
    return namedSessions<(typeof deleted)[number] | (typeof sessions)[number]>([...sessions, ...deleted], reference);
  }

  /** The newest first. */
  #listed(database: Database, visible: Visible, { project }: OutlineQuestion): readonly OutlinedSession[] {
    const sessions = this.#ofProject(visible.sessions, project);
    const files = new Set(sessions.map((session) => session.path));
    const onDisk = listSessions(database, { roots: this.#options.roots }).sessions.filter(({ path }) =>
      files.has(path),
    );
    const select = database.prepare('SELECT title, first_prompt, turns FROM sessions WHERE id = ?');
    const archived = sessions.flatMap(({ path: file, row, sessionId, endedAt }) => {
      if (!this.#archived.has(file)) return [];
      const { title, first_prompt: prompt, turns } = select.get(row) ?? {};
      return [
        { sessionId, endedAt, title: textOr(title, prompt), size: `${counted(Number(turns), 'turn')}, archived` },
      ];
    });
    const deleted = project === undefined ? this.#deleted.list(visible.deleted) : [];
    return [
      ...onDisk.map(({ sessionId, endedAt, title, firstPrompt, turns }) => ({
        ...{ sessionId, endedAt, title: title ?? firstPrompt },
        size: counted(turns, 'turn'),
      })),
      ...archived,
      ...deleted.map(({ id, endedAt, title, left }) => ({
        ...{ sessionId: id, endedAt, title },
        size: `${counted(left.prompts, 'prompt')} left`,
      })),
    ].sort((a, b) => (b.endedAt || 0) - (a.endedAt || 0));
  }

  /** Only narrows: a folder, or a part of its path. */
  #ofProject(sessions: readonly VisibleSession[], project: string | undefined): readonly VisibleSession[] {
    if (project === undefined) return sessions;
    if (path.isAbsolute(project)) return new ProjectScope([project]).filter(sessions);
    const wanted = project.normalize('NFC').toLowerCase();
    return sessions.filter(({ cwd, slug }) => (cwd ?? slug).normalize('NFC').toLowerCase().includes(wanted));
  }

  /** For one answer: what it learns in one session says nothing about another. */
  #filter(): SecretFilter {
    this.#rules ??= usualRuleSet(this.#options.state);
    return new SecretFilter(this.#rules);
  }

  /** Opened once as long as the transcript does not change; with what is secret in any of its files. */
  async #open({ path: file }: VisibleSession): Promise<ExportSource> {
    await this.#archived.restore([file]);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) throw new UserError('the transcript of this session is gone', 'search for another one');
    const key = `${file} ${stats.size} ${stats.mtimeMs}`;
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    const opened = this.#load(file, stats.size);
    this.#sources.set(key, opened);
    const [oldest] = this.#sources.keys();
    if (this.#sources.size > keptSources && oldest !== undefined) this.#sources.delete(oldest);
    opened.catch(() => this.#sources.delete(key));
    return opened;
  }

  async #load(file: string, size: number): Promise<ExportSource> {
    if (size > learnedBytes) return exportSource(await loadSession(file, { strict: false }));
    this.#rules ??= usualRuleSet(this.#options.state);
    const source = await loadSource(file);
    return exportSource(source.session, redactorFor([source], this.#rules));
  }
}

function textOr(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === 'string');
}

function referenceIn(text: string): Reference {
  const reference = readReference(text);
  if (reference !== undefined) return reference;
  throw new UserError('that is not a reference', 'write clew:SESSION#TURN, as search returns it');
}
