// Questions of the right side of the session page → the files that were changed up to a turn, the changes of one of them,
// and the to-do list after the turn.
import { fileEdits, sideView } from '../../../export/side/index.ts';
import type { EditsAnswer, EditsQuery, SideAnswer, SideQuery } from '../../wire/index.ts';
import { Refusal } from '../protocol/index.ts';
import type { Of } from './session-answers.ts';
import type { CachedSession, SessionCache } from './session-cache.ts';

export class SideAnswers {
  readonly #cache: SessionCache;

  constructor(cache: SessionCache) {
    this.#cache = cache;
  }

  async side(query: Of<SideQuery>): Promise<SideAnswer> {
    const { session } = await this.#open(query);
    return sideView(session, query);
  }

  async edits(query: Of<EditsQuery>): Promise<EditsAnswer> {
    const { session } = await this.#open(query);
    const found = await fileEdits(session, query);
    if (found === undefined) throw new Refusal(404, 'no such file was changed');
    return found;
  }

  #open({ path, agent }: Of<SideQuery>): Promise<CachedSession> {
    return agent === undefined ? this.#cache.open(path) : this.#cache.openAgent(path, agent);
  }
}
