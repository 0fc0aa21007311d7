// A session → the whole request of a resume, as far as known: the messages, the system prompt and the tools of the active
// snapshot, and the settings of the model. Values that only the client knows have a placeholder. (BINDING 9.1 and 9.5, as
// observed with client 2.1.325.)
import { asObject, isArray, type JsonObject, type JsonValue } from '../../../base/json/index.ts';
import { windowTokensOf } from '../../../format/entry/index.ts';
import { requestEffort, requestOutputTokens, requestThinking, takesSystemRole } from '../../../models/index.ts';
import type { Node } from '../../transcript/index.ts';
import {
  type ClientHost,
  type Draft,
  draftLines,
  filterDrafts,
  requestModel,
  textBlock,
  type WireMessage,
} from '../messages/index.ts';
import { type ResumeOptions, type ResumeSource, requestMessages, resumeLines } from './request.ts';

/** The placeholder for a value that comes from the client. */
export const builtByClient = 'built by the client';
type BuiltByClient = typeof builtByClient;

/** The request of a resume, as far as it is known. */
export interface FullRequest {
  readonly host: ClientHost;
  readonly model: string;
  readonly max_tokens: number;
  /** The values of the header `anthropic-beta`. */
  readonly betas: readonly string[];
  readonly thinking: JsonObject | null;
  readonly output_config: JsonObject | null;
  readonly context_management: JsonObject | null;
  readonly system: readonly (JsonObject | BuiltByClient)[] | BuiltByClient;
  readonly tools: readonly (JsonObject | BuiltByClient)[] | BuiltByClient;
  /** The line of the active `prompt_snapshot`. */
  readonly snapshotLine: number | null;
  readonly messages: readonly WireMessage[];
}

