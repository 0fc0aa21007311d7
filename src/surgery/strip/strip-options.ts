// The options of `clew strip`, and the tools that a list of names matches.

import { decodedByteLength, readImageSize, readImageType } from '../../api/request/index.ts';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { formatBytes, formatCount } from '../../base/text/index.ts';
import type { Edit, JsonPath } from '../../format/bytes/index.ts';
import { callsOf, type Node, resultsOf } from '../../session/transcript/index.ts';

/** Options of `planStrip`: what to leave out, and where. */
export interface StripOptions {
  /** Names of tools, with `*` for any characters; an empty list means all tools. */
  readonly tools?: readonly string[];
  /** How many characters of a tool's result to keep. */
  readonly truncateResults?: number;
  /** How many characters of each text in a call's input to keep. */
  readonly truncateInputs?: number;
  readonly thinking?: boolean;
  readonly images?: boolean;
  readonly progress?: boolean;
  readonly bookkeeping?: boolean;
  /** With `bookkeeping`: also the effective snapshot of the system prompt, and all thinking that is bound to it. */
  readonly prompt?: boolean;
  /** Only turns more than this many turns back. */
  readonly olderThanTurns?: number;
  /** Only turns that ended before this time. */
  readonly olderThanTime?: number;
  /** How many of the last turns to keep. */
  readonly keepLast?: number;
  /** Also the transcripts of sub-agents. */
  readonly agents?: boolean;
  readonly isInPlace?: boolean;
}

/** In the order of the planner's table. */
export const stripKinds = [
  'tools',
  'truncateResults',
  'truncateInputs',
  'thinking',
  'images',
  'progress',
  'bookkeeping',
] as const;

export type StripKind = (typeof stripKinds)[number];

export function takesAnything(options: StripOptions): boolean {
  return stripKinds.some((kind) => options[kind] !== undefined && options[kind] !== false);
}

export function toolMatcher(names: readonly string[]): (name: string) => boolean {
  if (names.length === 0) return () => true;
  const patterns = names.map((name) => {
    if (name.trim() === '') throw new UserError('--tools has an empty name in its list', 'write --tools Bash,mcp__*');
    const parts = name.trim().split('*');
    return new RegExp(`^${parts.map((part) => part.replace(/[^\w]/g, '\\$&')).join('.*')}$`, 's');
  });
  return (name) => patterns.some((pattern) => pattern.test(name));
}

export interface CallChoice {
  readonly nodes: readonly Node[];
  /** Whether the line may be changed. */
  isOpen(node: Node): boolean;
  isMatch(name: string): boolean;
  /** Also remove results without a call. */
  readonly takesOrphans: boolean;
}

export function callsToStrip({ nodes, isOpen, isMatch, takesOrphans }: CallChoice): ReadonlySet<string> {
  const closedMessages = new Set<string>();
  for (const node of nodes) if (!isOpen(node)) for (const key of messageKeys(node)) closedMessages.add(key);
  const chosen = new Set<string>();
  const called = new Set<string>();
  const vetoed = new Set<string>();
  for (const node of nodes) {
    const isClosed = !isOpen(node) || messageKeys(node).some((key) => closedMessages.has(key));
    for (const { id, name } of callsOf(node)) {
      called.add(id);
      if (isClosed || id === '') vetoed.add(id);
      else if (isMatch(name)) chosen.add(id);
    }
  }
  for (const node of nodes) {
    for (const { toolUseId } of resultsOf(node)) {
      if (!isOpen(node)) vetoed.add(toolUseId);
      else if (takesOrphans && !called.has(toolUseId)) chosen.add(toolUseId);
    }
  }
  return new Set([...chosen].filter((id) => !vetoed.has(id)));
}

function messageKeys(node: Node): string[] {
  const key = messageKey(node);
  return key === undefined ? [] : [key];
}

/** The client joins lines with the same key; a line without one is a message of its own. */
export function messageKey({ type, message }: Node): string | undefined {
  if (type !== 'assistant') return undefined;
  return message?.id || (message?.requestId ? `request ${message.requestId}` : undefined);
}

// Edits that shorten long texts and replace images in a record by a description, with a reference to the original.

/** Where the complete value is: in the original session. */
export interface OriginalLine {
  readonly sessionId: string;
  readonly line: number;
}

/** `undefined` if the result would not be shorter. */
export function cutText(text: string, keepChars: number, { sessionId, line }: OriginalLine): string | undefined {
  if (text.length <= keepChars) return undefined;
  // Do not split a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(text[keepChars - 1] ?? '') ? keepChars - 1 : keepChars;
  const kept = text.slice(0, end);
  const cut = formatCount(text.length - end);
  const gap = kept === '' ? '' : '\n';
  const short = `${kept}${gap}[clew: ${cut} of ${formatCount(text.length)} characters cut; all of it is in session ${sessionId}, line ${line}]`;
  return short.length < text.length ? short : undefined;
}

