// A transcript that has grown → what is new in it: for pages that show the session, the first changed part; for the page
// of running sessions, the lines themselves.
import { resultText, summariseInput, withoutErrorTags } from '../../../session/calls/index.ts';
import type { Session } from '../../../session/load/index.ts';
import { type LineItem, lineItems, Story } from '../../../session/story/index.ts';
import { isMessage, type Node } from '../../../session/transcript/index.ts';
import type { AppendEvent, LiveLine } from '../../wire/index.ts';
import { finite } from './listed-row.ts';
import {
  type CachedSession,
  type Extent,
  extentOf,
  firstChangedPart,
  isContinued,
  type SessionCache,
} from './session-cache.ts';

const textChars = 400;

export function liveLines(session: Session, nodes: readonly Node[], agentId: string | null): readonly LiveLine[] {
  const story = new Story(session);
  return nodes.filter(isMessage).flatMap((node) => {
    const place = { line: node.line, agentId, time: finite(node.time) };
    return [...lineItems(story, node)].flatMap((item) => {
      const live = liveItem(item);
      return live === undefined || (live.text === '' && live.tool === null) ? [] : [{ ...place, ...live }];
    });
  });
}

function liveItem(item: LineItem): Pick<LiveLine, 'kind' | 'tool' | 'text'> | undefined {
  switch (item.kind) {
    case 'prompt':
    case 'text':
    case 'error':
      return { kind: item.kind, tool: null, text: shorten(item.text.text) };
    case 'thinking':
      return { kind: 'thinking', tool: null, text: shorten(item.text?.text ?? '') };
    case 'call':
      return { kind: 'call', tool: item.tool, text: shorten(summariseInput(item.tool, item.input)) };
    case 'result':
      return {
        kind: item.isError ? 'error' : 'result',
        tool: null,
        text: shorten(withoutErrorTags(resultText(item.blocks))),
      };
    case 'note':
      if (item.about === 'message')
        return { kind: 'text', tool: null, text: shorten(`${item.label}: ${item.text.text}`) };
      return item.about === 'client' ? { kind: 'text', tool: null, text: shorten(item.text.text) } : undefined;
    default:
      item.kind satisfies 'queued' | 'context' | 'compaction' | 'summary' | 'fork' | 'image' | 'block'; // left out
      return undefined;
  }
}

function shorten(text: string): string {
  const start = text
    .trimStart()
    .slice(0, textChars * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return start.slice(0, textChars).toWellFormed();
}

export interface TailQuery {
  readonly key: string;
  /** Of the main transcript. */
  readonly path: string;
  readonly agentId: string | null;
}

export interface Tail {
  /** `null`: nothing that a page shows has changed, or the session was not known before. */
  readonly append: AppendEvent | null;
  readonly lines: readonly LiveLine[];
}

const maxLines = 50;
const newLines = 6;
const maxKnown = 1_000;

export class TailAnswers {
  readonly #cache: SessionCache;
  readonly #known = new Map<string, Extent>();

  constructor(cache: SessionCache) {
    this.#cache = cache;
  }

  /** From now on `grown` returns what is new. Returns the present version. */
  async know(query: TailQuery): Promise<string | null> {
    const cached = await this.#open(query);
    if (!this.#known.has(nameOf(query))) this.#remember(query, cached);
    return cached.version;
  }

  async grown(query: TailQuery): Promise<Tail> {
    const before = this.#known.get(nameOf(query));
    const cached = await this.#open(query);
    const { session, version } = cached;
    const now = this.#remember(query, cached);
    if (before?.version === version) return { append: null, lines: [] };
    const { nodes } = session.transcript;
    const isReplaced = before !== undefined && !isContinued(before, session);
    const isOther = before === undefined || isReplaced || before.nodes > nodes.length;
    // Of a session that was not known before, only the last lines are new.
    const added = isOther ? nodes.slice(-newLines) : nodes.slice(before.nodes);
    const { key, agentId } = query;
    const append = {
      key,
      version,
      agentId,
      fromPart: isOther ? 0 : firstChangedPart(session, before),
      parts: now.parts,
      isReplaced,
    };
    return { append, lines: liveLines(session, added.slice(-maxLines), agentId) };
  }

  /** The last events of a session that a page has just opened. */
  async recent(query: TailQuery): Promise<readonly LiveLine[]> {
    const { session } = await this.#open(query);
    return liveLines(session, session.transcript.nodes.slice(-20), query.agentId).slice(-6);
  }

  #open({ path, agentId }: TailQuery): Promise<CachedSession> {
    return agentId === null ? this.#cache.open(path) : this.#cache.openAgent(path, agentId);
  }

  #remember(query: TailQuery, cached: CachedSession): Extent {
    const known = extentOf(cached);
    const [oldest] = this.#known.size >= maxKnown ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(nameOf(query), known);
    return known;
  }
}

function nameOf({ path, agentId }: TailQuery): string {
  return `${path}\n${agentId ?? ''}`;
}
