// One record of a transcript as the session layers see it: its place in the file and what its head says, without its
// content. A two-gigabyte transcript is half a million of these, so what lines repeat is shared between them and
// flags are packed; the content is read again from the file when it is wanted (`Transcript.read`).

import type { Usage } from '../../format/entry/index.ts';
import type { CallHead, Head, InputHead, MessageHead, ResultHead } from '../../format/scan/index.ts';
import { isSessionMessage } from './session-message.ts';

export interface Place {
  /** Its place among the records of the transcript, from 0. */
  readonly index: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  /** Not the first record of its line, or after junk: a reader sees it, the client does not read it. */
  readonly hidden: boolean;
}

/**
 * A record of a transcript without its content. It is a class to save memory: a getter costs nothing per node, a field
 * would.
 */
export class Node {
  readonly index: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly type: string;
  readonly subtype: string | undefined;
  readonly uuid: string | undefined;
  readonly parentUuid: string | null | undefined;
  /** Milliseconds since 1970, or `NaN`. */
  readonly time: number;
  readonly message: NodeMessage | undefined;
  #flags: number;
  readonly #origin: Origin;
  readonly #input: UserInput | undefined;
  readonly #rare: Rare | undefined;

  constructor(head: Head, place: Place, shared: SharedValues, keepMessage: boolean) {
    this.index = place.index;
    this.line = place.line;
    this.offset = place.offset;
    this.length = place.length;
    this.type = shared.string(head.type === '' ? roleOf(head) : head.type) ?? '';
    this.subtype = shared.string(head.subtype);
    this.uuid = shared.string(head.uuid);
    this.parentUuid = head.parentUuid === null ? null : shared.string(head.parentUuid);
    this.time = head.time;
    this.message =
      head.message !== undefined && keepMessage ? messageOf(head.message, head.requestId, shared) : undefined;
    this.#flags = flagsOf(head, place);
    this.#origin = shared.origin(head);
    this.#input = this.type === 'user' ? shared.input(classifyUser(head)) : undefined;
    this.#rare = rareOf(head);
  }

