// Entries in the order they are written → the messages of the next request, by the very rules by which a resume reads
// them back from the file. So what the model was sent and what a later resume sends cannot drift apart.

import type { JsonObject } from '../../base/json.ts';
import { windowTokensOf } from '../../format/usage.ts';
import { plainModelName, withoutModelDate } from '../../models/model-name.ts';
import { canonicalModel } from '../../session/resume/client.ts';
import { type Draft, draftLines, type WireMessage } from '../../session/resume/draft.ts';
import { filterDrafts } from '../../session/resume/filter.ts';
import { forRequest } from '../../session/resume/for-request.ts';
import { mergeDrafts } from '../../session/resume/merge.ts';
import { requestModel } from '../../session/resume/model.ts';
import { repairMessages } from '../../session/resume/repair.ts';
import { withAnsweredEnd } from '../../session/resume/tail.ts';
import { madeNode } from '../../surgery/request-parts.ts';

export class Conversation {
  #drafts: Draft[];

  constructor(drafts: readonly Draft[] = []) {
    this.#drafts = [...drafts];
  }

  get length(): number {
    return this.#drafts.length;
  }

  add(entry: JsonObject): void {
    this.#drafts.push(...draftLines([madeNode(entry, 0)], () => entry));
  }

  /** Forgets what was added since it had this length. */
  cutTo(length: number): void {
    this.#drafts.length = Math.min(length, this.#drafts.length);
  }

  /** What a request to `model` sends now: thinking is only good for the model that wrote it. */
  messages(model: string): readonly WireMessage[] {
    return sent(forRequest(filterDrafts(this.#drafts), this.#nameOf(model), 'gateway'));
  }

  /** One may ask for a model by a name without a date, and it answers under its full one. */
  #nameOf(model: string): string {
    const plain = plainName(model);
    const answered = this.#drafts.findLast((draft) => draft.model !== undefined && plainName(draft.model) === plain);
    return canonicalModel(answered?.model ?? model) ?? model;
  }

  /** What the last answer took of the window, as the API counted it; nought where a summary or nothing stands. */
  get windowTokens(): number {
    for (let i = this.#drafts.length - 1; i >= 0; i--) {
      const usage = this.#drafts[i]?.lines[0]?.message?.usage;
      const tokens = usage === undefined ? 0 : windowTokensOf(usage);
      if (tokens > 0) return tokens;
    }
    return 0;
  }

  /** What a resume of the file sends before a prompt. */
  resumed(): { readonly messages: readonly WireMessage[]; readonly model: string } {
    const filtered = filterDrafts(this.#drafts);
    const model = requestModel(filtered);
    return { messages: sent(withAnsweredEnd(forRequest(filtered, model, 'gateway'))), model };
  }
}

function plainName(model: string): string {
  return withoutModelDate(plainModelName(model));
}

function sent(drafts: readonly Draft[]): readonly WireMessage[] {
  return repairMessages(mergeDrafts(drafts)).map(({ role, content }) => ({ role, content }));
}
