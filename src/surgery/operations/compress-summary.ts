// The text that replaces the summarized turns: the prompts verbatim, then a summary from one of three sources.

import { type AskOptions, askModel } from '../../api/client/index.ts';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, isObject, type JsonValue } from '../../base/json/index.ts';
import { blocksOf, isText, isToolResult, isToolUse, textOf } from '../../format/entry/index.ts';
import { defaultModel, isOffered } from '../../models/index.ts';
import { summariseInput } from '../../session/calls/index.ts';
import { compactionsOf, type Session } from '../../session/load/index.ts';
import { callsOf, isBoundary, type Node, promptText, resultsOf } from '../../session/transcript/index.ts';
import { findQueuedPrompts, type ToolCall, type Turn, toolCallsOf, turnsOf } from '../../session/turns/index.ts';
import { messageKey } from '../strip/index.ts';

// Summarizes turns without a model: prompts, answers, files, commands, errors and open todos. Deterministic.

/** The prompts of these turns, verbatim, including those typed while the agent worked. */
function promptsOf(session: Session, turns: readonly Turn[]): readonly string[] {
  const prompts: { readonly index: number; readonly text: string }[] = [];
  for (const { prompt, promptLines } of turns) {
    if (prompt !== undefined) prompts.push({ index: prompt.index, text: promptOf(session, promptLines) });
  }
  const lines = turns.flatMap(({ nodes }) => nodes.map(({ index }) => index));
  const [from, to] = [lines[0] ?? 0, lines.at(-1) ?? -1];
  for (const queued of findQueuedPrompts(session.transcript.nodes, (node) => session.transcript.read(node))) {
    const { index } = queued.shownBy ?? queued.node;
    if (queued.outcome === 'delivered' && index >= from && index <= to) prompts.push({ index, text: queued.text });
  }
  return prompts.sort((a, b) => a.index - b.index).flatMap(({ text }) => (text === '' ? [] : [text]));
}

function promptOf(session: Session, lines: readonly Node[]): string {
  const blocks = lines.flatMap((node) => blocksOf(asObject(session.transcript.read(node).message)?.content));
  const images = blocks.filter(({ type }) => type === 'image').length;
  const text = promptText(blocks);
  return images === 0
    ? text
    : `${text}${text === '' ? '' : '\n'}[with ${images === 1 ? 'an image' : `${images} images`}]`;
}

/** Markdown with a section per turn. */
function outlineTurns(session: Session, turns: readonly Turn[]): string {
  const sections = turns.flatMap((turn) => {
    const lines = outlineTurn(session, turn);
    return lines.length === 0 ? [] : [[`### Turn ${turn.index}`, ...lines].join('\n')];
  });
  const todos = openTodos(session, turns);
  if (todos.length > 0) sections.push(['### Still to do', ...todos.map((todo) => `- ${todo}`)].join('\n'));
  return sections.join('\n\n');
}

function outlineTurn(session: Session, turn: Turn): string[] {
  const calls = toolCallsOf(session, turn);
  const files = new Map<string, Set<string>>();
  for (const { id, name, node } of calls) {
    const file = callsOf(node).find((call) => call.id === id)?.file;
    if (file !== undefined) files.set(file, (files.get(file) ?? new Set()).add(name));
  }
  const answer = finalText(session, turn);
  const failed = calls.filter(({ isError, name }) => isError && name !== 'Bash');
  return [
    ...(answer === '' ? [] : [`Answer: ${firstSentences(answer)}`]),
    ...listed(
      'Files',
      [...files].map(([file, names]) => `${file} (${[...names].join(', ')})`),
    ),
    ...listed(
      'Commands',
      calls.filter(({ name }) => name === 'Bash').map((call) => commandLine(session, call)),
    ),
    ...listed(
      'Errors',
      failed.map((call) => `${call.name}: ${firstLine(resultText(session, call))}`),
    ),
  ];
}

const longestList = 30;

function listed(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const more = items.length > longestList ? [`- … and ${items.length - longestList} more`] : [];
  return [`${title}:`, ...items.slice(0, longestList).map((item) => `- ${item}`), ...more];
}

function finalText(session: Session, { nodes }: Turn): string {
  const last = nodes.findLast(
    (node) => node.type === 'assistant' && node.message?.blockTypes.includes('text') === true,
  );
  return last === undefined ? '' : textOf(blocksOf(asObject(session.transcript.read(last).message)?.content)).trim();
}

