// Records as they are written → text for the terminal: prompts, answers, calls once their outcome is known, each under
// the session and the sub-agent it belongs to.

import { readRegularText } from '../../base/files/index.ts';
import { asObject, asString, type JsonObject, parseJson } from '../../base/json/index.ts';
import { displayWidth, oneLine } from '../../base/text/index.ts';
import type { NewRecord } from '../../library/watch/index.ts';
import { summariseInput } from '../../session/calls/index.ts';
import type { CallItem, CompactionItem, Item, PromptItem, QueuedItem } from '../../session/items/index.ts';
import { isEmpty, lineItems, makeCall, type ResultItem, Story } from '../../session/story/index.ts';
import { indentLines, localTime, quoted, rule } from '../render/index.ts';
import { type ItemOptions, imageNote, showItem } from '../show/index.ts';
import type { Paint, Style } from '../terminal/index.ts';
import { agentIdOf, type LooseRecord, looseRecord, sessionIdOf } from './loose-record.ts';

export interface TailTextOptions {
  readonly style: Style;
  /** A function, because a terminal may be resized. */
  readonly width: () => number;
  readonly now?: () => number;
  /** The reader knows the session: it gets no heading. */
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
  /** Transcripts whose last compaction waits for its summary. */
  readonly #boundaries = new Set<string>();
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
      const text = await this.#render(looseRecord(record));
      if (text.trim() !== '') yield this.#placed(record, text);
    }
    yield* this.#slowCalls();
  }

  async #render(loose: LooseRecord): Promise<string> {
    const { record, node, session } = loose;
    const story = new Story(session);
    const options = this.#options(record);
    const items = [...lineItems(story, node)];
    const parts: string[] = [];
    const show = async (item: Item): Promise<void> => {
      for await (const text of showItem(story, item, options)) parts.push(text);
    };
    for (const item of items) if (item.kind === 'result') await show(this.#finish(story, item));
    for (const item of items) {
      switch (item.kind) {
        case 'result':
          break;
        case 'call':
          // Shown when it is answered, or after `patienceMs`.
          this.#waiting.set(item.id, { record, item, since: this.#now(), isShown: false });
          break;
        case 'prompt':
        case 'queued':
          parts.push(promptLines(item, agentIdOf(record) !== undefined, options));
          break;
        case 'compaction':
          if (!this.#isMarked(record, item)) await show(item);
          break;
        default:
          if (!isEmpty(item)) await show(item);
      }
    }
    return parts.join('');
  }

  /** A summary after a boundary is not another compaction; alone, a line does not know what is before it. */
  #isMarked({ place }: NewRecord, { hasBoundary }: CompactionItem): boolean {
    if (!hasBoundary) return this.#boundaries.delete(place.path);
    this.#boundaries.add(place.path);
    return false;
  }

  #options(record: NewRecord): ItemOptions {
    const indent = agentIdOf(record) === undefined ? 0 : agentIndent;
    return { full: false, style: this.#style, width: Math.max(20, this.#width() - this.#gutterWidth() - indent) };
  }

  #finish(story: Story, { id, node, isError }: ResultItem): CallItem {
    const call = this.#waiting.get(id)?.item;
    this.#waiting.delete(id);
    const finished = { id, name: call?.tool ?? 'a call made before', node, result: node, isError, agentId: undefined };
    return makeCall(story, finished, call?.input, 0, undefined);
  }

  *#slowCalls(): Generator<string> {
    for (const call of this.#waiting.values()) {
      if (call.isShown || this.#now() - call.since < patienceMs) continue;
      call.isShown = true;
      const room = this.#width() - this.#gutterWidth() - agentIndent - 2;
      const { tool, input } = call.item;
      const line = oneLine(`${tool} ${summariseInput(tool, input)}`, Math.max(10, room));
      yield this.#placed(call.record, `${this.#style.yellow('…')} ${this.#style.muted(line)}\n`);
    }
  }

  /** Text below its session's line, after its session's mark if there are several, indented below its agent. */
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
  readonly item: CallItem;
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

/** A sub-agent's task is one line. */
function promptLines(item: PromptItem | QueuedItem, isAgent: boolean, { style, width }: ItemOptions): string {
  const text = item.text.text.trim();
  if (isAgent) return `${style.muted(`❯ ${oneLine(text, width - 2)}`)}\n`;
  const notes = item.kind === 'queued' ? ['(typed while it worked)'] : imageNote(item.images.length);
  const lines = text === '' ? [] : [quoted(text, '❯', { style, width })];
  return `\n${[...lines, ...notes.map((note) => style.muted(`  ${note}`))].join('\n')}\n`;
}

function readMeta(transcript: string): JsonObject {
  try {
    return asObject(parseJson(readRegularText(transcript.replace(/\.jsonl$/, '.meta.json')))) ?? {};
  } catch {
    return {}; // older clients write none
  }
}
