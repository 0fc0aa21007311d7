// Builds transcripts for tests, line by line: sensible envelopes, ids `u1`, `a1`, …, each line a second after the line
// before, and its child. Every field can be overridden; a field set to `undefined` is left out.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isObject, type JsonObject, type JsonValue } from '../../src/base/json/json.ts';
import { scanRecord } from '../../src/format/scan/scan.ts';
import { makeSession, type Session } from '../../src/session/load/session.ts';
import { Node, SharedValues } from '../../src/session/transcript/node.ts';
import type { Transcript } from '../../src/session/transcript/transcript.ts';
import type { SessionFiles } from '../../src/store/session-files.ts';

export const sessionId = '11111111-1111-4111-a111-111111111111';
export const startTime: number = Date.parse('2026-01-03T10:00:00.000Z');

/** Fields that replace or add to what the builder would write; a `message` is merged into the line's own. */
export interface Fields {
  readonly [key: string]: JsonValue | undefined;
  readonly message?: JsonObject | undefined;
}

export type Content = string | readonly JsonValue[];

export interface TranscriptBuilder {
  readonly entries: readonly JsonObject[];
  user(content: Content, fields?: Fields): TranscriptBuilder;
  /** A line of message `m1`, `m2`, … unless `fields.message.id` is set. */
  assistant(content: Content, fields?: Fields): TranscriptBuilder;
  /** An assistant line with one tool call. */
  call(id: string, fields?: Fields): TranscriptBuilder;
  /** A user line with the results of these calls. */
  result(ids: string | readonly string[], fields?: Fields): TranscriptBuilder;
  system(subtype: string | undefined, fields?: Fields): TranscriptBuilder;
  boundary(compactMetadata?: JsonObject, fields?: Fields): TranscriptBuilder;
  /** The user line that a compaction leaves. */
  summary(text: string, fields?: Fields): TranscriptBuilder;
  /** `rendered`: the texts that the client sends for it. */
  attachment(type: string, rendered?: readonly string[], fields?: Fields): TranscriptBuilder;
  progress(fields?: Fields): TranscriptBuilder;
  lastPrompt(leafUuid: string | undefined, fields?: Fields): TranscriptBuilder;
  queue(operation: string, content?: JsonValue, fields?: Fields): TranscriptBuilder;
  /** A line outside the chain, of any type. */
  aside(type: string, fields?: Fields): TranscriptBuilder;
  /** Any object, exactly as given. */
  entry(entry: JsonObject): TranscriptBuilder;
  /** The parent of the next line; `null`: it is a root. */
  from(uuid: string | null): TranscriptBuilder;
  /** The next line is this many milliseconds after the one before it, instead of a second. */
  after(ms: number): TranscriptBuilder;
  /** The file's text. */
  text(): string;
  write(file: string): void;
  transcript(): Transcript;
  session(files?: Partial<SessionFiles>): Session;
}

/** `envelope` is added to every line with a uuid. */
export function transcript(envelope: Fields = {}): TranscriptBuilder {
  const entries: JsonObject[] = [];
  const counts = new Map<string, number>();
  let parent: string | null = null;
  let time = startTime - 1000;
  let step = 1000;

  const next = (letter: string): string => {
    const count = (counts.get(letter) ?? 0) + 1;
    counts.set(letter, count);
    return `${letter}${count}`;
  };
  const add = (entry: JsonObject): TranscriptBuilder => {
    entries.push(JSON.parse(JSON.stringify(entry)) as JsonObject);
    return builder;
  };
  const stamp = (): string => {
    time += step;
    step = 1000;
    return new Date(time).toISOString();
  };
  const linked = (type: string, letter: string, own: JsonObject, fields: Fields): TranscriptBuilder => {
    const { message, ...rest } = fields;
    const entry: JsonObject = {
      type,
      uuid: next(letter),
      parentUuid: parent,
      sessionId,
      timestamp: stamp(),
      isSidechain: false,
      userType: 'external',
      cwd: '/home/dev/widgets',
      version: '2.1.45',
      ...own,
      ...envelope,
      ...rest,
      ...('message' in fields ? { message: merged(own.message, message) } : {}),
    };
    if (typeof entry.uuid === 'string') parent = entry.uuid;
    return add(entry);
  };
  const says = (role: 'user' | 'assistant', letter: string, message: JsonObject, fields: Fields): TranscriptBuilder =>
    linked(role, letter, { message: { role, ...message } }, fields);

  const builder: TranscriptBuilder = {
    entries,
    user: (content, fields = {}) => says('user', 'u', { content }, fields),
    assistant: (content, fields = {}) =>
      says(
        'assistant',
        'a',
        {
          id: fields.message !== undefined && 'id' in fields.message ? undefined : next('m'),
          model: 'claude-opus-4-5-20251101',
          content: typeof content === 'string' ? [text(content)] : content,
          stop_reason: 'end_turn',
          usage: { input_tokens: 5, output_tokens: 5 },
        },
        fields,
      ),
    call: (id, fields = {}) => builder.assistant([toolUse(id)], fields),
    result: (ids, fields = {}) => says('user', 'r', { content: [ids].flat().map((id) => toolResult(id)) }, fields),
    system: (subtype, fields = {}) => linked('system', 's', { subtype, content: 'note' }, fields),
    boundary: (compactMetadata = { trigger: 'auto', preTokens: 1000 }, fields = {}) =>
      linked(
        'system',
        'b',
        { subtype: 'compact_boundary', compactMetadata, logicalParentUuid: parent, parentUuid: null },
        fields,
      ),
    summary: (content, fields = {}) => builder.user(content, { isCompactSummary: true, ...fields }),
    attachment: (type, rendered, fields = {}) =>
      linked('attachment', 'x', { attachment: { type }, rendered: rendered?.map((content) => ({ content })) }, fields),
    progress: (fields = {}) => linked('progress', 'p', { data: { type: 'hook_progress' } }, fields),
    lastPrompt: (leafUuid, fields = {}) => builder.aside('last-prompt', { lastPrompt: 'typed', leafUuid, ...fields }),
    queue: (operation, content, fields = {}) =>
      builder.aside('queue-operation', { operation, timestamp: stamp(), content, ...fields }),
    aside: (type, fields = {}) => add({ type, sessionId, ...fields }),
    entry: add,
    from: (uuid) => {
      parent = uuid;
      return builder;
    },
    after: (ms) => {
      step = ms;
      return builder;
    },
    text: () => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    write: (file) => {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, builder.text());
    },
    transcript: () => inMemory(entries),
    session: (files = {}) => makeSession({ ...noFiles, ...files }, inMemory(entries)),
  };
  return builder;
}