function firstSentences(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const end = /^.{80,}?[.!?](?=\s)/.exec(line)?.[0] ?? line;
  return shortened(end, 400);
}

function commandLine(session: Session, call: ToolCall): string {
  const command = shortened(firstLine(summariseInput(call.name, inputOf(session, call))), 200);
  if (call.result === undefined) return `\`${command}\` → no result`;
  return `\`${command}\` → ${call.isError ? `failed: ${firstLine(resultText(session, call))}` : 'ok'}`;
}

function inputOf(session: Session, { id, node }: ToolCall): JsonValue | undefined {
  const blocks = blocksOf(asObject(session.transcript.read(node).message)?.content);
  return blocks.filter(isToolUse).find((block) => block.id === id)?.input as JsonValue | undefined;
}

function resultText(session: Session, { id, result }: ToolCall): string {
  if (result === undefined) return '';
  const blocks = blocksOf(asObject(session.transcript.read(result).message)?.content);
  const content = blocks.filter(isToolResult).find((block) => block.tool_use_id === id)?.content;
  return blocksOf(content)
    .filter(isText)
    .map(({ text }) => text)
    .join('\n');
}

function firstLine(text: string): string {
  return shortened(text.trim().split('\n', 1)[0] ?? '', 200);
}

function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

function openTodos(session: Session, turns: readonly Turn[]): string[] {
  const calls = turns.flatMap((turn) => toolCallsOf(session, turn));
  const last = calls.findLast(({ name }) => name === 'TodoWrite');
  const input = last === undefined ? undefined : inputOf(session, last);
  const todos = isObject(input) && isArray(input.todos) ? input.todos.filter(isObject) : [];
  return todos.filter(({ status }) => status !== 'completed').map(({ content }) => firstLine(asString(content) ?? ''));
}

export interface CompressCut {
  /** The turns to summarize, since the last compaction. */
  readonly older: readonly Turn[];
  readonly kept: readonly Turn[];
  /** The last compaction, whose summary is summarized too. */
  readonly boundary: Node | undefined;
}

export function findCompressCut(session: Session, keepTurns: number): CompressCut {
  const turns = turnsOf(session);
  const branch = session.branches[0]?.nodes ?? [];
  const boundary = branch.findLast(isBoundary);
  const summarised = boundary === undefined ? 0 : turns.findIndex(({ nodes }) => nodes.includes(boundary)) + 1;
  const unsafe = unsafeCuts(turns);
  let from = Math.max(0, turns.length - keepTurns);
  while (from > 0 && unsafe.has(from)) from--;
  if (from <= summarised && !(from === summarised && from > 0 && hasAnswerAfter(turns[from - 1], boundary))) {
    const what =
      summarised === 0
        ? `it has ${turns.length === 1 ? '1 turn' : `${turns.length} turns`}`
        : `turns 1 to ${summarised} are already summarised`;
    const next = turns.length - summarised > 1 ? 'keep fewer turns: --keep-turns N' : 'see `clew strip` for other ways';
    throw new UserError(`nothing to compress in ${session.id}: ${what}`, next);
  }
  return { older: turns.slice(Math.max(0, summarised - 1), from), kept: turns.slice(from), boundary };
}

/** The turns before which a cut would separate a message, or a call and its result. */
function unsafeCuts(turns: readonly Turn[]): ReadonlySet<number> {
  const firsts = new Map<string, number>();
  const farthest: number[] = turns.map((_, i) => i);
  for (const [i, { nodes }] of turns.entries()) {
    for (const key of nodes.flatMap(keysOf)) {
      const first = firsts.get(key) ?? i;
      firsts.set(key, first);
      farthest[first] = Math.max(farthest[first] ?? i, i);
    }
  }
  const unsafe = new Set<number>();
  let reach = 0;
  for (const [i, far] of farthest.entries()) {
    if (reach >= i && i > 0) unsafe.add(i);
    reach = Math.max(reach, far);
  }
  return unsafe;
}

function keysOf(node: Node): string[] {
  const message = messageKey(node);
  return [
    ...(message === undefined ? [] : [`message ${message}`]),
    ...callsOf(node).map(({ id }) => `call ${id}`),
    ...resultsOf(node).map(({ toolUseId }) => `call ${toolUseId}`),
  ];
}