/** Returns the whole request that Claude Code sends when it resumes a session, as far as it is known. */
export function fullRequest(
  session: { readonly transcript: ResumeSource },
  prompt?: string,
  options: ResumeOptions = {},
): FullRequest | { readonly refused: string } {
  const { host = 'anthropic' } = options;
  const request = requestMessages(session, prompt, options);
  const resumed = resumeLines(session.transcript);
  if ('refused' in request) return request;
  if ('refused' in resumed) return resumed;
  const { model, messages } = request;
  const snapshot = countingSnapshot(resumed.lines, (node) => session.transcript.read(node));
  const { thinking, effort } = defaultsOf(model);
  return {
    host,
    model,
    max_tokens: requestOutputTokens(model),
    betas: betasOf(model, host, snapshot?.content),
    thinking: thinking === undefined ? null : { ...thinking },
    output_config: effort === undefined ? null : { effort },
    context_management: isOld(model) ? null : { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    system: snapshot === undefined ? builtByClient : [builtByClient, textBlock(snapshot.systemPrompt.join('\n\n'))],
    tools: snapshotTools(snapshot?.content),
    snapshotLine: snapshot?.line ?? null,
    messages,
  };
}

export interface Snapshot {
  readonly line: number;
  readonly systemPrompt: readonly string[];
  readonly content: JsonObject;
}

/** BINDING 9.5: the last snapshot with a system prompt on the chain, which starts at a boundary. */
export function countingSnapshot(lines: readonly Node[], read: (node: Node) => JsonObject): Snapshot | undefined {
  for (const node of [...lines].reverse()) {
    if (node.type !== 'attachment' || node.subtype !== 'prompt_snapshot' || node.uuid === undefined) continue;
    const content = asObject(read(node).attachment) ?? {};
    const parts = isArray(content.systemPrompt) ? content.systemPrompt : [];
    const systemPrompt = parts.filter((part) => typeof part === 'string');
    if (systemPrompt.length > 0) return { line: node.line, systemPrompt, content };
  }
  return undefined;
}

/** Tools come from the snapshot by name; others come from the client. */
function snapshotTools(snapshot: JsonObject | undefined): FullRequest['tools'] {
  const tools: readonly JsonValue[] = isArray(snapshot?.tools) ? snapshot.tools : [];
  const schemas = tools.map((tool) => asObject(asObject(tool)?.schema)).filter((schema) => schema !== undefined);
  return schemas.length === 0 ? builtByClient : [...schemas, builtByClient];
}

/** Models without any thinking. */
function isOld(model: string): boolean {
  return /claude-3-/.test(model);
}

function defaultsOf(model: string) {
  const thinking = requestThinking(model, requestOutputTokens(model), { kind: 'default', display: 'omitted' });
  return { thinking, effort: requestEffort(model, {}, thinking) };
}

/** In the client's order; for Haiku `claude-code` comes later. */
function betasOf(model: string, host: ClientHost, snapshot: JsonObject | undefined): readonly string[] {
  const isDirect = host === 'anthropic';
  const isKnownToThink = !isOld(model);
  const betas: readonly (readonly [name: string, isSent: boolean])[] = [
    ['claude-code-20250219', true],
    ['interleaved-thinking-2025-05-14', isKnownToThink],
    ['context-management-2025-06-27', isKnownToThink],
    ['prompt-caching-scope-2026-01-05', isDirect],
    ['per-turn-control-2026-07-01', /-5-5|fable-5-[12]/.test(model)],
    ['mid-conversation-tool-changes-2026-07-01', takesSystemRole(model) && !/sonnet-5(?!-5)/.test(model)],
    ['thinking-token-count-2026-05-13', isKnownToThink],
    ['advanced-tool-use-2025-11-20', isKnownToThink],
    [
      'mid-conversation-system-clear-at-2026-08-21',
      isDirect && takesSystemRole(model) && snapshot?.keptReminders !== false,
    ],
    ['effort-2025-11-24', defaultsOf(model).effort !== undefined],
    ['thinking-binding-controls-2026-08-01', isDirect],
    ['cache-diagnosis-2026-04-07', isDirect],
  ];
  return betas.filter(([, isSent]) => isSent).map(([name]) => name);
}

/** A compaction before the prompt. */
export interface AutoCompaction {
  /** The approximate size of the conversation, as the client counts it. */
  readonly tokens: number;
  /** The client compacts above this size. */
  readonly limit: number;
}

/** A description of what is sent afterwards. */
export const leftAfterCompaction = 'a summary in its own words, the last answer and the prompt';

/** Returns whether a resume compacts the session first. `undefined`: it does not, or the client refuses the file. */
export function autoCompactionOf(session: { readonly transcript: ResumeSource }): AutoCompaction | undefined {
  const source = session.transcript;
  const resumed = resumeLines(source);
  if ('refused' in resumed) return undefined;
  return autoCompaction(resumed.lines, (node) => source.read(node, 'sent'));
}

function autoCompaction(lines: readonly Node[], read: (node: Node) => JsonObject): AutoCompaction | undefined {
  // The usage of the last answer decides in most cases, without reading the lines.
  const last = lines.findLastIndex((node) => countedTokens(node) > 0);
  const counted = lines[last];
  if (counted === undefined || countedTokens(counted) < smallestLimit / 2) return undefined;
  // The content of a line is never longer than the line.
  const laterBytes = lines.slice(last + 1).reduce((sum, line) => sum + line.length, closingBytes);
  if (countedTokens(counted) + laterBytes / 4 + ownReminderTokens < smallestLimit) return undefined;
  const drafts = filterDrafts(draftLines(lines, read));
  const limit = limitOf(drafts, requestModel(drafts));
  if (limit === undefined) return undefined;
  const later = new Set(lines.slice(last + 1));
  const chars = drafts
    .filter((draft) => draft.lines.some((line) => later.has(line)))
    .reduce((sum, draft) => sum + JSON.stringify(draft.content).length, 0);
  const tokens = countedTokens(counted) + Math.round(chars / 4) + ownReminderTokens;
  return tokens < limit ? undefined : { tokens, limit };
}

function countedTokens({ type, message }: Node): number {
  return type === 'assistant' && message?.usage !== undefined ? windowTokensOf(message.usage) : 0;
}

/** The reserve of the client, and the size of its reminders, measured in an empty folder. */
const keptFree = 33_000;
const ownReminderTokens = 2_400;
const smallestLimit = 200_000 - keptFree;
/** More than the results that close open calls have. */
const closingBytes = 16 * 1024;

/** The context that the client counts with, and the size above which it compacts before a prompt. */
export interface ClientWindow {
  readonly limit: number;
  readonly compactsAt: number;
}

/** Without the mark for a long context. */
export const usualWindow = 200_000;

/** `undefined` for the 4.5 models and older ones: a resume never compacts their sessions. */
export function clientWindow(model: string, isLong: boolean): ClientWindow | undefined {
  const limit = windowLimit(model, isLong);
  return limit === undefined ? undefined : { limit, compactsAt: limit - keptFree };
}

function windowLimit(model: string, isLong: boolean): number | undefined {
  if (/claude-(opus|sonnet)-4-6/.test(model)) return isLong ? 1_000_000 : usualWindow;
  return /claude-(opus-4-[78]|(opus|sonnet|haiku|fable)-5)/.test(model) ? 1_000_000 : undefined;
}

function limitOf(drafts: readonly Draft[], model: string): number | undefined {
  const isLong = drafts.some((draft) => /\[1m\]$/i.test(draft.model ?? ''));
  return clientWindow(model, isLong)?.compactsAt;
}
