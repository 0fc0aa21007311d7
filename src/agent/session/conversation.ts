// Entries in writing order → the messages of the next request, by the rules that a resume uses to read the file. So a
// resume sends exactly what the model was sent.

import { randomUUID } from 'node:crypto';
import type { ModelRequest } from '../../api/client/index.ts';
import { asObject, type JsonObject } from '../../base/json/index.ts';
import { windowTokensOf } from '../../format/entry/index.ts';
import { plainModelName, withoutModelDate } from '../../models/index.ts';
import { isWrittenByClew } from '../../session/facts/index.ts';
import { canonicalModel } from '../../session/resume/client/index.ts';
import {
  type ClientHost,
  type Draft,
  draftLines,
  filterDrafts,
  forRequest,
  mergeDrafts,
  repairMessages,
  requestModel,
  type WireMessage,
  withAnsweredEnd,
} from '../../session/resume/messages/index.ts';
import type { ResumeSource } from '../../session/resume/request/index.ts';
import { isMessage, type Node } from '../../session/transcript/index.ts';
import { madeNode } from '../../surgery/request/index.ts';
import { type FrozenPrompt, promptLineType, readPromptLine } from './frozen-prompt.ts';
import { KnownAnswers, noMarks, readMark, type ThinkingMarks } from './thinking.ts';

export interface ConversationStart {
  readonly drafts: readonly Draft[];
  readonly marks?: ThinkingMarks;
  /** Drafts of private lines: thinking that only our own requests send. */
  readonly privateDrafts?: ReadonlySet<Draft>;
}

export class Conversation {
  #drafts: Draft[];
  readonly #marks: KnownAnswers;
  readonly #privateDrafts: Set<Draft>;

  constructor({ drafts, marks = noMarks, privateDrafts = new Set() }: ConversationStart = { drafts: [] }) {
    this.#drafts = [...drafts];
    this.#marks = new KnownAnswers(marks);
    this.#privateDrafts = new Set(privateDrafts);
  }

  get length(): number {
    return this.#drafts.length;
  }

  /** What is stored about its answers. */
  get marks(): ThinkingMarks {
    return this.#marks;
  }

  /** `isPrivate`: only our own requests send it. */
  add(entry: JsonObject, isPrivate = false): void {
    const drafts = draftLines([madeNode(entry, 0)], () => entry);
    this.#drafts.push(...drafts);
    for (const draft of isPrivate ? drafts : []) this.#privateDrafts.add(draft);
    this.#marks.note(entry);
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

function plainName(model: string): string {
  return withoutModelDate(plainModelName(model));
}

function sent(drafts: readonly Draft[]): readonly WireMessage[] {
  return repairMessages(mergeDrafts(drafts)).map(({ role, content }) => ({ role, content }));
}

export const thinkingLineType = 'clew-thinking';

export interface ChainFacts {
  readonly drafts: readonly Draft[];
  readonly privateDrafts: ReadonlySet<Draft>;
  readonly marks: ThinkingMarks;
  readonly prompt: FrozenPrompt | undefined;
  /** Another program wrote messages of the session: our thinking must not come between its own. */
  readonly isShared: boolean;
}

export function readChainFacts(source: ResumeSource, lines: readonly Node[]): ChainFacts {
  const marks = new KnownAnswers();
  let promptHash: string | undefined;
  let isShared = false;
  const drafts = draftLines(lines, (node) => {
    const entry = source.read(node);
    marks.note(entry);
    if (isMessage(node)) {
      promptHash = readMark(entry.clewPrefix)?.prompt ?? promptHash;
      isShared ||= !isWrittenByClew(entry);
    }
    return entry;
  });
  const privateDrafts = new Set<Draft>();
  for (const node of source.nodes.filter(({ type }) => type === thinkingLineType))
    addPrivateThinking(source.read(node), drafts, privateDrafts, marks);
  return { drafts, privateDrafts, marks, prompt: promptOf(source, promptHash), isShared };
}

/** The prompt of the last answer or, without an answer, the last prompt. */
function promptOf(source: ResumeSource, hash: string | undefined): FrozenPrompt | undefined {
  const kept = source.nodes.filter(({ type }) => type === promptLineType).map((node) => source.read(node));
  const entry = kept.findLast((line) => line.hash === hash) ?? (hash === undefined ? kept.at(-1) : undefined);
  return entry === undefined ? undefined : readPromptLine(entry);
}

/** The private line for a thinking block before line `at` of its message. */
export function privateThinkingLine(entry: JsonObject, at: number): JsonObject {
  const message = asObject(entry.message) ?? {};
  const { clewPrefix } = entry;
  return {
    type: thinkingLineType,
    messageId: message.id,
    model: message.model,
    at,
    content: message.content,
    ...(clewPrefix === undefined ? {} : { clewPrefix }),
  };
}

function addPrivateThinking(line: JsonObject, drafts: Draft[], privateDrafts: Set<Draft>, marks: KnownAnswers): void {
  const { messageId, model, at, content, clewPrefix = null } = line;
  const own = drafts.flatMap((draft, i) => (draft.id === messageId && !privateDrafts.has(draft) ? [i] : []));
  const last = own.at(-1);
  if (last === undefined) return;
  const message = { id: messageId, type: 'message', role: 'assistant', model, content };
  const entry: JsonObject = { type: 'assistant', message, clewPrefix };
  const made = draftLines([madeNode(entry, 0)], () => entry);
  drafts.splice((typeof at === 'number' ? own[at] : undefined) ?? last + 1, 0, ...made);
  for (const draft of made) privateDrafts.add(draft);
  marks.note(entry);
}

export class UsedIds {
  readonly #messages = new Set<string>();
  readonly #calls = new Set<string>();

  /** The calls of a resumed history. */
  constructor(history: ModelRequest['messages'] = []) {
    for (const { content } of history) {
      if (typeof content === 'string') continue;
      for (const block of content)
        if (block.type === 'tool_use' && typeof block.id === 'string') this.#calls.add(block.id);
    }
  }

  forMessage(id: string): string {
    return take(this.#messages, id, 'msg_');
  }

  forCall(id: string | undefined): string {
    return take(this.#calls, id ?? '', 'toolu_');
  }
}

function take(used: Set<string>, id: string, prefix: string): string {
  const fresh = id === '' || used.has(id) ? `${prefix}${randomUUID().replaceAll('-', '').slice(0, 24)}` : id;
  used.add(fresh);
  return fresh;
}
