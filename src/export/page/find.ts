// A word and a branch → the places of the word, in the order of the branch: in prompts, answers, thinking, tool calls and
// their output. It stops after enough hits or enough bytes and says where to continue, so that a long session answers soon.
import { asObject, type JsonObject } from '../../base/json/index.ts';
import {
  blocksOf,
  contentOf,
  type Entry,
  isText,
  isThinking,
  isToolResult,
  isToolUse,
  textOf,
} from '../../format/entry/index.ts';
import { leafText } from '../../library/search/index.ts';
import { readEntry, type Session } from '../../session/load/index.ts';
import { callsOf, type Node, promptText, splitPrompt } from '../../session/transcript/index.ts';
import { type FindHit, type FindResult, matchWord, wordPattern } from '../wire/index.ts';
import { branchNumbered, nodesOf, type Part, partsOf } from './parts.ts';

export interface FindOptions {
  readonly text: string;
  /** From 1, the active branch unless it is given. */
  readonly branch?: number;
  /** The part to begin at. */
  readonly from?: number;
  readonly limit?: number;
  /** Lines are read up to this many bytes; the part in which that happens is finished. */
  readonly maxBytes?: number;
}

/** Upper and lower case are the same; one hit for each block. */
export function findInSession(session: Session, options: FindOptions): FindResult {
  const { text, branch = 1, from = 0, limit = 100, maxBytes = 64 * 1024 * 1024 } = options;
  const { all } = partsOf(session, branchNumbered(session, branch));
  const pattern = wordPattern(text);
  if (pattern === undefined) return { hits: [], next: null };
  const shownIn = callParts(all);
  const hits: FindHit[] = [];
  let bytes = 0;
  for (const part of all.slice(Math.max(0, from))) {
    if (hits.length >= limit || bytes >= maxBytes) return { hits, next: part.index };
    for (const node of nodesOf(part)) {
      if (!searched.has(node.type)) continue;
      bytes += node.length;
      hits.push(...hitsIn(readEntry(session, node), { node, part, pattern, shownIn }));
    }
  }
  return { hits, next: null };
}

const searched: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment']);

/** A result is drawn with its call, which may be in an earlier part. */
function callParts(all: readonly Part[]): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  for (const part of all) {
    for (const node of nodesOf(part)) for (const { id } of callsOf(node)) if (!parts.has(id)) parts.set(id, part);
  }
  return parts;
}

interface Search {
  readonly node: Node;
  readonly part: Part;
  readonly pattern: RegExp;
  readonly shownIn: ReadonlyMap<string, Part>;
}

function hitsIn(entry: Entry, search: Search): readonly FindHit[] {
  const { node } = search;
  if (node.type === 'assistant') return answerHits(entry, search);
  if (node.type === 'attachment') return match(search, 'note', leafText((entry as JsonObject).attachment));
  const blocks = contentOf(entry);
  const results = blocks.filter(isToolResult).flatMap((block) => {
    const part = search.shownIn.get(block.tool_use_id) ?? search.part;
    return match({ ...search, part }, 'tool-output', textOf(blocksOf(block.content)));
  });
  if (node.promptKind === undefined) return [...results, ...match(search, 'note', textOf(blocks))];
  const attached = blocks.filter(isText).flatMap(({ text }) => splitPrompt(text).attached);
  return [...results, ...match(search, 'prompt', promptText(blocks)), ...match(search, 'note', attached.join('\n'))];
}

function answerHits(entry: Entry, search: Search): readonly FindHit[] {
  return contentOf(entry).flatMap((block) => {
    if (isText(block)) return match(search, 'answer', block.text);
    if (isThinking(block)) return match(search, 'thinking', block.type === 'thinking' ? block.thinking : '');
    if (isToolUse(block)) return match(search, 'tool-input', leafText(asObject(block.input) ?? {}));
    return [];
  });
}

function match({ node, part, pattern }: Search, kind: string, text: string): readonly FindHit[] {
  const found = matchWord(pattern, text);
  if (found === undefined) return [];
  return [{ part: part.index, turn: part.turn.index, line: node.line, record: node.index, in: kind, ...found }];
}
