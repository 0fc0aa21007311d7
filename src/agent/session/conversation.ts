// Entries in writing order → the messages of the next request, by the rules that a resume uses to read the file. So a
// resume sends exactly what the model was sent.
import { thinkingId } from '../../api/request/thinking-prefix.ts';
import { asObject, asString, isArray, isObject, type JsonObject } from '../../base/json/json.ts';
import { windowTokensOf } from '../../format/entry/usage.ts';
import { plainModelName, withoutModelDate } from '../../models/model-name.ts';
import { canonicalModel } from '../../session/resume/client/client.ts';
import { type Draft, draftLines, type WireMessage } from '../../session/resume/messages/draft.ts';
import { filterDrafts, isThinking } from '../../session/resume/messages/filter.ts';
import { forRequest } from '../../session/resume/messages/for-request.ts';
import { mergeDrafts } from '../../session/resume/messages/merge.ts';
import { type ClientHost, requestModel } from '../../session/resume/messages/model.ts';
import { repairMessages } from '../../session/resume/messages/repair.ts';
import { withAnsweredEnd } from '../../session/resume/messages/tail.ts';
import { madeNode } from '../../surgery/request/request-parts.ts';
import { type KnownThinking, readMark, type ThinkingMarks } from './thinking.ts';

export interface ConversationStart {
  readonly drafts: readonly Draft[];
  readonly marks?: ThinkingMarks;
  /** Drafts of private lines: thinking that only our own requests send. */
  readonly privateDrafts?: ReadonlySet<Draft>;
}

export class Conversation {
  #drafts: Draft[];
  readonly #marks: Map<string, KnownThinking>;
  readonly #privateDrafts: Set<Draft>;

  constructor({ drafts, marks = new Map(), privateDrafts = new Set() }: ConversationStart = { drafts: [] }) {
    this.#drafts = [...drafts];
    this.#marks = new Map(marks);
    this.#privateDrafts = new Set(privateDrafts);
  }

  get length(): number {
    return this.#drafts.length;
  }

  /** Marks of every thinking block. */
  get marks(): ThinkingMarks {
    return this.#marks;
  }

  /** `isPrivate`: only our own requests send it. */
  add(entry: JsonObject, isPrivate = false): void {
    const drafts = draftLines([madeNode(entry, 0)], () => entry);
    this.#drafts.push(...drafts);
    for (const draft of isPrivate ? drafts : []) this.#privateDrafts.add(draft);
    noteThinking(entry, this.#marks);
  }

  /** Removes everything that was added since it had this length. */
  cutTo(length: number): void {
    this.#drafts.length = Math.min(length, this.#drafts.length);
  }

  /** The messages of a request to `model`; a gateway gets only the thinking of the same model. */
  messages(model: string, host: ClientHost = 'gateway'): readonly WireMessage[] {
    return sent(forRequest(filterDrafts(this.#drafts), this.#nameOf(model), host));
  }

  /** A model may be named without a date and answer under its full name. */
  #nameOf(model: string): string {
    const plain = plainName(model);
    const answered = this.#drafts.findLast((draft) => draft.model !== undefined && plainName(draft.model) === plain);
    return canonicalModel(answered?.model ?? model) ?? model;
  }

  /** The tokens of the context window that the last answer used; 0 after a compaction or without an answer. */
  get windowTokens(): number {
    for (let i = this.#drafts.length - 1; i >= 0; i--) {
      const usage = this.#drafts[i]?.lines[0]?.message?.usage;
      const tokens = usage === undefined ? 0 : windowTokensOf(usage);
      if (tokens > 0) return tokens;
    }
    return 0;
  }

  /** The messages that a resume of the file sends before a prompt. */
  resumed(): { readonly messages: readonly WireMessage[]; readonly model: string } {
    const filtered = filterDrafts(this.#drafts.filter((draft) => !this.#privateDrafts.has(draft)));
    const model = requestModel(filtered);
    return { messages: sent(withAnsweredEnd(forRequest(filtered, model, 'gateway'))), model };
  }
}

/** Stores what a line says about its thinking. */
export function noteThinking(entry: JsonObject, marks: Map<string, KnownThinking>): void {
  const message = asObject(entry.message);
  if (entry.type !== 'assistant' || !isArray(message?.content)) return;
  for (const block of message.content.filter(isObject).filter(isThinking))
    marks.set(thinkingId(block), { mark: readMark(entry.clewPrefix), model: asString(message.model) });
}

function plainName(model: string): string {
  return withoutModelDate(plainModelName(model));
}

function sent(drafts: readonly Draft[]): readonly WireMessage[] {
  return repairMessages(mergeDrafts(drafts)).map(({ role, content }) => ({ role, content }));
}
