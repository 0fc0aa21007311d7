// A session to export → everything its page will ask for, one element after the other: parts, the whole of cut
// texts, images, and then the branches that refer to them. Only a few parts are in memory at once.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { jsonText } from '../../base/json/index.ts';
import type { Session } from '../../session/load/index.ts';
import {
  branchNumbered,
  imageAt,
  nodesOf,
  partsOf,
  placeOfAgent,
  sessionHead,
  textAt,
  turnViews,
} from '../page/index.ts';
import { type ExportSource, openSourceAgent } from '../source/index.ts';
import {
  branchId,
  type EmbeddedAgent,
  type EmbeddedLine,
  type EmbeddedPart,
  type Item,
  lineId,
  type Place,
  partId,
  type Ref,
  type SessionHead,
  type TurnView,
  valueId,
} from '../wire/index.ts';

export interface PageDataOptions {
  /** The whole path of the project. */
  readonly full?: boolean;
  readonly thinking?: boolean;
  /** The raw lines; they hold whole paths and the thinking, whatever the other options are. */
  readonly raw?: boolean;
}

export interface DataElement {
  readonly id: string;
  readonly json: string;
}

/** Further branches are left out: each is shown from its beginning. */
const maxBranches = 20;
const partsAtOnce = 8;
/** As much of a line as the page shows. */
const maxLineChars = 200_000;

export class PageData {
  readonly #source: ExportSource;
  readonly #options: PageDataOptions;
  readonly #parts = new Map<string, number>();
  #values = 0;

  constructor(source: ExportSource, options: PageDataOptions) {
    this.#source = source;
    this.#options = options;
  }

  *session(): Generator<DataElement> {
    const { session } = this.#source;
    yield* this.#transcript(session, 0, Math.min(maxBranches, Math.max(1, session.branches.length)));
  }

  /** The sub-agents' transcripts; returns the list of them. */
  async *agents(): AsyncGenerator<DataElement, readonly EmbeddedAgent[]> {
    const { session } = this.#source;
    const agents: EmbeddedAgent[] = [];
    for (const [i, agent] of session.agents.entries()) {
      const own = await openSourceAgent(this.#source, session, agent);
      const unreadable = 'unreadable' in own ? own.unreadable : null;
      agents.push({ agentId: agent.agentId, under: placeOfAgent(session, agent.agentId), unreadable });
      if (!('unreadable' in own)) yield* this.#transcript(own, i + 1, 1);
    }
    return agents;
  }

  *#transcript(session: Session, transcript: number, branches: number): Generator<DataElement> {
    const values = new Map<string, number>();
    const lines = new Set<number>();
    for (let branch = 1; branch <= branches; branch++) {
      const parts: EmbeddedPart[] = [];
      const { all } = partsOf(session, branchNumbered(session, branch));
      for (let from = 0; from < all.length; from += partsAtOnce) {
        for (const whole of turnViews(session, { branch, from, to: from + partsAtOnce })) {
          const view = { ...whole, items: this.#itemsOf(whole, branches) };
          const part = all[view.part];
          const id = yield* this.#part(session, values, view);
          parts.push({ id, lines: part === undefined ? [] : nodesOf(part).map((node) => node.line) });
          if (this.#options.raw === true) yield* this.#lines(session, transcript, lines, view);
        }
      }
      const head = yield* this.#withValues(session, values, this.#headOf(session, branch, branches));
      yield { id: branchId(transcript, branch), json: this.#json({ head, parts }) };
    }
  }

  /** The lines of all places in the view, each once; they are redacted like everything else. */
  *#lines(session: Session, transcript: number, done: Set<number>, view: TurnView): Generator<DataElement> {
    for (const { line, record } of placesIn(view)) {
      if (done.has(line)) continue;
      done.add(line);
      const text = recordsOfLine(session, line, record).join('\n');
      const sizeBytes = Buffer.byteLength(text);
      const embedded: EmbeddedLine = {
        text: text.slice(0, maxLineChars),
        sizeBytes,
        isCut: text.length > maxLineChars,
      };
      yield { id: lineId(transcript, line), json: this.#json(embedded) };
    }
  }

  #itemsOf({ items }: TurnView, branches: number): readonly Item[] {
    return items.filter((item) => {
      if (item.kind === 'thinking') return this.#options.thinking === true;
      return item.kind !== 'fork' || item.branch <= branches;
    });
  }

  /** Like the other exports, the page names the project but not the folders above it. */
  #headOf(session: Session, branch: number, branches: number): SessionHead {
    const head = sessionHead(session, { branch });
    const isWhole = this.#options.full === true || head.cwd === null;
    return {
      ...head,
      cwd: isWhole ? head.cwd : path.win32.basename(head.cwd ?? ''),
      branches: head.branches.slice(0, branches),
    };
  }

  /** Branches that begin with the same turns share them. */
  *#part(session: Session, values: Map<string, number>, view: TurnView): Generator<DataElement, number> {
    const json = this.#json(yield* this.#withValues(session, values, view));
    const key = createHash('sha256').update(json).digest('base64');
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const id = this.#parts.size;
    this.#parts.set(key, id);
    yield { id: partId(id), json };
    return id;
  }

