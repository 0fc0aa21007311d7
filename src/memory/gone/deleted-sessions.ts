// Sessions without a transcript and without a copy in the archive: only prompts are left of them, in the client's history.
import { statSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../../base/node/index.ts';
import { tokensOf } from '../../base/text/index.ts';
import { type DeletedPrompt, type DeletedSession, deletedPrompts } from '../../library/deleted/index.ts';
import { projectsFolders } from '../../store/index.ts';
import type { ProjectScope } from '../scope/index.ts';

export interface DeletedOptions {
  readonly roots: readonly string[];
  readonly env: Environment;
}

export interface FoundPrompt {
  readonly session: DeletedSession;
  readonly prompt: DeletedPrompt;
}

export interface DeletedFilter {
  /** `undefined`: all projects. */
  readonly scope: ProjectScope | undefined;
  /** The ids of sessions to leave out, in small letters. */
  readonly without: ReadonlySet<string>;
}

const longestPrompt = 20_000;
const keptMs = 60_000;

export class DeletedSessions {
  readonly #options: DeletedOptions;
  #state = '';
  #readMs = 0;
  #sessions: readonly DeletedSession[] = [];
  #prompts: readonly DeletedPrompt[] = [];

  constructor(options: DeletedOptions) {
    this.#options = options;
  }

  /** The newest first. */
  list({ scope, without }: DeletedFilter): readonly DeletedSession[] {
    this.#read();
    const left = this.#sessions
      .filter(({ id }) => !without.has(id.toLowerCase()))
      .map((session) => ({ session, cwd: session.cwd, slug: session.project, worktree: undefined }));
    return (scope === undefined ? left : scope.filter(left)).map(({ session }) => session);
  }

  promptsOf(session: DeletedSession): readonly DeletedPrompt[] {
    return this.#prompts.filter(({ id, isCommand }) => id === session.id && !isCommand);
  }

  /** Prompts with at least half of the words, those with the most first, then the newest. */
  search(query: string, since: number | undefined, filter: DeletedFilter): readonly FoundPrompt[] {
    const sessions = new Map(this.list(filter).map((session) => [session.id, session]));
    const wanted = [...new Set(wordsOf(query))];
    if (sessions.size === 0 || wanted.length === 0) return [];
    const found = this.#prompts.flatMap((prompt) => {
      const session = sessions.get(prompt.id);
      if (session === undefined || prompt.isCommand || (since !== undefined && !(prompt.time >= since))) return [];
      const words = new Set(wordsOf(prompt.text.slice(0, longestPrompt)));
      const matched = wanted.filter((word) => words.has(word)).length;
      return 2 * matched >= wanted.length ? [{ session, prompt, matched }] : [];
    });
    return found.sort((a, b) => b.matched - a.matched || (b.prompt.time || 0) - (a.prompt.time || 0));
  }

  /** Again if the history has changed, or a transcript may have been deleted. */
  #read(): void {
    const { roots, env } = this.#options;
    const histories = projectsFolders(roots).map(({ projects }) =>
      statSync(path.join(path.dirname(projects), 'history.jsonl'), { throwIfNoEntry: false }),
    );
    const state = histories.map((each) => `${each?.size} ${each?.mtimeMs}`).join();
    if (state === this.#state && Date.now() - this.#readMs < keptMs) return;
    const isThere = histories.some((each) => each !== undefined);
    const found = isThere ? deletedPrompts({ roots, env }) : undefined;
    this.#sessions = found?.sessions ?? [];
    this.#prompts = [...(found?.prompts ?? [])];
    this.#state = state;
    this.#readMs = Date.now();
  }
}

function wordsOf(text: string): readonly string[] {
  return Array.from(tokensOf(text), ({ word }) => word);
}
