// Finds the sub-agent transcript of a tool call: by its meta file or the id in the call's result, else (2.0.x) by its
// prompt. Reads only names and small meta files; a transcript is read when its call is turned into spans.

import { readRegularText } from '../../base/files/index.ts';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import { contentOf, textOf } from '../../format/entry/index.ts';
import { agentIdOf, readLineBatches, sessionFiles } from '../../store/index.ts';
import { LineOrder } from './line-order.ts';
import type { TraceLine } from './trace-line.ts';

export interface AgentTranscript {
  readonly agentId: string;
  readonly agentType: string | undefined;
  readonly lines: () => Iterable<TraceLine>;
}

export interface AgentLookup {
  /** `agentId`: from the call's result. `prompt`: from the call. */
  readonly find: (
    toolUseId: string,
    agentId: string | undefined,
    prompt: string | undefined,
  ) => AgentTranscript | undefined;
  /** Agents without a call, in the main transcript (`started`: agent ids) or in a sub-agent; the call may be lost. */
  readonly loose: (started: ReadonlySet<string>) => readonly AgentTranscript[];
}

interface AgentAt {
  readonly path: string;
  readonly agent: AgentTranscript;
}

export const noAgents: AgentLookup = { find: () => undefined, loose: () => [] };

/** Skips files that cannot be read. */
export async function findAgentTranscripts(mainPath: string): Promise<AgentLookup> {
  const files = await sessionFiles(mainPath);
  const byCall = new Map<string, AgentTranscript>();
  const byId = new Map<string, AgentTranscript>();
  const unnamed: AgentAt[] = [];
  const all: (AgentAt & { readonly toolUseId: string | undefined })[] = [];
  for (const { agentId, path, metaPath } of files.agents) {
    const meta = readMeta(metaPath);
    const agent = agentAt(path, agentId, asString(meta?.agentType));
    const toolUseId = asString(meta?.toolUseId);
    byId.set(agentId, agent);
    all.push({ path, agent, toolUseId });
    if (toolUseId === undefined) unnamed.push({ path, agent });
    else byCall.set(toolUseId, agent);
  }
  for (const path of files.flatAgents) {
    const agentId = agentIdOf(path) ?? '';
    const agent = agentAt(path, agentId, undefined);
    if (!byId.has(agentId)) byId.set(agentId, agent);
    all.push({ path, agent, toolUseId: undefined });
    unnamed.push({ path, agent });
  }
  const byPrompt = new PromptLookup(unnamed, files.sessionId);
  const own = (path: string): boolean => !files.flatAgents.includes(path) || isOf(files.sessionId, firstLine(path));
  return {
    loose: (started) => {
      const agents = [...agentInPlaceOfMain(mainPath), ...all].filter(
        ({ path, agent }) => !started.has(agent.agentId) && own(path),
      );
      if (agents.length === 0) return [];
      const heads = [...byId.values()].flatMap((agent) => [...agent.lines()].map((line) => line.head));
      const named = new Set(heads.map((head) => head.resultAgentId));
      const calls = new Set(heads.flatMap((head) => head.message?.calls ?? []).map((call) => call.id));
      const isStarted = ({ agent, toolUseId }: (typeof agents)[number]): boolean =>
        named.has(agent.agentId) || (toolUseId !== undefined && calls.has(toolUseId));
      return agents.filter((each) => !isStarted(each)).map(({ agent }) => agent);
    },
    find: (toolUseId, agentId, prompt) =>
      byCall.get(toolUseId) ?? (agentId === undefined ? byPrompt.take(toolUseId, prompt) : byId.get(agentId)),
  };
}

/** A main transcript that holds only lines of a sub-agent. */
function agentInPlaceOfMain(path: string): readonly (AgentAt & { readonly toolUseId: undefined })[] {
  let first: TraceLine | undefined;
  for (const line of linesAt(path)) {
    if (!line.head.isSidechain) return [];
    if (line.role === 'assistant') first ??= line;
  }
  const agentId = first?.head.agentId ?? first?.head.message?.id ?? first?.head.uuid;
  return agentId === undefined ? [] : [{ path, agent: agentAt(path, agentId, undefined), toolUseId: undefined }];
}

/** Reads files only when a call has neither a meta file nor an agent id: all sessions of a folder share the flat files. */
class PromptLookup {
  readonly #files: readonly AgentAt[];
  readonly #sessionId: string;
  readonly #taken = new Map<string, AgentTranscript | undefined>();
  #byPrompt: Map<string, AgentTranscript[]> | undefined;

  constructor(files: readonly AgentAt[], sessionId: string) {
    this.#files = files;
    this.#sessionId = sessionId;
  }

  /** Calls with the same prompt take the agents in the order of their names. */
  take(toolUseId: string, prompt: string | undefined): AgentTranscript | undefined {
    if (prompt === undefined || prompt === '') return undefined;
    if (!this.#taken.has(toolUseId)) {
      this.#byPrompt ??= this.#readPrompts();
      this.#taken.set(toolUseId, this.#byPrompt.get(prompt)?.shift());
    }
    return this.#taken.get(toolUseId);
  }

  #readPrompts(): Map<string, AgentTranscript[]> {
    const found = new Map<string, AgentTranscript[]>();
    for (const { path, agent } of this.#files) {
      const first = firstLine(path);
      if (first === undefined || !isOf(this.#sessionId, first)) continue;
      const prompt = textOf(contentOf(first.entry));
      found.set(prompt, [...(found.get(prompt) ?? []), agent]);
    }
    return found;
  }
}

function firstLine(path: string): TraceLine | undefined {
  for (const line of linesAt(path)) if (line.role !== 'compaction') return line;
  return undefined;
}

function isOf(sessionId: string, line: TraceLine | undefined): boolean {
  return (line?.head.sessionId ?? sessionId) === sessionId;
}

function agentAt(path: string, agentId: string, agentType: string | undefined): AgentTranscript {
  return { agentId, agentType, lines: () => linesAt(path) };
}

function* linesAt(path: string): Generator<TraceLine> {
  try {
    const order = new LineOrder();
    for (const batch of readLineBatches(path, { chunkBytes: 256 * 1024 })) {
      for (const line of batch) yield* order.read(line);
    }
    yield* order.rest();
  } catch {
    // missing or unreadable: the call is sent without it
  }
}

function readMeta(path: string | undefined): ReturnType<typeof asObject> {
  if (path === undefined) return undefined;
  try {
    return asObject(parseJson(readRegularText(path)));
  } catch {
    return undefined;
  }
}