  /** The same data with refs to elements, and these elements. */
  *#withValues<Value>(session: Session, values: Map<string, number>, value: Value): Generator<DataElement, Value> {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const list: unknown[] = [];
      for (const each of value) list.push(yield* this.#withValues(session, values, each));
      return list as Value; // the same list, its refs replaced
    }
    const copy: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) {
      copy[key] = isRef(inner)
        ? yield* this.#value(session, values, inner, 'mediaType' in value)
        : yield* this.#withValues(session, values, inner);
    }
    return copy as Value; // the same object, its refs replaced
  }

  *#value(
    session: Session,
    values: Map<string, number>,
    ref: Ref,
    isImage: boolean,
  ): Generator<DataElement, Ref | null> {
    const name = `${ref.record} ${ref.pointer}`;
    const known = values.get(name);
    if (known !== undefined) return { record: ref.record, pointer: String(known) };
    const value = isImage ? imageAddress(session, ref) : textAt(session, ref);
    if (value === undefined) return null;
    const id = this.#values++;
    values.set(name, id);
    // Read from a line, which is already redacted.
    yield { id: valueId(id), json: jsonText(value) };
    return { record: ref.record, pointer: String(id) };
  }

  /** Names of tools, models and agents do not come from the lines, which are already redacted. */
  #json(value: unknown): string {
    return this.#source.hide(jsonText(value));
  }
}

function* placesIn(value: unknown): Generator<Place> {
  if (typeof value !== 'object' || value === null) return;
  if (isPlace(value)) yield value;
  else for (const inner of Object.values(value)) yield* placesIn(inner);
}

function isPlace(value: object): value is Place {
  return 'record' in value && 'line' in value && 'uuid' in value;
}

/** A damaged line may hold several records. */
function recordsOfLine({ transcript }: Session, line: number, record: number): readonly string[] {
  const { nodes } = transcript;
  let from = record;
  while (nodes[from - 1]?.line === line) from--;
  const texts: string[] = [];
  for (let at = from; nodes[at]?.line === line; at++) {
    const node = nodes[at];
    if (node !== undefined) texts.push(jsonText(transcript.read(node)));
  }
  return texts;
}

function isRef(value: unknown): value is Ref {
  return typeof value === 'object' && value !== null && 'record' in value && 'pointer' in value;
}

/** By what its bytes are, whatever the transcript says; encoded again, so that only the bytes are left. */
function imageAddress(session: Session, ref: Ref): string | undefined {
  const image = imageAt(session, ref);
  return image === undefined ? undefined : `data:${image.type};base64,${image.bytes.toString('base64')}`;
}
