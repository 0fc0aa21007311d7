// A transcript and one of its lines → how to continue there: the parent of our first line, so that every client sees
// it, and the conversation so far, exactly as a resume reads it after that line is written.
import { randomUUID } from 'node:crypto';
import { asString, type JsonObject } from '../../base/json/index.ts';
import { buildResumeGraph, chooseLeaf, walkChain } from '../../session/resume/chain/index.ts';
import {
  type Draft,
  filterDrafts,
  requestModel,
  withAnsweredEnd,
  withOpenCallsClosed,
} from '../../session/resume/messages/index.ts';
import { type ResumeSource, resumeLines } from '../../session/resume/request/index.ts';
import { callsOf, type Node } from '../../session/transcript/index.ts';
import { madeNode } from '../../surgery/request/index.ts';
import { type ChainFacts, readChainFacts } from './conversation.ts';
import type { OpenCall } from './entries.ts';

export interface Continuation extends ChainFacts {
  readonly leafUuid: string | null;
  /** Calls at the end that have no result. */
  readonly openCalls: readonly OpenCall[];
  /** It ends with the user: a resume answers for the model before the next prompt. */
  readonly isUnanswered: boolean;
  /** The model that a resume uses. */
  readonly model: string;
  readonly lastMs: number;
}

/** Continues where a resume of the current client does. */
export function continueSession(source: ResumeSource): Continuation | { readonly refused: string } {
  const graph = buildResumeGraph(source.nodes, (node) => source.read(node));
  const choice = chooseLeaf(graph);
  if ('refused' in choice) return choice;
  const wanted = resumeLines(source);
  if ('refused' in wanted) return wanted;
  const chain = walkChain(graph, choice.leaf);
  // The client may have pinned a note after the last message: a resume sees only lines below it.
  const pinned = chain.find(({ uuid }) => uuid !== undefined && uuid === graph.pin?.leafUuid);
  let best: { readonly uuid: string; readonly lines: readonly Node[] } | undefined;
  for (const { uuid } of [pinned, chain.at(-1), choice.leaf].filter((node) => node !== undefined)) {
    const lines = uuid === undefined ? undefined : linesBefore(source, uuid);
    if (uuid === undefined || lines === undefined) continue;
    if (best === undefined || lines.length > best.lines.length) best = { uuid, lines };
    if (best.lines.length === wanted.lines.length) break;
  }
  if (best === undefined) return { refused: 'its last message has no uuid that a new line could hang on' };
  return continuationOf(source, best.uuid, best.lines);
}

/** Continues at a line, or with `null` from the start. `undefined` if clients would not follow. */
export function continueAt(source: ResumeSource, leafUuid: string | null): Continuation | undefined {
  const lines = linesBefore(source, leafUuid);
  return lines === undefined ? undefined : continuationOf(source, leafUuid, lines);
}

/** The lines that a resume restores before a prompt with this parent. */
function linesBefore(source: ResumeSource, parentUuid: string | null): readonly Node[] | undefined {
  const uuid = randomUUID();
  const entry = {
    parentUuid,
    isSidechain: false,
    type: 'user',
    message: { role: 'user', content: '.' },
    uuid,
    timestamp: new Date(newestTime(source) + 1).toISOString(),
  };
  const prompt = madeNode(entry, source.nodes.length);
  const pin = madeNode({ type: 'last-prompt', leafUuid: uuid }, source.nodes.length + 1);
  const read = (node: Node): JsonObject => (node === prompt ? entry : node === pin ? {} : source.read(node));
  const resumed = resumeLines({ nodes: [...source.nodes, prompt, pin], read });
  if ('refused' in resumed || resumed.lines.at(-1) !== prompt) return undefined;
  return resumed.lines.slice(0, -1);
}

function continuationOf(source: ResumeSource, leafUuid: string | null, lines: readonly Node[]): Continuation {
  const facts = readChainFacts(source, lines);
  const { drafts } = facts;
  const filtered = filterDrafts(drafts);
  return {
    ...facts,
    leafUuid,
    openCalls: openCallsOf(drafts, lines),
    isUnanswered: withAnsweredEnd(filtered).length > filtered.length,
    model: requestModel(filtered),
    lastMs: newestTime(source),
  };
}

function openCallsOf(drafts: readonly Draft[], lines: readonly Node[]): readonly OpenCall[] {
  const made = withOpenCallsClosed(drafts).slice(drafts.length);
  return made
    .flatMap(({ content }) => content)
    .flatMap((block) => {
      const id = asString(block.tool_use_id);
      if (id === undefined) return [];
      return [{ id, callUuid: lines.findLast((node) => callsOf(node).some((call) => call.id === id))?.uuid }];
    });
}

function newestTime({ nodes }: ResumeSource): number {
  return nodes.reduce((newest, { time }) => (time > newest ? time : newest), 0);
}
