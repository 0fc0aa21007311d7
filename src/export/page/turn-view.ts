// A session and a range of parts → what the page shows of them: the items of the story, cut to what is worth sending.
import { isArray, isObject } from '../../base/json/index.ts';
import type * as detail from '../../session/items/index.ts';
import type * as story from '../../session/items/index.ts';
import { StoryText } from '../../session/items/index.ts';
import type { Session } from '../../session/load/index.ts';
import { attachedLine, hunksOf, Story } from '../../session/story/index.ts';
import type {
  AgentRow,
  CallDetail,
  CallItem,
  DiffDetail,
  HunkView,
  Item,
  NoteItem,
  PromptView,
  Sent,
  Stamp,
  TurnView,
} from '../wire/index.ts';
import { branchNumbered, type Part, partsOf } from './parts.ts';
import { callIdChars, cutText, firstChars, imageRef, linePlace, sentText, startOf, timeOf } from './text.ts';

export interface PartRange {
  /** From 1, the active branch unless it is given. */
  readonly branch?: number;
  /** The first part, from 0, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

export function turnViews(session: Session, { branch = 1, from, to }: PartRange): readonly TurnView[] {
  const shown = branchNumbered(session, branch);
  const { all } = partsOf(session, shown);
  const parts = all.slice(Math.max(0, from), Math.max(0, to));
  const whole = new Story(session, { branch: shown });
  return parts.map((part) => partView(whole, part));
}

function partView(whole: Story, { turn, index, from, to }: Part): TurnView {
  const items = [...whole.items(turn, from, to)].flatMap((item) => sentItem(item));
  const prompt = from === 0 ? whole.prompt(turn) : undefined;
  return {
    part: index,
    turn: turn.index,
    isFirst: from === 0,
    isLast: to === turn.nodes.length,
    prompt: prompt === undefined ? null : promptView(prompt, whole.cwd),
    items,
  };
}

function promptView(prompt: story.PromptItem, cwd: string | undefined): PromptView {
  const { node, moreNodes, promptKind, text, attached, images, documents } = prompt;
  return {
    place: linePlace(node),
    morePlaces: moreNodes.map(linePlace),
    kind: promptKind,
    attached: attached.map((each) => ({
      source: each.source,
      label: startOf(attachedLine(each, cwd), 300),
      text: sentText(each.text),
    })),
    text: sentText(new StoryText(text.text.trim(), text.role, text.at)),
    images: images.map(imageRef),
    documents: documents.map((title) => firstChars(title, 200)),
    at: timeOf(node.time),
  };
}

function sentItem(item: story.Item): readonly Item[] {
  const { kind } = item;
  const place = linePlace(item.node);
  switch (kind) {
    case 'prompt':
      return []; // it heads the turn
    case 'queued':
      return [{ kind, place, text: sentText(item.text) }];
    case 'text':
      return [{ kind, place, ...stampOf(item.node), text: sentText(item.text) }];
    case 'thinking':
      return [{ kind, place, text: item.text === null ? null : sentText(item.text) }];
    case 'call':
      return [callItem(item)];
    case 'image':
      return [{ kind, place, image: imageRef(item.image) }];
    case 'error':
      return [errorItem(item)];
    case 'note':
      return [noteItem(item)];
    case 'context':
      return isOnPage(item) ? [noteItem(item, item.isFolded)] : [];
    case 'compaction':
      return [compactionItem(item)];
    case 'summary':
      if (item.isInCompaction || item.text.isBlank) return [];
      return [compactionItem({ ...noFacts, node: item.node, summary: item.text })];
    case 'fork':
      return [{ kind, place, branch: item.branch, turns: item.turns, isReplay: item.isReplay }];
    case 'block':
      return [{ kind, place, type: firstChars(item.type, 60), json: sentText(item.json) }];
    default:
      return item satisfies never;
  }
}

function stampOf({ time, message }: story.StoryLine): Stamp {
  return { at: timeOf(time), model: message?.model === undefined ? null : firstChars(message.model, 100) };
}

const noFacts = { trigger: null, preTokens: null, postTokens: null, keptCount: 0, kept: [] };

/** A queued prompt is shown where it was delivered; a system line without text says nothing. */
function isOnPage({ source, text }: story.ContextItem): boolean {
  return source !== 'queued-prompt' && (source !== 'system' || text.text !== '');
}

function errorItem({ node, text, repeats }: story.ErrorItem): Item {
  const label = `request failed${repeats.length === 0 ? '' : `, ${repeats.length + 1} times`}`;
  const item = noteItem({ node, text, tone: 'error', label, isOutput: false });
  return { ...item, morePlaces: repeats.map(linePlace) };
}

type NoteLook = Pick<story.NoteItem, 'node' | 'tone' | 'label' | 'isOutput' | 'text'> & { readonly about?: string };

function noteItem({ node, tone, label, isOutput, text, about }: NoteLook, isFolded = false): NoteItem {
  const words = about === 'shell' ? new StoryText(`! ${text.text}`, text.role, text.at) : text;
  return {
    kind: 'note',
    place: linePlace(node),
    morePlaces: [],
    tone,
    isOutput,
    isFolded,
    label: firstChars(label, 100),
    text: sentText(words),
  };
}

function compactionItem(item: Omit<story.CompactionItem, 'kind' | 'hasBoundary'>): Item {
  return {
    kind: 'compaction',
    place: linePlace(item.node),
    trigger: item.trigger === null ? null : firstChars(item.trigger, 40),
    preTokens: item.preTokens,
    postTokens: item.postTokens,
    keptCount: item.keptCount,
    kept: item.kept.map(({ line, role, text }) => ({ line, role, text: startOf(text, 120) })),
    summary: item.summary === null ? null : sentText(item.summary),
  };
}

const summaryChars = 300;
const outcomeChars = 160;

function callItem(call: story.CallItem): CallItem {
  const isError = call.state === 'failed' || call.state === 'interrupted';
  const { output, result } = call;
  const sent = sentDetail(call.detail);
  // These show the text that the model got as their own output.
  const showsError = sent.as === 'shell' || sent.as === 'json';
  return {
    kind: 'call',
    place: linePlace(call.node),
    ...stampOf(call.node),
    id: firstChars(call.id, callIdChars),
    name: firstChars(call.tool, 100),
    summary: startOf(call.summary, summaryChars),
    outcome: startOf(call.outcome, outcomeChars),
    reply: call.reply === null ? null : sentText(call.reply),
    state: call.state,
    resultPlace: result === undefined ? null : linePlace(result),
    durationMs: call.durationMs,
    agent: call.agent === undefined ? null : agentRow(call.agent),
    error: isError && !showsError ? sentText(new StoryText(output, 'output', call.outputAt)) : null,
    images: call.images.map(imageRef),
    detail: sent,
  };
}

export function agentRow(agent: story.StoryAgent): AgentRow {
  return {
    agentId: agent.agentId,
    agentType: agent.agentType === undefined ? null : firstChars(agent.agentType, 100),
    description: agent.description === undefined ? null : firstChars(agent.description, 300),
    toolUseId: agent.toolUseId ?? null,
    workflow: agent.workflow ?? null,
  };
}

function sentDetail(whole: detail.CallDetail): CallDetail {
  if (whole.as === 'diff') return cutDiff(whole);
  const isLong = whole.as === 'search' && whole.files.length > maxItems.files;
  const sent = cutValue(whole, '');
  return sent.as === 'search' ? { ...sent, isCut: sent.isCut || isLong } : sent;
}

/** Names, paths and headings have 500 characters unless they are listed here. */
const maxChars: Readonly<Record<string, number>> = {
  status: 40,
  agentType: 100,
  url: 1_000,
  prompt: 1_000,
  question: 2_000,
  answer: 2_000,
};
const maxItems = { files: 200, todos: 200, links: 50, questions: 20, options: 20 };

/** The same value with every text and list cut to what the page shows. */
function cutValue<Value>(value: Value, key: string): Sent<Value> {
  return cut(value, key) as Sent<Value>; // `Sent` says for types what `cut` does for values
}

function cut(value: unknown, key: string): unknown {
  if (value instanceof StoryText) return sentText(value);
  if (typeof value === 'string') return cutText(value, maxChars[key] ?? 500, null).text;
  if (isArray(value)) {
    const count = key in maxItems ? maxItems[key as keyof typeof maxItems] : undefined;
    return value.slice(0, count).map((each) => cut(each, key));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner, name)]));
}

const maxLines = 240;
const lineChars = 1_000;

export function cutDiff({ as, file, isNew, change, at }: detail.DiffDetail): DiffDetail {
  let added = 0;
  let removed = 0;
  let left = maxLines;
  let more = 0;
  const kept: HunkView[] = [];
  for (const { oldStart, newStart, lines } of hunksOf(change)) {
    for (const line of lines) {
      if (line.startsWith('+')) added++;
      else if (line.startsWith('-')) removed++;
    }
    const shown = lines.slice(0, left);
    left -= shown.length;
    more += lines.length - shown.length + shown.filter((line) => line.length > lineChars).length;
    if (shown.length > 0) kept.push({ oldStart, newStart, lines: shown.map((line) => firstChars(line, lineChars)) });
  }
  const name = cutText(file, 500, null).text;
  return { as, file: name, isNew, hunks: kept, added, removed, more, at: more === 0 ? null : at };
}
