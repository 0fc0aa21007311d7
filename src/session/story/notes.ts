// A line that is neither prompt nor answer → its items: interrupts, local commands, hooks, notices, failed requests,
// compactions, and what the client sent only to the model.

import { asObject, asString, isArray, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { counted, formatTokens, oneLine } from '../../base/text/index.ts';
import { contentOf, type Entry, textOf } from '../../format/entry/index.ts';
import type { Graph } from '../graph/index.ts';
import {
  type CompactionItem,
  type ContextItem,
  type ErrorItem,
  type Item,
  type NoteItem,
  type Ref,
  StoryText,
} from '../items/index.ts';
import { boundaryAbove, type Compaction } from '../load/index.ts';
import { commandLine, isBoundary, type Node, readSessionMessages } from '../transcript/index.ts';
import { attachedMessage } from '../turns/index.ts';
import { contentKeys, refTo } from './text.ts';

export interface NoteContext {
  /** By their boundary, else by their summary. */
  readonly compactions: ReadonlyMap<Node, Compaction>;
  readonly graph: Graph;
  readonly read: (node: Node) => Entry;
}

export function noteItems(context: NoteContext, node: Node): readonly Item[] {
  switch (node.type) {
    case 'user':
      return userItems(context, node);
    case 'system':
      return isBoundary(node) ? [compactionItem(context, node)] : systemItems(context, node);
    case 'attachment':
      return attachmentItems(context, node);
    default:
      return [];
  }
}

function note(
  node: Node,
  text: string,
  at: Ref,
  look: Pick<NoteItem, 'about' | 'label'> & Partial<NoteItem>,
): NoteItem {
  return { kind: 'note', node, tone: 'plain', isOutput: false, ...look, text: new StoryText(text, 'note', at) };
}

function attached(
  node: Node,
  text: string,
  at: Ref,
  look: Pick<ContextItem, 'source' | 'label'> & Partial<ContextItem>,
): ContextItem {
  const plain = { kind: 'context', node, tone: 'plain', isOutput: false, isFolded: true } as const;
  return { ...plain, ...look, text: new StoryText(text, 'note', at) };
}

function userItems(context: NoteContext, node: Node): readonly Item[] {
  const kind = node.userKind;
  if (kind === 'results' || kind === undefined) return [];
  const entry = context.read(node);
  const text = textOf(contentOf(entry));
  const at = refTo(node, ...contentKeys(entry));
  if (kind === 'summary') return summaryItems(context, node, new StoryText(text, 'answer', at));
  if (text.trim() === '') return [];
  switch (kind) {
    case 'interrupt':
      return [
        note(node, text.replace(/^\[|\]$/g, ''), at, { about: 'interrupt', label: 'interrupted', tone: 'warning' }),
      ];
    case 'bash':
    case 'local-output':
      return localItems(node, text, at);
    case 'notification':
      return [note(node, notificationText(text), at, { about: 'notification', label: 'notification' })];
    case 'message':
      return messageItems(node, text, at, (entry as JsonObject).origin);
    default: {
      const source = text.startsWith('<system-reminder>') ? 'reminder' : 'injected';
      return [attached(node, commandLine(text), at, { source, label: 'context for the model' })];
    }
  }
}

/** `origin`: what the client knows about the sender; programs that write to its socket may send no tag. */
function messageItems(node: Node, text: string, at: Ref, origin: JsonValue | undefined): readonly NoteItem[] {
  const { name, from: address } = asObject(origin) ?? {};
  return readSessionMessages(text).map((message) => {
    const from = message.from ?? (asString(name)?.trim() || asString(address)?.trim() || undefined);
    const label = `message from ${from === undefined ? 'another session' : oneLine(from, 60)}`;
    return note(node, message.text, at, { about: 'message', label, from });
  });
}

/** Clients of 1.0 wrote no boundary: the summary is the only mark of the compaction. */
function summaryItems(context: NoteContext, node: Node, text: StoryText): readonly Item[] {
  const above = boundaryAbove(node, context.graph);
  const compaction = above === undefined ? undefined : context.compactions.get(above);
  if (above === undefined && !text.isBlank) {
    return [
      { ...emptyCompaction(node), summary: text },
      { kind: 'summary', node, text, isInCompaction: true },
    ];
  }
  return [{ kind: 'summary', node, text, isInCompaction: compaction?.summary === node }];
}

function localItems(node: Node, text: string, at: Ref): readonly Item[] {
  const words = withoutTags(text);
  if (words === '') return [];
  if (text.startsWith('<local-command-caveat>')) {
    return [attached(node, words, at, { source: 'command-caveat', label: 'context for the model' })];
  }
  if (text.startsWith('<bash-input>'))
    return [note(node, words, at, { about: 'shell', label: 'shell', isOutput: true })];
  const tone = text.startsWith('<local-command-stderr>') ? 'error' : 'plain';
  return [note(node, words, at, { about: 'output', label: 'output', isOutput: true, tone })];
}

/** The client shows these system lines to the user too; the others are its bookkeeping. */
const shownSubtypes: ReadonlySet<string> = new Set(['local_command', 'informational', 'away_summary']);

function systemItems(context: NoteContext, node: Node): readonly Item[] {
  const entry: JsonObject = context.read(node);
  const subtype = node.subtype ?? 'system';
  if (subtype === 'api_error') return [requestError(node, apiErrorText(entry), refTo(node, 'error'))];
  const text = withoutTags(commandLine(textOf(contentOf(entry))));
  const at = refTo(node, 'content');
  const tone = entry.level === 'error' ? 'error' : entry.level === 'warning' ? 'warning' : 'plain';
  const look = { label: subtype.replaceAll('_', ' '), tone, isOutput: subtype === 'local_command' } as const;
  if (text !== '' && shownSubtypes.has(subtype)) return [note(node, text, at, { about: 'system', ...look })];
  const isFolded = !subtype.includes('refusal') && tone !== 'error';
  const item = attached(node, text, at, { source: 'system', ...look, isFolded });
  return subtype === 'stop_hook_summary' ? [item, ...stopHookItems(node, entry)] : [item];
}

export function requestError(node: Node, text: string, at: Ref): ErrorItem {
  return { kind: 'error', node, text: new StoryText(text, 'note', at), repeats: [] };
}

/** Only hooks that failed or stopped the agent have something to say. */
function stopHookItems(node: Node, entry: JsonObject): readonly Item[] {
  const errors = isArray(entry.hookErrors)
    ? entry.hookErrors.map((each) => asString(each) ?? JSON.stringify(each))
    : [];
  const reason = asString(entry.stopReason) ?? '';
  const text = [...errors, ...(entry.preventedContinuation === true && reason !== '' ? [reason] : [])].join('\n');
  if (text === '') return [];
  const look = { label: 'stop hook', tone: 'warning', isOutput: true, isFolded: false } as const;
  return [attached(node, text, refTo(node, 'hookErrors'), { source: 'stop-hook', ...look })];
}

/** A message that arrives while the agent works is an attachment, as a typed prompt is. */
function attachmentItems(context: NoteContext, node: Node): readonly Item[] {
  const entry: JsonObject = node.subtype === 'queued_command' ? context.read(node) : {};
  const message = attachedMessage(entry);
  const origin = asObject(entry.attachment)?.origin;
  if (message !== undefined) return messageItems(node, message, refTo(node, 'attachment', 'prompt'), origin);
  return [attachmentItem(context, node)];
}

function attachmentItem(context: NoteContext, node: Node): ContextItem {
  const type = node.subtype ?? 'attachment';
  const entry: JsonObject = context.read(node);
  const attachment = asObject(entry.attachment) ?? {};
  const rendered = isArray(entry.rendered)
    ? entry.rendered.flatMap((each) => asString(asObject(each)?.content) ?? []).join('\n')
    : '';
  const inner = asObject(attachment.content);
  const said = [attachment.stdout, attachment.stderr, attachment.content, attachment.text, attachment.snippet];
  const nested = [inner?.content, asObject(inner?.file)?.content, asObject(attachment.blockingError)?.blockingError];
  const lists = [attachment.content, attachment.files].flatMap((list) => (isArray(list) ? list.map(listedText) : []));
  const text = [...said, ...nested, ...lists]
    .flatMap((value) => asString(value) ?? [])
    .filter((value) => value.trim() !== '')
    .join('\n');
  const isError = type.endsWith('_error');
  const name = asString(attachment.hookName) ?? editorPlace(attachment) ?? '';
  const isHook = type.startsWith('hook_');
  return attached(node, text || rendered, refTo(node, 'attachment'), {
    source: isHook ? 'hook-output' : type === 'queued_command' ? 'queued-prompt' : 'attachment',
    label: `${attachmentNames[type] ?? type.replaceAll('_', ' ')}${name === '' ? '' : ` · ${name}`}`,
    tone: isError ? 'error' : 'plain',
    isFolded: !isError,
    isOutput: isHook,
  });
}

/** A line of a list in an attachment: a text, a task, or the diagnostics of a file. */
function listedText(value: JsonValue): string {
  const each = asObject(value);
  if (each === undefined) return asString(value) ?? '';
  const diagnostics = isArray(each.diagnostics) ? each.diagnostics.map((one) => asObject(one)) : [];
  if (diagnostics.length > 0) {
    const file = asString(each.uri)?.replace(/^file:\/\//, '') ?? '';
    return diagnostics
      .map((one) => `${file}: ${asString(one?.severity) ?? ''} ${asString(one?.message) ?? ''}`)
      .join('\n');
  }
  const subject = asString(each.subject) ?? asString(each.content);
  return subject === undefined ? '' : `${asString(each.status) ?? ''} ${subject}`.trim();
}

const attachmentNames: Readonly<Record<string, string>> = {
  selected_lines_in_ide: 'selected in the editor',
  opened_file_in_ide: 'open in the editor',
  diagnostics: 'diagnostics of the editor',
};

/** The file of an attachment, with the lines that were selected in it. */
function editorPlace({ filename, displayPath, lineStart, lineEnd }: JsonObject): string | undefined {
  const file = asString(displayPath) ?? asString(filename);
  if (file === undefined || typeof lineStart !== 'number') return file;
  return `${file}:${lineStart}${typeof lineEnd === 'number' && lineEnd !== lineStart ? `–${lineEnd}` : ''}`;
}

const maxKept = 30;

function emptyCompaction(node: Node): CompactionItem {
  const unknown = { trigger: null, preTokens: null, postTokens: null, keptCount: 0, kept: [], summary: null };
  return { kind: 'compaction', node, hasBoundary: isBoundary(node), ...unknown };
}

function compactionItem({ compactions, graph, read }: NoteContext, node: Node): CompactionItem {
  const compaction = compactions.get(node);
  if (compaction === undefined) return emptyCompaction(node);
  const { summary, preservedUuids } = compaction;
  const entry = summary === undefined ? {} : read(summary);
  return {
    ...emptyCompaction(node),
    trigger: compaction.trigger ?? null,
    preTokens: compaction.preTokens ?? null,
    postTokens: compaction.postTokens ?? null,
    keptCount: preservedUuids.length,
    kept: preservedUuids.slice(0, maxKept).flatMap((uuid) => {
      const line = graph.byUuid(uuid);
      return line === undefined ? [] : [{ line: line.line, role: line.type, text: keptText(line, read(line)) }];
    }),
    summary:
      summary === undefined
        ? null
        : new StoryText(textOf(contentOf(entry)), 'answer', refTo(summary, ...contentKeys(entry))),
  };
}

function keptText(node: Node, entry: Entry): string {
  const text = textOf(contentOf(entry));
  return text.trim() === '' ? (node.message?.blockTypes ?? []).slice(0, 4).join(', ') : text;
}

/** `compacted (auto)`, `155k → 12.3k tokens`, `3 entries kept`, as far as the file says so. */
export function compactionFacts({ trigger, preTokens, postTokens, keptCount }: CompactionItem): string[] {
  const sizes = [preTokens, postTokens].flatMap((count) => (count === null ? [] : [formatTokens(count)]));
  return [
    `compacted${trigger === null ? '' : ` (${oneLine(trigger, 20)})`}`,
    ...(sizes.length === 0 ? [] : [`${sizes.join(' → ')} tokens`]),
    ...(keptCount === 0 ? [] : [`${counted(keptCount, 'entry', 'entries')} kept`]),
  ];
}

/** `API error 529: Overloaded, retry 2 of 10`, as far as the entry says so. */
function apiErrorText(entry: JsonObject): string {
  const error = asObject(entry.error);
  const inner = asObject(asObject(error?.error)?.error);
  const status = typeof error?.status === 'number' && error.status > 0 ? ` ${error.status}` : '';
  const message = asString(error?.message) ?? asString(inner?.message) ?? '';
  const { retryAttempt, maxRetries } = entry;
  const retry = typeof retryAttempt === 'number' && retryAttempt > 0 ? `, retry ${retryAttempt} of ${maxRetries}` : '';
  return `API error${status}${message === '' ? '' : `: ${message}`}${retry}`;
}

/** What happened first, then its result, then ids and the like. */
function notificationText(text: string): string {
  const summary = /<summary>([\s\S]*?)<\/summary>/.exec(text);
  if (summary?.[1] === undefined) return withoutTags(text);
  const result = /<result>([\s\S]*)<\/result>/.exec(text);
  const rest = text.replace(summary[0], ' ').replace(result?.[0] ?? '', () => ' ');
  const others = withoutTags(rest)
    .split(/\s*\n\s*/)
    .filter((part) => part !== '');
  return [summary[1].trim(), result?.[1]?.trim() ?? '', others.length === 0 ? '' : `(${others.join(', ')})`]
    .filter((part) => part !== '')
    .join('\n');
}

/** Without the tags in which the client wraps the words of commands. */
function withoutTags(text: string): string {
  return text.replace(/<\/?[a-z-]+>/g, ' ').trim();
}
