// Entries in the order they are written → the messages of the next request, by the very rules by which a resume reads
// them back from the file. So what the model was sent and what a later resume sends cannot drift apart.
import { thinkingId } from '../../api/request-prefix.ts';
import { asObject, asString, isArray, isObject, type JsonObject } from '../../base/json.ts';
import { windowTokensOf } from '../../format/usage.ts';
import { plainModelName, withoutModelDate } from '../../models/model-name.ts';
import { canonicalModel } from '../../session/resume/client.ts';
import { type Draft, draftLines, type WireMessage } from '../../session/resume/draft.ts';
import { filterDrafts, isThinking } from '../../session/resume/filter.ts';
import { forRequest } from '../../session/resume/for-request.ts';
import { mergeDrafts } from '../../session/resume/merge.ts';
import { type ClientHost, requestModel } from '../../session/resume/model.ts';
import { repairMessages } from '../../session/resume/repair.ts';
import { withAnsweredEnd } from '../../session/resume/tail.ts';
import { madeNode } from '../../surgery/request-parts.ts';
import { type KnownThinking, readMark, type ThinkingMarks } from '../fit-thinking.ts';

export interface ConversationStart {
  readonly drafts: readonly Draft[];
  readonly marks?: ThinkingMarks;
  /** Those of the drafts that only our own requests send: thinking that is kept beside the chain. */
  readonly beside?: ReadonlySet<Draft>;
}

export class Conversation {
  #drafts: Draft[];
  readonly #marks: Map<string, KnownThinking>;
  readonly #beside: Set<Draft>;

  constructor({ drafts, marks = new Map(), beside = new Set() }: ConversationStart = { drafts: [] }) {
    this.#drafts = [...drafts];
    this.#marks = new Map(marks);
    this.#beside = new Set(beside);
  }

  get length(): number {
    return this.#drafts.length;
  }

  /** What is known of every thinking block. */
  get marks(): ThinkingMarks {
    return this.#marks;
  }

  /** `isBeside`: only our own requests send it. */
  add(entry: JsonObject, isBeside = false): void {
    const drafts = draftLines([madeNode(entry, 0)], () => entry);
    this.#drafts.push(...drafts);
    for (const draft of isBeside ? drafts : []) this.#beside.add(draft);
    noteThinking(entry, this.#marks);
  }

  /** Forgets what was added since it had this length. */
  cutTo(length: number): void {
    this.#drafts.length = Math.min(length, this.#drafts.length);
  }

  /** What a request to `model` sends now; a gateway gets only the thinking of the same model. */
  messages(model: string, host: ClientHost = 'gateway'): readonly WireMessage[] {
    return sent(forRequest(filterDrafts(this.#drafts), this.#nameOf(model), host));
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
    const filtered = filterDrafts(this.#drafts.filter((draft) => !this.#beside.has(draft)));
    const model = requestModel(filtered);
    return { messages: sent(withAnsweredEnd(forRequest(filtered, model, 'gateway'))), model };
  }
}

/** Notes what a line tells of its thinking. */
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
