// Records as they are written → what a reader follows: prompts, answers, calls once their outcome is known, each under
// the session and the sub-agent it belongs to.

import { asObject, asString, type JsonObject, type JsonValue, parseJson } from '../base/json.ts';
import { readRegularText } from '../base/regular-file.ts';
import { displayWidth, oneLine } from '../base/terminal-text.ts';
import { blocksOf, isImage, isToolResult, isToolUse } from '../format/block.ts';
import type { NewRecord } from '../library/follow.ts';
import type { Node } from '../session/node.ts';
import { promptText } from '../session/prompt-text.ts';
import { summariseInput } from '../session/tool-summary.ts';
import { agentIdOf, type LooseRecord, looseRecord, sessionIdOf } from './loose-record.ts';
import { renderCall } from './show-call.ts';
import { agentContext, type ShowContext } from './show-context.ts';
import { renderNode } from './show-turn.ts';
import type { Paint, Style } from './terminal/style.ts';
import { indentLines, quoted, rule } from './terminal-lines.ts';
import { counted, localTime } from './wording.ts';

export interface TailTextOptions {
  readonly style: Style;
  /** Asked for each time: a terminal may be resized. */
  readonly width: () => number;
  readonly now?: () => number;
  /** The session is known to the reader: it gets no line of its own. */
  readonly isExcerpt?: boolean;
}

/** A call that takes longer than this is shown before its outcome. */
export const patienceMs = 1_000;
const agentIndent = 4;

export class TailText {
  readonly #style: Style;
  readonly #width: () => number;
  readonly #now: () => number;
  readonly #isExcerpt: boolean;
  readonly #sessions = new Map<string, LiveSession>();
  readonly #agentNames = new Map<string, string>();
  readonly #waiting = new Map<string, WaitingCall>();
  #speaker = '';

  constructor({ style, width, now = Date.now, isExcerpt = false }: TailTextOptions) {
    this.#isExcerpt = isExcerpt;
    this.#style = style;
    this.#width = width;
    this.#now = now;
  }

  get hasWaiting(): boolean {
    return [...this.#waiting.values()].some((call) => !call.isShown);
  }

  async *render(records: readonly NewRecord[]): AsyncGenerator<string> {
    for (const record of records) {
      const loose = looseRecord(record);
      const text = await this.#textOf(loose);
      if (text.trim() !== '') yield this.#placed(record, text);
    }
    yield* this.#slowCalls();
  }

  async #textOf(loose: LooseRecord): Promise<string> {
    const { node, blocks } = loose;
    const context = this.#context(loose);
    const parts: string[] = [];
    if (node.userKind === 'results') parts.push(...(await this.#outcomes(loose, context)));
    const prompt = promptOf(loose, context);
    if (prompt !== undefined) parts.push(prompt);
    else if (node.userKind !== 'results') {
      // Calls are left out here: they are shown when they are answered.
      for await (const text of renderNode(context, node, new Map())) parts.push(text);
    }
    for (const block of blocks) if (isToolUse(block)) this.#wait(loose, block);
    return parts.join('');
  }

  #context({ record, session }: LooseRecord): ShowContext {
    const agents = { root: session, byCall: new Map(), byId: new Map(), shown: new Set<string>() };
    const indent = agentIdOf(record) === undefined ? 0 : agentIndent;
    const width = Math.max(20, this.#width() - this.#gutterWidth() - indent);
    return agentContext(session, agents, { full: false, style: this.#style, width });
  }

  #wait({ record, node }: LooseRecord, { id, name, input }: { id: string; name: string; input?: JsonValue }): void {
    this.#waiting.set(id, { record, node, name, input, since: this.#now(), isShown: false });
  }

  async #outcomes({ node, blocks }: LooseRecord, context: ShowContext): Promise<string[]> {
    const texts: string[] = [];
    for (const { tool_use_id: id, is_error: isError } of blocks.filter(isToolResult)) {
      const call = this.#waiting.get(id);
      this.#waiting.delete(id);
      const shown = { id, name: call?.name ?? 'a call made before', node, result: node, isError: isError === true };
      const lines = renderCall(context, { ...shown, agentId: undefined }, call?.input);
      for await (const text of lines) texts.push(text);
    }
    return texts;
  }

  *#slowCalls(): Generator<string> {
    for (const call of this.#waiting.values()) {
      if (call.isShown || this.#now() - call.since < patienceMs) continue;
      call.isShown = true;
      const room = this.#width() - this.#gutterWidth() - agentIndent - 2;
      const did = oneLine(`${call.name} ${summariseInput(call.name, call.input)}`, Math.max(10, room));
      yield this.#placed(call.record, `${this.#style.yellow('…')} ${this.#style.muted(did)}\n`);
    }
  }

  /** The text below its session's line, behind its session's mark where there are several, indented below its agent. */
  #placed(record: NewRecord, text: string): string {
    const sessionId = sessionIdOf(record);
    const agentId = agentIdOf(record);
    const isNew = !this.#sessions.has(sessionId);
    if (isNew) this.#sessions.set(sessionId, { paint: this.#nextPaint() });
    const speaker = `${sessionId} ${agentId ?? ''}`;
    const isSpeaking = this.#speaker === speaker;
    this.#speaker = speaker;
    const parts = [
      ...(isNew && !this.#isExcerpt
        ? [`\n${this.#style.muted(rule('─', factsOf(record), this.#width() - this.#gutterWidth()))}\n`]
        : []),
      ...(agentId === undefined || isSpeaking
        ? []
        : [`  ${this.#style.accent('↳')} ${this.#agentName(record, agentId)}\n`]),
      agentId === undefined ? text : indentLines(text, agentIndent),
    ];
    return this.#marked(sessionId, parts.join(''));
  }

  #marked(sessionId: string, text: string): string {
    if (this.#sessions.size < 2) return text;
    const { paint } = this.#sessions.get(sessionId) ?? { paint: this.#style.muted };
    const mark = paint(`${shortMark(sessionId)} │`);
    const lines = text.replace(/\n$/, '').split('\n');
    return `${lines.map((line) => (line === '' ? mark : `${mark} ${line}`)).join('\n')}\n`;
  }

  #gutterWidth(): number {
    return this.#sessions.size < 2 ? 0 : displayWidth(`${shortMark('')} │ `);
  }

