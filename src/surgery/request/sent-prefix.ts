// What the thinking blocks of a session are bound to: the stored system prompt, and everything that a resume sends before
// each block. Comparing two sessions shows which blocks are still valid.
import { createHash } from 'node:crypto';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { isUuid } from '../../base/text/index.ts';
import { blocksOf } from '../../format/entry/index.ts';
import { isThinking, type WireBlock } from '../../session/resume/messages/index.ts';
import { countingSnapshot, resumeLines } from '../../session/resume/request/index.ts';
import type { Node, Transcript } from '../../session/transcript/index.ts';
import { leanTrace, leanTranscript } from './request.ts';

/** A thinking block that a resume sends. */
export interface SentThinking {
  /** Identifies the block. */
  readonly key: string;
  /** The number of items before it. */
  readonly at: number;
  readonly line: Node | undefined;
}

export interface SentPrefix {
  /** The stored system prompt and tools; empty if the client creates them. */
  readonly prompt: string;
  /** Tools that were loaded later. */
  readonly tools: readonly string[];
  /** Everything else that is sent except thinking, block by block. */
  readonly items: readonly string[];
  readonly thinking: readonly SentThinking[];
  /** The lines that a resume loads. */
  readonly lines: readonly Node[];
}

export type PrefixSource = Pick<Transcript, 'nodes' | 'read'>;

const nothing: SentPrefix = { prompt: '', tools: [], items: [], thinking: [], lines: [] };

export function sentPrefixOf(transcript: PrefixSource): SentPrefix {
  const resumed = resumeLines(transcript);
  const traced = leanTrace({ transcript });
  if ('refused' in resumed || 'refused' in traced) return nothing;
  const { lines } = resumed;
  const lean = leanTranscript(transcript);
  const notes = notesByMessage(transcript, lines, traced.messages);
  const items: string[] = [...(notes.get(-1) ?? [])];
  const thinking: SentThinking[] = [];
  for (const [i, message] of traced.messages.entries()) {
    const holders = message.content.some(isThinking) ? thinkingLines(message.lines, lean) : [];
    for (const block of message.content) {
      if (!isThinking(block)) {
        items.push(digest([message.role, block]));
        continue;
      }
      const key = thinkingKeyOf(block);
      const place = holders.findIndex((holder) => holder.key === key);
      thinking.push({ key, at: items.length, line: holders[place]?.line });
      if (place >= 0) holders.splice(place, 1);
    }
    items.push(...(notes.get(i) ?? []));
  }
  const snapshot = countingSnapshot(lines, (node) => transcript.read(node));
  return {
    prompt: snapshot === undefined ? '' : digest([snapshot.content]),
    tools: lines
      .filter((node) => node.subtype === 'deferred_tools_record')
      .map((node) => noteOf(transcript.read(node))),
    items,
    thinking,
    lines,
  };
}

export function thinkingKeyOf(block: WireBlock): string {
  return asString(block.signature) || asString(block.data) || `unsigned ${asString(block.thinking) ?? ''}`;
}

function thinkingLines(lines: readonly Node[], { read }: PrefixSource): { key: string; line: Node }[] {
  return lines
    .filter((line) => line.message?.blockTypes.some((type) => type.endsWith('thinking')) === true)
    .flatMap((line) =>
      (blocksOf(asObject(read(line).message)?.content) as readonly WireBlock[])
        .filter(isThinking)
        .map((block) => ({ key: thinkingKeyOf(block), line })),
    );
}

/** The notes of the client by their previous message, compared by line, because a resume rephrases some of them. */
function notesByMessage(
  { read }: PrefixSource,
  lines: readonly Node[],
  messages: readonly { readonly lines: readonly Node[] }[],
): ReadonlyMap<number, readonly string[]> {
  const messageOf = new Map(messages.flatMap((message, i) => message.lines.map((line) => [line, i] as const)));
  const notes = new Map<number, string[]>();
  let last = -1;
  for (const line of lines) {
    if (line.type !== 'attachment') last = Math.max(last, messageOf.get(line) ?? -1);
    else if (!unsentNotes.has(line.subtype ?? '')) notes.set(last, [...(notes.get(last) ?? []), noteOf(read(line))]);
  }
  return notes;
}

/** Attachments that are not part of the messages. */
const unsentNotes: ReadonlySet<string> = new Set([
  'prompt_snapshot',
  'deferred_tools_record',
  'thinking_stripped',
  'thinking_drop',
]);

function noteOf({ attachment, rendered, renderedRole }: JsonObject): string {
  return digest([withoutIds(attachment ?? null), rendered ?? null, renderedRole ?? null]);
}

/** Ids are not sent, and differ in a copy of a session. */
function withoutIds(value: JsonValue): JsonValue {
  if (typeof value === 'string') return isUuid(value) ? '' : value;
  if (isArray(value)) return value.map(withoutIds);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutIds(inner ?? null)]));
}

function digest(value: JsonValue): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}

/** The thinking blocks of `after` that are valid if those of `before` are: all up to the first change, without a gap. */
export function fittingThinking(before: SentPrefix, after: SentPrefix): ReadonlySet<SentThinking> {
  const fitting = new Set<SentThinking>();
  if (before.prompt !== after.prompt || after.tools.some((tool, i) => tool !== before.tools[i])) return fitting;
  const change = after.items.findIndex((item, i) => item !== before.items[i]);
  const shared = change < 0 ? after.items.length : change;
  let last = -1;
  for (const block of after.thinking) {
    const isSame = (other: SentThinking | undefined) => other?.key === block.key && other.at === block.at;
    // Blocks at the start may be missing, but none after the first.
    const place = fitting.size === 0 ? before.thinking.findIndex(isSame) : last + 1;
    if (block.at > shared || !isSame(before.thinking[place])) break;
    fitting.add(block);
    last = place;
  }
  return fitting;
}