function hasAnswerAfter(turn: Turn | undefined, boundary: Node | undefined): boolean {
  return turn?.nodes.some((node) => node.type === 'assistant' && node.index > (boundary?.index ?? 0)) === true;
}

/** A summary that replaces turns. */
export interface Summary {
  /** Its source, to display. */
  readonly label: string;
  readonly text: string;
}

export function offlineSummary(session: Session, { older }: CompressCut): Summary {
  const text = outlineTurns(session, older);
  return { label: 'an outline made by Clew without a model', text: text === '' ? '(nothing else was done)' : text };
}

export function fileSummary(name: string, text: string): Summary {
  return { label: `the file ${name}`, text: text.trim() };
}

export interface ApiSummaryOptions extends Omit<AskOptions, 'instead'> {
  /** By default the session's own model, if it is still offered. */
  readonly model?: string;
}

export async function apiSummary(session: Session, cut: CompressCut, options: ApiSummaryOptions): Promise<Summary> {
  const model = options.model ?? modelOf(session);
  const question = { model, system: instructions, prompt: transcriptOf(session, cut), maxTokens: 8192 };
  const text = await askModel(question, { ...options, instead: 'use --offline or --summary-file' });
  return { label: `the model ${model}`, text: text.trim() };
}

export function summaryText(session: Session, cut: CompressCut, { label, text }: Summary): string {
  const { older, boundary } = cut;
  const earlier = boundary === undefined ? undefined : earlierSummary(session, cut);
  const prompts = promptsOf(session, older);
  const [first, last] = [older[0]?.index ?? 1, older.at(-1)?.index ?? 1];
  const turns = first === last ? `turn ${last}` : `turns ${first} to ${last}`;
  return [
    `This session goes on from an earlier part, ${turns}, of which only this summary is left. The whole stands in session ${session.id}.`,
    ...(earlier === undefined ? [] : [`## Summary of what came before\n\n${earlier}`]),
    ...(prompts.length === 0 ? [] : [`## What the user said, word for word\n\n${prompts.map(numbered).join('\n')}`]),
    `## What was done (source: ${label})\n\n${text}`,
  ].join('\n\n');
}

function numbered(prompt: string, index: number): string {
  return `${index + 1}. ${prompt}`;
}

function earlierSummary(session: Session, { boundary }: CompressCut): string | undefined {
  const summary = compactionsOf(session).find((each) => each.boundary === boundary)?.summary;
  if (summary === undefined) return undefined;
  return textOf(blocksOf(asObject(session.transcript.read(summary).message)?.content));
}

function modelOf(session: Session): string {
  const last = session.branches[0]?.nodes.findLast((node) => node.type === 'assistant' && node.message?.model);
  const model = last?.message?.model;
  return model !== undefined && isOffered(model) ? model : defaultModel;
}

const instructions =
  'You summarise the older part of a coding session so that it can go on without it. Keep decisions and their reasons, the state of the files, commands that matter, errors and how they were solved, and what is still open. The user’s own words are kept elsewhere. Answer with the summary alone, in Markdown, without a heading.';

/** More would not fit into every model. */
const longestTranscriptChars = 500_000;

function transcriptOf(session: Session, cut: CompressCut): string {
  const earlier = cut.boundary === undefined ? undefined : earlierSummary(session, cut);
  for (const resultChars of [2000, 500, 100, 0]) {
    const turns = cut.older.map((turn) => turnText(session, turn, resultChars));
    const text = [...(earlier === undefined ? [] : [earlier]), ...turns].join('\n\n');
    if (text.length <= longestTranscriptChars || resultChars === 0) return text.slice(-longestTranscriptChars);
  }
  return '';
}

function turnText(session: Session, turn: Turn, resultChars: number): string {
  const answers = turn.nodes.flatMap((node) => {
    if (node.type !== 'assistant') return [];
    const text = textOf(blocksOf(asObject(session.transcript.read(node).message)?.content)).trim();
    return text === '' ? [] : [`Assistant: ${text}`];
  });
  const results = toolCallsOf(session, turn).map((call) => {
    const result = shortened(resultText(session, call), Math.max(1, resultChars));
    return `${call.name}${call.isError ? ' (failed)' : ''}: ${result}`;
  });
  const asked = promptsOf(session, [turn]).map((prompt) => `User: ${prompt}`);
  return [`# Turn ${turn.index}`, ...asked, ...answers, outlineTurns(session, [turn]), ...results].join('\n');
}