  #nextPaint(): Paint {
    const { cyan, magenta, yellow, green, blue } = this.#style;
    return [cyan, magenta, yellow, green, blue][this.#sessions.size % 5] ?? cyan;
  }

  #agentName(record: NewRecord, agentId: string): string {
    const known = this.#agentNames.get(agentId);
    if (known !== undefined) return known;
    const meta = readMeta(record.place.path);
    const type = asString(meta.agentType);
    const about = asString(meta.description);
    const name = this.#style.bold(oneLine([type, agentId].filter(Boolean).join(' '), 40));
    const full = about === undefined ? name : `${name} ${this.#style.muted(oneLine(about, 60))}`;
    this.#agentNames.set(agentId, full);
    return full;
  }
}

interface LiveSession {
  readonly paint: Paint;
}

interface WaitingCall {
  readonly record: NewRecord;
  readonly node: Node;
  readonly name: string;
  readonly input: JsonValue | undefined;
  readonly since: number;
  isShown: boolean;
}

const markLength = 4;

function shortMark(sessionId: string): string {
  return oneLine(sessionId, markLength + 1)
    .slice(0, markLength)
    .padEnd(markLength);
}

function factsOf(record: NewRecord): string[] {
  const { head } = record;
  const facts = [sessionIdOf(record).slice(0, 8), head.cwd ?? record.place.slug, localTime(head.time)];
  return facts.map((fact) => oneLine(fact, 60)).filter((fact) => fact !== '');
}

/** What a person said in this record, also where it was typed while the agent worked; an agent's task in one line. */
function promptOf(loose: LooseRecord, { style, width }: ShowContext): string | undefined {
  const { node, record, blocks } = loose;
  const queued = queuedText(record);
  if (node.promptKind === undefined && queued === undefined) return undefined;
  const text = (queued ?? promptText(blocks)).trim();
  if (agentIdOf(record) !== undefined) return `${style.muted(`❯ ${oneLine(text, width - 2)}`)}\n`;
  const images = blocks.filter(isImage).length;
  const notes = [
    ...(images === 0 ? [] : [`[${images === 1 ? 'image' : counted(images, 'image')}]`]),
    ...(queued === undefined ? [] : ['(typed while it worked)']),
  ];
  const lines = text === '' ? [] : [quoted(text, '❯', { style, width })];
  return `\n${[...lines, ...notes.map((note) => style.muted(`  ${note}`))].join('\n')}\n`;
}

/** A prompt that is given to the model in the middle of a turn has no user line in newer clients. */
function queuedText({ head, entry }: NewRecord): string | undefined {
  if (head.type !== 'attachment' || head.subtype !== 'queued_command') return undefined;
  const attachment = asObject(entry.attachment) ?? {};
  if (attachment.isMeta === true || attachment.commandMode === 'task-notification') return undefined;
  return promptText(blocksOf(attachment.prompt)) || undefined;
}

function readMeta(transcript: string): JsonObject {
  try {
    return asObject(parseJson(readRegularText(transcript.replace(/\.jsonl$/, '.meta.json')))) ?? {};
  } catch {
    return {}; // older clients write none
  }
}
