// Lines to write → a transcript that grows by whole, durable appends: one chain of parents, rising times, and the
// conversation that the lines make. Nothing counts before it is on the disk.
import { randomUUID } from 'node:crypto';
import { exitCodes, UserError } from '../../base/errors.ts';
import {
  asObject,
  asString,
  hasLoneSurrogate,
  isObject,
  type JsonObject,
  parseJson,
  wellFormed,
} from '../../base/json.ts';
import type { WireMessage } from '../../session/resume/draft.ts';
import type { ClientHost } from '../../session/resume/model.ts';
import { appendLines, type FileIdentity } from '../../store/append.ts';
import { pinTo } from '../../surgery/request-parts.ts';
import type { ThinkingMarks } from '../fit-thinking.ts';
import { besideLine } from './chain-facts.ts';
import { Conversation, type ConversationStart } from './conversation.ts';

export interface WriterStart extends ConversationStart {
  readonly identity: FileIdentity;
  /** The line that the next one hangs on. */
  readonly leafUuid: string | null;
  /** The newest time on the lines that are there: clients up to 2.1.45 take the newest line for the end. */
  readonly lastMs: number;
}

export const emptyStart: WriterStart = { identity: 'absent', leafUuid: null, lastMs: 0, drafts: [] };

/** What is known only when its turn to be written comes. */
export interface LineMoment {
  readonly leafUuid: string | null;
  readonly timestamp: string;
}

export type LineBody = JsonObject | ((moment: LineMoment) => JsonObject);

export type NewLine =
  /** A link of the chain. `restarts`: the history begins anew with it. */
  | { readonly kind: 'chain'; readonly uuid: string; readonly body: LineBody; readonly restarts?: true }
  /** Hangs on the chain, and nothing ever hangs on it: no client loses anything by not reading it. */
  | { readonly kind: 'beside'; readonly body: LineBody }
  /** Without a uuid: no client takes it for a part of the conversation. */
  | { readonly kind: 'loose'; readonly body: LineBody }
  /** Thinking of an answer, without a uuid: no client sends it, only our own requests do. */
  | { readonly kind: 'thinking'; readonly body: JsonObject };

