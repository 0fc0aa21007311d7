// The text that replaces the summarized turns: the prompts verbatim, then a summary from one of three sources.
import { type AskOptions, askModel } from '../../api/client/ask.ts';
import { asObject } from '../../base/json/json.ts';
import { blocksOf, textOf } from '../../format/entry/block.ts';
import { defaultModel, isOffered } from '../../models/client-models.ts';
import { compactionsOf } from '../../session/load/compaction.ts';
import type { Session } from '../../session/load/session.ts';
import { toolCallsOf } from '../../session/turns/tool-calls.ts';
import type { Turn } from '../../session/turns/turns.ts';
import type { CompressCut } from './compress-cut.ts';
import { outlineTurns, promptsOf, resultText, shortened } from './outline.ts';

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
