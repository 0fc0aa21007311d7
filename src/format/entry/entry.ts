// A parsed line → a typed view of the same value. The set of types is open, because closed schemas broke other readers
// with every new client: an unknown type is also an entry.
import { asObject, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { type Block, blocksOf, type Shape } from './block.ts';
import { entryFields, type envelopeFields } from './entry-fields.ts';

/** The type of an entry that Clew knows. */
export type EntryType = keyof typeof entryFields;
/** The fields that entries of all types may have. */
export type Envelope = Shape<typeof envelopeFields>;
/** An entry of one type. */
export type EntryOf<T extends EntryType> = { readonly type: T } & Envelope & Shape<(typeof entryFields)[T]>;
/** An entry of a type that Clew knows. */
export type KnownEntry = { readonly [T in EntryType]: EntryOf<T> }[EntryType];
/** An entry of any other type. */
export type UnknownEntry = { readonly type?: JsonValue } & Envelope;
/** A record of a transcript. */
export type Entry = KnownEntry | UnknownEntry;

/** An entry with a prompt, a tool result or another message of the role `user`. */
export type UserEntry = EntryOf<'user'>;
/** An entry with one block of the model's answer. */
export type AssistantEntry = EntryOf<'assistant'>;
/** An entry with a note of the client. */
export type SystemEntry = EntryOf<'system'>;
export type ProgressEntry = EntryOf<'progress'>;
/** An entry with context that the client adds to the conversation. */
export type AttachmentEntry = EntryOf<'attachment'>;

/** Any JSON object is an entry; nothing else is. */
export function asEntry(value: JsonValue | undefined): Entry | undefined {
  return isObject(value) ? (value as Entry) : undefined; // only the type of an entry is checked
}

/** The guard of a known type: `isEntry(entry, 'custom-title')`. */
export function isEntry<T extends EntryType>(entry: Entry, type: T): entry is EntryOf<T> {
  return entry.type === type;
}

export function isKnownEntry(entry: Entry): entry is KnownEntry {
  return typeof entry.type === 'string' && Object.hasOwn(entryFields, entry.type);
}

/** Checks whether an entry is a user entry. */
export function isUser(entry: Entry): entry is UserEntry {
  return isEntry(entry, 'user');
}

/** Checks whether an entry is an assistant entry. */
export function isAssistant(entry: Entry): entry is AssistantEntry {
  return isEntry(entry, 'assistant');
}

/** Checks whether an entry is a system entry. */
export function isSystem(entry: Entry): entry is SystemEntry {
  return isEntry(entry, 'system');
}

export function isProgress(entry: Entry): entry is ProgressEntry {
  return isEntry(entry, 'progress');
}

/** Checks whether an entry is an attachment. */
export function isAttachment(entry: Entry): entry is AttachmentEntry {
  return isEntry(entry, 'attachment');
}

/** Returns the type of an entry, or the role of its message if it has no type. */
export function roleOf(entry: Entry): string | undefined {
  if (typeof entry.type === 'string') return entry.type;
  const role = messageOf(entry)?.role;
  return typeof role === 'string' ? role : undefined;
}

/** Returns the content blocks of an entry: of its message, or else of its own `content`. */
export function contentOf(entry: Entry): readonly Block[] {
  const inMessage = messageOf(entry)?.content;
  return blocksOf(inMessage ?? (entry as { readonly content?: unknown }).content);
}

function messageOf(entry: Entry): JsonObject | undefined {
  const { message } = entry as { readonly message?: unknown }; // only some types have one
  return asObject(message);
}