export class TranscriptWriter {
  readonly file: string;
  readonly #envelope: () => JsonObject;
  #conversation: Conversation;
  #identity: FileIdentity;
  #leafUuid: string | null;
  #lastMs: number;
  /** Where the present answer began, should it be abandoned. */
  #answer:
    | { readonly id: string; readonly leafUuid: string | null; readonly length: number; lines: number }
    | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string, envelope: () => JsonObject, start: WriterStart = emptyStart) {
    this.file = file;
    this.#envelope = envelope;
    this.#identity = start.identity;
    this.#leafUuid = start.leafUuid;
    this.#lastMs = start.lastMs;
    this.#conversation = new Conversation(start);
  }

  get leafUuid(): string | null {
    return this.#leafUuid;
  }

  get isStarted(): boolean {
    return this.#identity !== 'absent';
  }

  messages(model: string, host?: ClientHost): readonly WireMessage[] {
    return this.#conversation.messages(model, host);
  }

  get marks(): ThinkingMarks {
    return this.#conversation.marks;
  }

  get windowTokens(): number {
    return this.#conversation.windowTokens;
  }

  resumed(): { readonly messages: readonly WireMessage[]; readonly model: string } {
    return this.#conversation.resumed();
  }

  /** All of them or none. Sub-agents write at the same time as their session: one batch waits for the other. */
  write(at: Date, lines: readonly NewLine[]): Promise<void> {
    return this.#inTurn(() => this.#append(at, lines));
  }

  /** Takes the lines of an unfinished answer out of the conversation; they stay in the file as a dead branch. */
  abandon(at: Date, messageId: string, sessionId: string | undefined): Promise<void> {
    return this.#inTurn(async () => {
      const answer = this.#answer;
      if (answer?.id !== messageId) return;
      const { leafUuid } = answer;
      // Until the next line stands on the living branch, only a pin tells a resume to go back to it. Nobody resumes
      // a sub-agent.
      if (leafUuid !== null && sessionId !== undefined)
        await this.#append(at, [{ kind: 'loose', body: pinTo(leafUuid, sessionId) }]);
      this.#leafUuid = leafUuid;
      this.#conversation.cutTo(answer.length);
      this.#answer = undefined;
    });
  }

  /** The next line hangs on another one, and the conversation is the one up to there. */
  goOnFrom({ leafUuid, ...start }: Pick<WriterStart, 'leafUuid'> & ConversationStart): Promise<void> {
    return this.#inTurn(async () => {
      this.#leafUuid = leafUuid;
      this.#conversation = new Conversation(start);
      this.#answer = undefined;
    });
  }

  /** Resolves when all that was asked for is written. */
  async settle(): Promise<void> {
    await this.#last;
  }

  async #append(at: Date, lines: readonly NewLine[]): Promise<void> {
    const made: { readonly text: string; readonly line: NewLine; readonly leafBefore: string | null }[] = [];
    let leafUuid = this.#leafUuid;
    let lastMs = this.#lastMs;
    for (const line of lines) {
      lastMs = Math.max(at.getTime(), lastMs + 1);
      const moment = { leafUuid, timestamp: new Date(lastMs).toISOString() };
      made.push({ text: JSON.stringify(soundEntry(this.#entryFor(line, moment))), line, leafBefore: leafUuid });
      if (line.kind === 'chain') leafUuid = line.uuid;
    }
    const texts = made.map(({ text }) => text);
    this.#identity = await appendLines(this.file, texts, this.#identity).catch((error: unknown) => {
      throw this.#refusal(error);
    });
    this.#leafUuid = leafUuid;
    this.#lastMs = lastMs;
    for (const { text, line, leafBefore } of made) this.#remember(text, line, leafBefore);
  }

  /** Claude Code takes no lock: that it writes too is only seen by the file. */
  #refusal(error: unknown): unknown {
    if (!(error instanceof UserError) || error.exitCode !== exitCodes.refused) return error;
    return new UserError(
      `another program has written to ${this.file} since; nothing was written`,
      'go on in a copy: resume it with --fork-session',
      exitCodes.refused,
    );
  }

  #entryFor(line: NewLine, moment: LineMoment): JsonObject {
    const body = typeof line.body === 'function' ? line.body(moment) : line.body;
    if (line.kind === 'loose') return body;
    if (line.kind === 'thinking') return besideLine(body, this.#linesOf(body));
    const isRoot = line.kind === 'chain' && line.restarts === true;
    return {
      parentUuid: isRoot ? null : moment.leafUuid,
      ...this.#envelope(),
      ...body,
      uuid: line.kind === 'chain' ? line.uuid : randomUUID(),
      timestamp: moment.timestamp,
    };
  }

  #remember(text: string, line: NewLine, leafUuid: string | null): void {
    if (line.kind === 'loose' || line.kind === 'beside') return;
    const entry = line.kind === 'thinking' ? line.body : parseJson(text);
    if (!isObject(entry)) return;
    if (line.kind === 'chain' && line.restarts === true) this.#conversation.cutTo(0);
    const id = entry.type === 'assistant' ? asString(asObject(entry.message)?.id) : undefined;
    if (id !== undefined && id !== this.#answer?.id)
      this.#answer = { id, leafUuid, length: this.#conversation.length, lines: 0 };
    if (this.#answer !== undefined && line.kind === 'chain' && id !== undefined) this.#answer.lines++;
    this.#conversation.add(entry, line.kind === 'thinking');
  }

  /** How many lines of its answer are on the chain. */
  #linesOf(entry: JsonObject): number {
    return asObject(entry.message)?.id === this.#answer?.id ? (this.#answer?.lines ?? 0) : 0;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** Half a surrogate pair has no bytes, and no reader outside JavaScript takes its escape. */
function soundEntry(entry: JsonObject): JsonObject {
  return hasLoneSurrogate(entry) ? (wellFormed(entry) as JsonObject) : entry; // the same shape
}