  get hidden(): boolean {
    return (this.#flags & hiddenFlag) !== 0;
  }
  /** Only later lines show that the client does not read this one. */
  hide(): void {
    this.#flags |= hiddenFlag;
  }
  get isSidechain(): boolean {
    return (this.#flags & sidechainFlag) !== 0;
  }
  get isMeta(): boolean {
    return (this.#flags & metaFlag) !== 0;
  }
  get isCompactSummary(): boolean {
    return (this.#flags & summaryFlag) !== 0;
  }
  get isApiError(): boolean {
    return (this.#flags & apiErrorFlag) !== 0;
  }
  get hasPermissionMode(): boolean {
    return (this.#flags & permissionModeFlag) !== 0;
  }
  /** Of a `last-prompt`: exactly this leaf is meant. */
  get explicit(): boolean {
    return (this.#flags & explicitFlag) !== 0;
  }
  /** A message line without content that the client can read stays in the graph, but is never sent. */
  get hasContent(): boolean {
    return (this.#flags & contentFlag) !== 0;
  }
  get sessionId(): string | undefined {
    return this.#origin.sessionId;
  }
  get agentId(): string | undefined {
    return this.#origin.agentId;
  }
  get cwd(): string | undefined {
    return this.#origin.cwd;
  }
  get version(): string | undefined {
    return this.#origin.version;
  }
  /** What a user line is; `undefined` for all other lines. */
  get userKind(): UserKind | undefined {
    return this.#input?.kind;
  }
  /** Set if the line is a prompt that the user gave: such a line begins a turn. */
  get promptKind(): PromptKind | undefined {
    return this.#input?.prompt;
  }
  get logicalParentUuid(): string | undefined {
    return this.#rare?.logicalParentUuid;
  }
  get leafUuid(): string | undefined {
    return this.#rare?.leafUuid;
  }
  /** The sub-agent whose result is in this line. */
  get resultAgentId(): string | undefined {
    return this.#rare?.resultAgentId;
  }
}

/** What a node says about its message. */
export interface NodeMessage {
  readonly id: string | undefined;
  readonly requestId: string | undefined;
  readonly model: string | undefined;
  readonly stopReason: string | undefined;
  readonly usage: Usage | undefined;
  readonly blockTypes: readonly string[];
  readonly calls: readonly CallHead[];
  readonly results: readonly ResultHead[];
}

interface Origin {
  readonly sessionId: string | undefined;
  readonly agentId: string | undefined;
  readonly cwd: string | undefined;
  readonly version: string | undefined;
}

interface Rare {
  readonly logicalParentUuid: string | undefined;
  readonly leafUuid: string | undefined;
  readonly resultAgentId: string | undefined;
}

const hiddenFlag = 1;
const sidechainFlag = 2;
const metaFlag = 4;
const summaryFlag = 8;
const apiErrorFlag = 16;
const permissionModeFlag = 32;
const explicitFlag = 64;
const contentFlag = 128;

function flagsOf(head: Head, place: Place): number {
  const content = head.message?.content;
  return (
    // Without a type of its own (seed 002's form) a line is only for readers.
    (place.hidden || head.type === '' ? hiddenFlag : 0) |
    (head.isSidechain ? sidechainFlag : 0) |
    (head.isMeta ? metaFlag : 0) |
    (head.isCompactSummary ? summaryFlag : 0) |
    (head.isApiErrorMessage ? apiErrorFlag : 0) |
    (head.hasPermissionMode ? permissionModeFlag : 0) |
    (head.explicit ? explicitFlag : 0) |
    (content === 'string' || (content === 'blocks' && hasTypedBlock(head)) ? contentFlag : 0)
  );
}

/** Blocks without a type are not sent; a line of nothing else is like one without content. */
function hasTypedBlock({ message }: Head): boolean {
  return message === undefined || message.blockTypes.length === 0 || message.blockTypes.some((type) => type !== '');
}

function rareOf({ logicalParentUuid, leafUuid, resultAgentId }: Head): Rare | undefined {
  const isEmpty = logicalParentUuid === undefined && leafUuid === undefined && resultAgentId === undefined;
  return isEmpty ? undefined : { logicalParentUuid, leafUuid, resultAgentId };
}

function messageOf(head: MessageHead, requestId: string | undefined, shared: SharedValues): NodeMessage {
  return {
    id: shared.string(head.id),
    requestId: shared.string(requestId),
    model: shared.string(head.model),
    stopReason: shared.string(head.stopReason),
    usage: head.usage,
    blockTypes: shared.list(head.blockTypes),
    calls: head.calls,
    results: head.results,
  };
}

function roleOf(head: Head): string {
  const role = head.message?.role;
  return role === 'user' || role === 'assistant' ? role : '';
}

const maxShared = 4096;

/** One copy of what the lines of a transcript repeat. It is cleared when it is full: sharing only saves memory. */
export class SharedValues {
  readonly #strings = new Map<string, string>();
  readonly #lists = new Map<string, readonly string[]>();
  readonly #inputs = new Map<string, UserInput>();
  #origin: Origin = { sessionId: undefined, agentId: undefined, cwd: undefined, version: undefined };

  string(text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    if (this.#strings.size >= maxShared) this.#strings.clear();
    this.#strings.set(text, text);
    return text;
  }

  /** Nearly all lists have one item; only those are worth sharing. */
  list(texts: readonly string[]): readonly string[] {
    const [only] = texts;
    return only === undefined || texts.length > 1 ? texts : share(this.#lists, only, texts);
  }

  input(input: UserInput): UserInput {
    return share(this.#inputs, `${input.kind} ${input.prompt}`, input);
  }

  origin({ sessionId, agentId, cwd, version }: Head): Origin {
    const last = this.#origin;
    if (last.sessionId !== sessionId || last.agentId !== agentId || last.cwd !== cwd || last.version !== version) {
      this.#origin = { sessionId, agentId, cwd, version };
    }
    return this.#origin;
  }
}

function share<T>(known: Map<string, T>, key: string, value: T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= maxShared) known.clear();
  known.set(key, value);
  return value;
}

export function isMessage(node: Node): boolean {
  return node.type === 'user' || node.type === 'assistant';
}

/** `system` and `attachment`: links of the chain that are not messages. */
export function isNote(node: Node): boolean {
  return node.type === 'system' || node.type === 'attachment';
}

export function isBoundary(node: Node): boolean {
  return node.type === 'system' && node.subtype === 'compact_boundary';
}

export function callsOf(node: Node): readonly CallHead[] {
  return node.type === 'assistant' ? (node.message?.calls ?? []) : [];
}

export function resultsOf(node: Node): readonly ResultHead[] {
  return node.type === 'user' ? (node.message?.results ?? []) : [];
}

/** What an entry of the role `user` is; `message`: another session or agent sent it. */
export type UserKind =
  | 'human'
  | 'results'
  | 'injected'
  | 'summary'
  | 'command'
  | 'local-output'
  | 'bash'
  | 'notification'
  | 'message'
  | 'interrupt';

/** How a prompt was given. */
export type PromptKind = 'plain' | 'slash-command' | 'ide-selection' | 'ide-opened-file' | 'image' | 'queued';

interface UserInput {
  readonly kind: UserKind;
  /** Present if the user typed it: such a line begins a turn. */
  readonly prompt: PromptKind | undefined;
}

export function classifyUser(head: InputHead): UserInput {
  const blockTypes = head.message?.blockTypes ?? [];
  const texts = head.textPrefixes.filter((text) => !text.startsWith('<system-reminder>'));
  if (blockTypes.includes('tool_result')) {
    const isSaid = !head.isMeta && !head.isCompactSummary && texts.some((text) => kindOfText(text) === 'human');
    return { kind: 'results', prompt: isSaid ? promptKind(texts, blockTypes) : undefined };
  }
  // The task of a sub-agent may come as a message; it is what the sub-agent was asked.
  if (!head.isSidechain && isSessionMessage(texts[0] ?? '', head.isMeta)) return { kind: 'message', prompt: undefined };
  if (head.isMeta) return { kind: 'injected', prompt: undefined };
  if (head.isCompactSummary) return { kind: 'summary', prompt: undefined };
  const first = texts[0];
  if (first === undefined) {
    // Only reminders, or nothing: injected. An image or a document alone is a prompt.
    if (blockTypes.includes('image')) return { kind: 'human', prompt: 'image' };
    if (blockTypes.includes('document')) return { kind: 'human', prompt: 'plain' };
    return { kind: head.textPrefixes.length > 0 ? 'injected' : 'human', prompt: undefined };
  }
  const kind = kindOfTyped(first);
  if (kind === 'command') return { kind, prompt: 'slash-command' };
  return { kind, prompt: kind === 'human' ? promptKind(texts, blockTypes) : undefined };
}

/** What a single text is, by how it starts. */
export function kindOfText(text: string): UserKind {
  return isSessionMessage(text) ? 'message' : kindOfTyped(text);
}

function kindOfTyped(text: string): UserKind {
  for (const [start, kind] of starts) if (text.startsWith(start)) return kind;
  return 'human';
}

const starts: readonly (readonly [string, UserKind])[] = [
  ['<command-name>', 'command'],
  ['<command-message>', 'command'],
  ['<local-command-stdout>', 'local-output'],
  ['<local-command-stderr>', 'local-output'],
  ['<local-command-caveat>', 'local-output'],
  ['<bash-input>', 'bash'],
  ['<bash-stdout>', 'bash'],
  ['<bash-stderr>', 'bash'],
  ['<task-notification>', 'notification'],
  ['[Request interrupted by user', 'interrupt'],
  // What the editor reports after an edit; the extension for VS Code puts it next to the result.
  ['<post-tool-use-hook>', 'injected'],
  ['<ide_diagnostics>', 'injected'],
];

function promptKind(texts: readonly string[], blockTypes: readonly string[]): PromptKind {
  if (texts.some((text) => text.startsWith('<ide_selection>'))) return 'ide-selection';
  if (texts.some((text) => text.startsWith('<ide_opened_file>'))) return 'ide-opened-file';
  return blockTypes.includes('image') ? 'image' : 'plain';
}