/** Includes text that a client appends to it. */
export const cutMark: RegExp =
  /\n?\[clew: [\d,]+ of [\d,]+ characters cut; all of it is in session \S+, line \d+\][\s\S]*$/;

/** All texts of a result share the limit; `content` is a string or a list of blocks. */
export function resultCuts(
  content: JsonValue | undefined,
  path: JsonPath,
  keepChars: number,
  origin: OriginalLine,
): Edit[] {
  if (typeof content === 'string') return editTo(path, cutText(content, keepChars, origin));
  let left = keepChars;
  return (isArray(content) ? content : []).flatMap((item, i) => {
    const text = isObject(item) && item.type === 'text' ? asString(item.text) : undefined;
    if (text === undefined) return [];
    const edits = editTo([...path, i, 'text'], cutText(text, left, origin));
    left = Math.max(0, left - text.length);
    return edits;
  });
}

/** Shortens every long text in a value, except encoded data. */
export function textCuts(
  value: JsonValue | undefined,
  path: JsonPath,
  keepChars: number,
  origin: OriginalLine,
): Edit[] {
  const edits: Edit[] = [];
  walk(value, path, (inner, at, parent) => {
    if (typeof inner !== 'string') return false;
    const key = at.at(-1);
    const isEncoded = key === 'base64' || (key === 'data' && parent?.type === 'base64') || isDataUrl(inner);
    if (!isEncoded) edits.push(...editTo(at, cutText(inner, keepChars, origin)));
    return false;
  });
  return edits;
}

/** Replaces every image in a value, in any form of the client, by a text. */
export function imageEdits(value: JsonValue | undefined, path: JsonPath, origin: OriginalLine): Edit[] {
  const edits: Edit[] = [];
  walk(value, path, (inner, at, parent) => {
    if (typeof inner === 'string' && isDataUrl(inner) && parent?.isImage === true) {
      edits.push({ path: at, set: describeImage(inner.slice(inner.indexOf(',') + 1), undefined, origin) });
      edits.push({ path: [...at.slice(0, -1), 'isImage'], set: false });
      return true;
    }
    if (!isObject(inner) || inner.type !== 'image') return false;
    const set = withoutImage(inner, origin);
    if (set !== undefined) edits.push({ path: at, set });
    return true;
  });
  return edits;
}

/** A block of a message or result, or the result of `Read` for an image. */
function withoutImage(image: JsonObject, origin: OriginalLine): JsonObject | undefined {
  const source = asObject(image.source);
  if (source !== undefined) {
    const text = describeImage(asString(source.data), asString(source.media_type) ?? asString(source.type), origin);
    return { type: 'text', text };
  }
  const file = asObject(image.file);
  const base64 = asString(file?.base64);
  if (file === undefined || base64 === undefined) return undefined;
  const content = describeImage(base64, asString(file.type), origin);
  return {
    type: 'text',
    file: { filePath: asString(file.filePath) ?? '', content, numLines: 1, startLine: 1, totalLines: 1 },
  };
}

function describeImage(
  base64: string | undefined,
  named: string | undefined,
  { sessionId, line }: OriginalLine,
): string {
  const size = base64 === undefined ? undefined : readImageSize(base64);
  const facts = [
    (base64 === undefined ? undefined : readImageType(base64)) ?? named ?? 'of unknown type',
    size === undefined ? undefined : `${size.width}×${size.height} pixels`,
    base64 === undefined ? undefined : formatBytes(decodedByteLength(base64)),
  ].filter((fact) => fact !== undefined);
  return `${imageMark} ${facts.join(', ')}, taken out; it is in session ${sessionId}, line ${line}]`;
}

export const imageMark = '[clew: image';

function isDataUrl(text: string): boolean {
  return /^data:image\/[\w.+-]{1,40};base64,/.test(text);
}

function editTo(path: JsonPath, set: string | undefined): Edit[] {
  return set === undefined ? [] : [{ path, set }];
}

/** Iterative, because a value may nest deeper than the call stack. `visit` returns whether to skip the children. */
function walk(
  top: JsonValue | undefined,
  topPath: JsonPath,
  visit: (value: JsonValue, path: JsonPath, parent: JsonObject | undefined) => boolean,
): void {
  const left: { value: JsonValue | undefined; path: JsonPath; parent: JsonObject | undefined }[] = [
    { value: top, path: topPath, parent: undefined },
  ];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, path, parent } = next;
    if (value === undefined || visit(value, path, parent)) continue;
    if (isArray(value))
      for (const [i, item] of value.entries()) left.push({ value: item, path: [...path, i], parent: undefined });
    else if (isObject(value))
      for (const [key, item] of Object.entries(value)) left.push({ value: item, path: [...path, key], parent: value });
  }
}
