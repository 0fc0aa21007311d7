// A line that is neither prompt nor answer → what a reader should know of it, by the rules of `clew show`: interrupts,
// local commands, hooks, notices, failed requests, compactions. What only the model was told is there too, folded away.
import { asObject, asString, isArray, type JsonObject } from '../../base/json.ts';
import { textOf } from '../../format/block.ts';
import { contentOf, type Entry } from '../../format/entry.ts';
import type { Compaction } from '../../session/compaction.ts';
import type { Graph } from '../../session/graph.ts';
import { isBoundary, type Node } from '../../session/node.ts';
import { apiErrorText, shownSubtypes, withoutTags } from '../../session/note-text.ts';
import { commandLine } from '../../session/prompt-text.ts';
import { contentKeys, cutText, firstChars, placeOf, refTo, startOf, textChars } from './text.ts';
import type { CompactionItem, Item, NoteItem, Ref, Text } from './view.ts';

export interface NoteContext {
  readonly compactions: ReadonlyMap<Node, Compaction>;
  readonly graph: Graph;
  read(node: Node): Entry;
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

type NoteLook = Pick<NoteItem, 'label'> & Partial<Pick<NoteItem, 'tone' | 'isOutput' | 'isFolded'>>;

function note(node: Node, text: string, at: Ref | null, look: NoteLook): NoteItem {
  return {
    kind: 'note',
    place: placeOf(node),
    tone: 'plain',
    isOutput: false,
    isFolded: false,
    ...look,
    label: firstChars(look.label, 100),
    text: cutText(text, textChars.note, at),
  };
}

function userItems(context: NoteContext, node: Node): readonly Item[] {
  const kind = node.userKind;
  if (kind === 'results' || kind === undefined) return [];
  const entry = context.read(node);
  const text = textOf(contentOf(entry));
  const at = refTo(node, ...contentKeys(entry));
  if (text.trim() === '') return [];
  switch (kind) {
    case 'interrupt':
      return [note(node, text.replace(/^\[|\]$/g, ''), at, { label: 'interrupted', tone: 'warning' })];
    case 'bash':
    case 'local-output':
      return localItems(node, text, at);
    case 'notification':
      return [note(node, withoutTags(text).trim(), at, { label: 'notification' })];
    case 'summary':
      // Behind a boundary the summary is shown with it.
      return [...context.compactions.values()].some((each) => each.summary === node && each.boundary !== undefined)
        ? []
        : [{ ...emptyCompaction(node), summary: cutText(text, textChars.answer, at) }];
    default:
      return [note(node, commandLine(text), at, { label: 'told the model', isFolded: true })];
  }
}

function localItems(node: Node, text: string, at: Ref): readonly Item[] {
  const said = withoutTags(text).trim();
  if (said === '') return [];
  if (text.startsWith('<local-command-caveat>')) {
    return [note(node, said, at, { label: 'told the model', isFolded: true })];
  }
  if (text.startsWith('<bash-input>')) return [note(node, `! ${said}`, at, { label: 'shell', isOutput: true })];
  const isError = text.startsWith('<local-command-stderr>');
  return [note(node, said, at, { label: 'output', isOutput: true, tone: isError ? 'error' : 'plain' })];
}

function systemItems(context: NoteContext, node: Node): readonly Item[] {
  const entry: JsonObject = context.read(node);
  const subtype = node.subtype ?? 'system';
  if (subtype === 'api_error') {
    return [note(node, apiErrorText(entry), refTo(node, 'error'), { label: 'request failed', tone: 'error' })];
  }
  if (subtype === 'turn_duration') return [];
  if (subtype === 'stop_hook_summary') return hookItems(node, entry);
  const text = withoutTags(commandLine(textOf(contentOf(entry)))).trim();
  const isShown = shownSubtypes.has(subtype) || subtype.includes('refusal') || entry.level === 'error';
  if (text === '') return [];
  const tone = entry.level === 'error' ? 'error' : entry.level === 'warning' ? 'warning' : 'plain';
  const label = subtype.replaceAll('_', ' ');
  return [
    note(node, text, refTo(node, 'content'), {
      label,
      tone,
      isFolded: !isShown,
      isOutput: subtype === 'local_command',
    }),
  ];
}

/** Hooks that ran without a word are no news. */
function hookItems(node: Node, entry: JsonObject): readonly Item[] {
  const errors = isArray(entry.hookErrors)
    ? entry.hookErrors.map((each) => asString(each) ?? JSON.stringify(each))
    : [];
  const reason = asString(entry.stopReason) ?? '';
  const text = [...errors, ...(entry.preventedContinuation === true && reason !== '' ? [reason] : [])].join('\n');
  if (text === '') return [];
  return [note(node, text, refTo(node, 'hookErrors'), { label: 'stop hook', tone: 'warning', isOutput: true })];
}

function attachmentItems(context: NoteContext, node: Node): readonly Item[] {
  const type = node.subtype ?? 'attachment';
  if (type === 'queued_command') return []; // shown where it was delivered
  const entry: JsonObject = context.read(node);
  const attachment = asObject(entry.attachment) ?? {};
  const rendered = isArray(entry.rendered)
    ? entry.rendered.flatMap((each) => asString(asObject(each)?.content) ?? []).join('\n')
    : '';
  const said = [attachment.stdout, attachment.stderr, attachment.content, attachment.text, attachment.snippet]
    .flatMap((value) => asString(value) ?? [])
    .filter((value) => value.trim() !== '')
    .join('\n');
  const isError = type.endsWith('_error');
  const name = asString(attachment.hookName) ?? asString(attachment.filename) ?? '';
  return [
    note(node, said || rendered, refTo(node, 'attachment'), {
      label: `${type.replaceAll('_', ' ')}${name === '' ? '' : ` · ${name}`}`,
      tone: isError ? 'error' : 'plain',
      isFolded: !isError,
      isOutput: type.startsWith('hook_'),
    }),
  ];
}

function emptyCompaction(node: Node): CompactionItem {
  return {
    kind: 'compaction',
    place: placeOf(node),
    trigger: null,
    preTokens: null,
    postTokens: null,
    keptCount: 0,
    kept: [],
    summary: null,
  };
}

const maxKept = 30;

function compactionItem({ compactions, graph, read }: NoteContext, node: Node): CompactionItem {
  const compaction = compactions.get(node);
  if (compaction === undefined) return emptyCompaction(node);
  const { summary, preservedUuids } = compaction;
  return {
    ...emptyCompaction(node),
    trigger: compaction.trigger === undefined ? null : firstChars(compaction.trigger, 40),
    preTokens: compaction.preTokens ?? null,
    postTokens: compaction.postTokens ?? null,
    keptCount: preservedUuids.length,
    kept: preservedUuids.slice(0, maxKept).flatMap((uuid) => {
      const line = graph.byUuid(uuid);
      return line === undefined ? [] : [{ line: line.line, role: line.type, text: keptText(line, read(line)) }];
    }),
    summary: summary === undefined ? null : summaryText(summary, read(summary)),
  };
}

function summaryText(node: Node, entry: Entry): Text {
  return cutText(textOf(contentOf(entry)), textChars.answer, refTo(node, ...contentKeys(entry)));
}

function keptText(node: Node, entry: Entry): string {
  const said = startOf(textOf(contentOf(entry)), 120);
  return said === '' ? (node.message?.blockTypes ?? []).slice(0, 4).join(', ') : said;
}
