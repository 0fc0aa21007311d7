// Appends lines to a transcript: complete and durable, in one chain of parents with increasing times. It also keeps the
// conversation of the lines. Nothing counts before it is on the disk.
import { randomUUID } from 'node:crypto';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import {
  asObject,
  asString,
  hasLoneSurrogate,
  isObject,
  type JsonObject,
  parseJson,
  wellFormed,
} from '../../base/json/index.ts';
import type { ClientHost, WireMessage } from '../../session/resume/messages/index.ts';
import { appendLines, type FileIdentity } from '../../store/index.ts';
import { pinTo } from '../../surgery/request/index.ts';
import { Conversation, type ConversationStart, privateThinkingLine } from './conversation.ts';
import type { ThinkingMarks } from './thinking.ts';

export interface WriterStart extends ConversationStart {
  readonly identity: FileIdentity;
  /** The parent of the next line. */
  readonly leafUuid: string | null;
  /** The newest time of the existing lines: clients up to 2.1.45 take the newest line for the end. */
  readonly lastMs: number;
  /** Nothing is written: the conversation is only kept in memory. */
  readonly isEphemeral?: boolean;
}

export const emptyStart: WriterStart = { identity: 'absent', leafUuid: null, lastMs: 0, drafts: [] };

/** Known only when the line is written. */
export interface LineMoment {
  readonly leafUuid: string | null;
  readonly timestamp: string;
}

export type LineBody = JsonObject | ((moment: LineMoment) => JsonObject);

export type NewLine =
  /** A link of the chain. `restarts`: the history starts again here. */
  | { readonly kind: 'chain'; readonly uuid: string; readonly body: LineBody; readonly restarts?: true }
  /** Has a parent in the chain but no children: clients that skip it lose nothing. */
  | { readonly kind: 'leaf'; readonly body: LineBody }
  /** Without a uuid, so that no client takes it for a part of the conversation. */
  | { readonly kind: 'loose'; readonly body: LineBody }
  /** Thinking of an answer without a uuid: only our own requests send it. */
  | { readonly kind: 'thinking'; readonly body: JsonObject };

export class TranscriptWriter {
  readonly file: string;
  readonly #envelope: () => JsonObject;
  readonly #isEphemeral: boolean;
  #conversation: Conversation;
  #identity: FileIdentity;
  #leafUuid: string | null;
  #lastMs: number;
  #hasLines: boolean;
  /** Where the current answer began, in case it is abandoned. */
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
    this.#isEphemeral = start.isEphemeral === true;
    this.#hasLines = start.identity !== 'absent';
    this.#conversation = new Conversation(start);
  }

  get leafUuid(): string | null {
    return this.#leafUuid;
  }

  get isStarted(): boolean {
    return this.#hasLines;
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

  /** Writes all lines or none. Sub-agents write at the same time as their session, batch by batch. */
  write(at: Date, lines: readonly NewLine[]): Promise<void> {
    return this.#inTurn(() => this.#append(at, lines));
  }

  /** Removes the lines of an unfinished answer from the conversation; they stay in the file as a dead branch. */
  abandon(at: Date, messageId: string, sessionId: string | undefined): Promise<void> {
    return this.#inTurn(async () => {
      const answer = this.#answer;
      if (answer?.id !== messageId) return;
      const { leafUuid } = answer;
      // Until the next line is on the live branch, only a pin makes a resume return to it. Nobody resumes
      // a sub-agent.
      if (leafUuid !== null && sessionId !== undefined)
        await this.#append(at, [{ kind: 'loose', body: pinTo(leafUuid, sessionId) }]);
      this.#leafUuid = leafUuid;
      this.#conversation.cutTo(answer.length);
      this.#answer = undefined;
    });
  }

  /** The next line gets another parent, and the conversation ends there. */
  goOnFrom({ leafUuid, ...start }: Pick<WriterStart, 'leafUuid'> & ConversationStart): Promise<void> {
    return this.#inTurn(async () => {
      this.#leafUuid = leafUuid;
      this.#conversation = new Conversation(start);
      this.#answer = undefined;
    });
  }

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
    if (!this.#isEphemeral) await this.#store(made.map(({ text }) => text));
    this.#hasLines = true;
    this.#leafUuid = leafUuid;
    this.#lastMs = lastMs;
    for (const { text, line, leafBefore } of made) this.#remember(text, line, leafBefore);
  }

  async #store(texts: readonly string[]): Promise<void> {
    this.#identity = await appendLines(this.file, texts, this.#identity).catch((error: unknown) => {
      throw this.#refusal(error);
    });
  }

  /** Claude Code takes no lock: only the file shows that it writes too. */
  #refusal(error: unknown): unknown {
    if (!(error instanceof UserError) || error.exitCode !== exitCodes.refused) return error;
    return new UserError(
      `another program has written to ${this.file} since; nothing was written`,
      'continue in a copy: resume it with --fork-session',
      exitCodes.refused,
    );
  }

  #entryFor(line: NewLine, moment: LineMoment): JsonObject {
    const body = typeof line.body === 'function' ? line.body(moment) : line.body;
    if (line.kind === 'loose') return body;
    if (line.kind === 'thinking') return privateThinkingLine(body, this.#linesOf(body));
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
    if (line.kind === 'loose' || line.kind === 'leaf') return;
    const entry = line.kind === 'thinking' ? line.body : parseJson(text);
    if (!isObject(entry)) return;
    if (line.kind === 'chain' && line.restarts === true) this.#conversation.cutTo(0);
    const id = entry.type === 'assistant' ? asString(asObject(entry.message)?.id) : undefined;
    if (id !== undefined && id !== this.#answer?.id)
      this.#answer = { id, leafUuid, length: this.#conversation.length, lines: 0 };
    if (this.#answer !== undefined && line.kind === 'chain' && id !== undefined) this.#answer.lines++;
    this.#conversation.add(entry, line.kind === 'thinking');
  }

  /** How many lines of its answer are in the chain. */
  #linesOf(entry: JsonObject): number {
    return asObject(entry.message)?.id === this.#answer?.id ? (this.#answer?.lines ?? 0) : 0;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** A lone surrogate has no bytes, and only JavaScript accepts its escape. */
function soundEntry(entry: JsonObject): JsonObject {
  return hasLoneSurrogate(entry) ? (wellFormed(entry) as JsonObject) : entry; // the same shape
}
