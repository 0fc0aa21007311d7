// A parsed line → its typed view, which is the parsed value itself: no copy, no class, nothing dropped. The set of
// types is open (closed schemas broke other readers with every new client), so an unknown type is an entry as well.
import { asObject, isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { type Block, blocksOf } from './block.ts';
import { entryFields, type envelopeFields } from './entry-fields.ts';
import type { Shape } from './fields.ts';

export type EntryType = keyof typeof entryFields;
export type Envelope = Shape<typeof envelopeFields>;
export type EntryOf<T extends EntryType> = { readonly type: T } & Envelope & Shape<(typeof entryFields)[T]>;
export type KnownEntry = { readonly [T in EntryType]: EntryOf<T> }[EntryType];
export type UnknownEntry = { readonly type?: JsonValue } & Envelope;
export type Entry = KnownEntry | UnknownEntry;

export type UserEntry = EntryOf<'user'>;
export type AssistantEntry = EntryOf<'assistant'>;
export type SystemEntry = EntryOf<'system'>;
export type ProgressEntry = EntryOf<'progress'>;
export type AttachmentEntry = EntryOf<'attachment'>;

/** Any JSON object is an entry; nothing else is. */
export function asEntry(value: JsonValue | undefined): Entry | undefined {
  return isObject(value) ? (value as Entry) : undefined; // every field of an entry but a known type is a claim
}

/** The guard of every known type: `isEntry(entry, 'custom-title')`. */
export function isEntry<T extends EntryType>(entry: Entry, type: T): entry is EntryOf<T> {
  return entry.type === type;
}

export function isKnownEntry(entry: Entry): entry is KnownEntry {
  return typeof entry.type === 'string' && Object.hasOwn(entryFields, entry.type);
}

export function isUser(entry: Entry): entry is UserEntry {
  return isEntry(entry, 'user');
}

export function isAssistant(entry: Entry): entry is AssistantEntry {
  return isEntry(entry, 'assistant');
}

export function isSystem(entry: Entry): entry is SystemEntry {
  return isEntry(entry, 'system');
}

export function isProgress(entry: Entry): entry is ProgressEntry {
  return isEntry(entry, 'progress');
}

export function isAttachment(entry: Entry): entry is AttachmentEntry {
  return isEntry(entry, 'attachment');
}

/** The type, or where there is none (seed 002 leaves it out on assistant lines) the role of the message. */
export function roleOf(entry: Entry): string | undefined {
  if (typeof entry.type === 'string') return entry.type;
  const role = messageOf(entry)?.role;
  return typeof role === 'string' ? role : undefined;
}

/** The blocks of `message.content`, else of the entry's own `content` (seed 002, system notes, queued prompts). */
export function contentOf(entry: Entry): readonly Block[] {
  const inMessage = messageOf(entry)?.content;
  return blocksOf(inMessage ?? (entry as { readonly content?: unknown }).content);
}

function messageOf(entry: Entry): JsonObject | undefined {
  const { message } = entry as { readonly message?: unknown }; // only some types have one
  return asObject(message);
}