function merged(own: JsonValue | undefined, message: JsonObject | undefined): JsonObject | undefined {
  return message === undefined ? undefined : { ...(isObject(own) ? own : {}), ...message };
}

export function text(content: string): JsonObject {
  return { type: 'text', text: content };
}

export function thinking(content: string, signature: string | undefined = 'sig'): JsonObject {
  return { type: 'thinking', thinking: content, signature };
}

export function toolUse(id: string, name: string = 'Read', input: JsonObject = { file_path: `/${id}` }): JsonObject {
  return { type: 'tool_use', id, name, input };
}

export function toolResult(id: string, content: JsonValue = `out ${id}`, fields: JsonObject = {}): JsonObject {
  return { type: 'tool_result', tool_use_id: id, content, ...fields };
}

/** Nodes by the uuids of their lines, or by their type without one. */
export function namesOf(nodes: Iterable<Node | undefined>): string[] {
  return [...nodes].map((node) => (node === undefined ? '(none)' : (node.uuid ?? node.type)));
}

export function nodeOf(session: Pick<Session, 'transcript'>, uuid: string): Node {
  const node = session.transcript.nodes.findLast((each) => each.uuid === uuid);
  if (node === undefined) throw new Error(`no line has the uuid ${uuid}`);
  return node;
}

const noFiles: SessionFiles = {
  sessionId,
  main: `/nowhere/${sessionId}.jsonl`,
  folder: `/nowhere/${sessionId}`,
  agents: [],
  flatAgents: [],
  journals: [],
  toolResults: [],
  problems: [],
};

/** The result of `loadTranscript`, without a file. */
function inMemory(entries: readonly JsonObject[]): Transcript {
  const shared = new SharedValues();
  let offset = 0;
  const nodes = entries.map((entry, index) => {
    const bytes = Buffer.from(JSON.stringify(entry));
    const head = scanRecord(bytes);
    if (head === undefined) throw new Error('the scanner refuses a line of the builder');
    const place = { index, line: index + 1, offset, length: bytes.length, hidden: false };
    offset += bytes.length + 1;
    return new Node(head, place, shared, true);
  });
  return fromNodes(nodes, entries, offset);
}

function fromNodes(nodes: readonly Node[], entries: readonly JsonObject[], sizeBytes: number): Transcript {
  return {
    path: noFiles.main,
    sizeBytes,
    nodes,
    diagnostics: [],
    foreign: undefined,
    mayRepeat: true, // the closer look is always taken
    // An agent's nodes have their own numbers, so an entry is found by its offset in the file.
    read: (node) => entries[node.line - 1] ?? {},
    pick: (picked) => {
      const again = picked.map(({ line, offset, length, hidden }, index) => {
        const head = scanRecord(Buffer.from(JSON.stringify(entries[line - 1])));
        if (head === undefined) throw new Error('the scanner refuses a line of the builder');
        return new Node(head, { index, line, offset, length, hidden }, new SharedValues(), true);
      });
      return fromNodes(again, entries, sizeBytes);
    },
  };
}
