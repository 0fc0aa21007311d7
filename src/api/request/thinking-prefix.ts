// Hashes the parts of a request that bind its thinking: the system prompt, the set of tools, and every block of the
// messages. Cache marks, the order of keys, and a string instead of one text block make no difference.
import { createHash } from 'node:crypto';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { modelFactsOf, modelRowOf, plainModelName } from '../../models/index.ts';
import { viewRequest } from './request-view.ts';

/** A block of the messages of a request. */
export interface SentBlock {
  /** As the API names it: `messages.3.content.0`. */
  readonly path: string;
  readonly messageIndex: number;
  readonly role: string;
  readonly block: JsonObject;
  readonly isThinking: boolean;
  /** The hash of the role and the block. Two messages of one role in a row have the same blocks as one message. */
  readonly hash: string;
}

/** All blocks of the messages, in order. */
export function sentBlocks(messages: unknown): readonly SentBlock[] {
  return viewRequest({ messages }).messages.flatMap(({ place, message, role, blocks }) => {
    const { content: _, role: __, ...more } = message ?? {};
    const said = asString(role) ?? '';
    return blocks.map(({ block }, i) => ({
      path: `${place.path}.content.${i}`,
      messageIndex: place.messageIndex,
      role: said,
      block,
      isThinking: block.type === 'thinking' || block.type === 'redacted_thinking',
      hash: shortHash([said, normalForm(more), blockHash(block)]),
    }));
  });
}

/** The client's own first block of the system prompt differs between requests, so it does not count. */
const billingHeader = /^x-anthropic-billing-header/;

export function systemHash(system: unknown): string {
  const blocks = typeof system === 'string' ? [{ type: 'text', text: system }] : isArray(system) ? system : [];
  const counting = blocks.filter((block) => !billingHeader.test(asString(asObject(block)?.text) ?? ''));
  return shortHash(counting.map((block) => normalForm(block)));
}

/** The hash of the tools as a set. A tool with `defer_loading` counts once `messages` has loaded it. */
export function toolsHash(tools: unknown, loaded: ReadonlySet<string> = new Set()): string {
  const counting = (isArray(tools) ? tools : []).filter((tool) => {
    const { defer_loading: isDeferred, name } = asObject(tool) ?? {};
    return isDeferred !== true || loaded.has(asString(name) ?? '');
  });
  return shortHash(counting.map((tool) => JSON.stringify(normalForm(tool))).sort());
}

/** The deferred tools that a block loads. */
export function loadedTools({ block }: SentBlock): readonly string[] {
  const found = [block, ...(isArray(block.content) ? block.content.filter(isObject) : [])];
  return found.flatMap(({ type, tool, tool_name: named }) => {
    if (type === 'tool_addition') return asString(asObject(tool)?.name) ?? [];
    return type === 'tool_reference' ? (asString(named) ?? []) : [];
  });
}

/** Identifies a thinking block: its text may be missing, its signature may not. */
export function thinkingId(block: JsonObject): string {
  return shortHash(asString(block.signature) ?? asString(block.data) ?? '');
}

/** The blocks of a conversation are sent again with every request, mostly as the same objects. */
const hashes = new WeakMap<JsonObject, string>();

function blockHash(block: JsonObject): string {
  const known = hashes.get(block);
  if (known !== undefined) return known;
  const hash = shortHash(normalForm(block));
  hashes.set(block, hash);
  return hash;
}

function normalForm(value: JsonValue | undefined): JsonValue {
  if (isArray(value)) return value.map(normalForm);
  if (!isObject(value)) return value ?? null;
  const entries = Object.entries(value).filter(([key]) => key !== 'cache_control');
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, normalForm(inner)]);
  const object = Object.fromEntries(sorted) as JsonObject;
  if (object.type !== 'tool_result' || typeof object.content !== 'string') return object;
  return { ...object, content: [{ text: object.content, type: 'text' }] };
}

export function shortHash(value: JsonValue): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16);
}

/** The beta of the report and of the setting for mismatched thinking. */
export const bindingBeta = 'thinking-binding-controls-2026-08-01';

/** Unknown models from this version on count as models that check. */
const firstBinding = [5, 1] as const;

/** Whether the API refuses thinking of this model if the text before it has changed. */
export function isBinding(model: string | undefined): boolean {
  const row = modelRowOf(model ?? '');
  if (row !== undefined) return row.prefixCheck !== 'none';
  const version = /^claude-(?:[a-z]+-)*(\d+)(?:-(\d{1,2}))?(?!\d)/.exec(plainModelName(model ?? ''));
  if (version === null) return false;
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)];
  return major > firstBinding[0] || (major === firstBinding[0] && minor >= firstBinding[1]);
}

/** Whether the API requires the last answer of an open round of tool calls to begin with thinking. */
export function hasThinkingBudget(model: string | undefined): boolean {
  return modelFactsOf(model ?? '')?.thinking === 'budget';
}
