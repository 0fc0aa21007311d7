// A recount of a library for the tests of clew stats.
import path from 'node:path';
import type { JsonObject } from '../../src/base/json/json.ts';
import { linesWithUsage } from '../../src/session/facts/session-usage.ts';
import { callsOf, resultsOf } from '../../src/session/transcript/node.ts';
import { loadTranscript, type Transcript } from '../../src/session/transcript/transcript.ts';
import { countUsage, totalUsage } from '../../src/session/usage/usage.ts';
import { jsonOf } from '../support/clew.ts';

export interface Recount {
  readonly prompts: number;
  readonly tools: Readonly<Record<string, readonly [calls: number, errors: number]>>;
  readonly outputTokens: number;
  readonly messages: number;
  readonly hours: readonly number[];
  readonly transcripts: number;
  readonly sizeBytes: number;
}

/** From every transcript of a folder of projects, main ones first, as the counting rule wants them. */
export function recount(files: readonly string[], sinceMs = 0): Recount {
  const transcripts = files.map((file) => loadTranscript(file));
  const isAgent = ({ path: file }: Transcript) => path.basename(file).startsWith('agent-');
  const prompts = new Map<string, number>();
  const calls = new Map<string, string>();
  const errors = new Set<string>();
  for (const transcript of transcripts) {
    for (const node of transcript.nodes) {
      if (!isAgent(transcript) && node.promptKind !== undefined && !node.isSidechain) {
        prompts.set(node.uuid ?? `${transcript.path} ${node.index}`, node.time);
      }
      if (!(node.time < sinceMs)) for (const { id, name } of callsOf(node)) calls.set(id, name);
      for (const { toolUseId, isError } of resultsOf(node)) if (isError) errors.add(toolUseId);
    }
  }
  const tools: Record<string, [number, number]> = {};
  for (const [id, name] of calls) {
    const [made, failed] = tools[name] ?? [0, 0];
    tools[name] = [made + 1, failed + (errors.has(id) ? 1 : 0)];
  }
  const times = [...prompts.values()].filter((time) => sinceMs === 0 || time >= sinceMs);
  const hours = Array.from(
    { length: 24 },
    (_, hour) => times.filter((time) => new Date(time).getUTCHours() === hour).length,
  );
  const byAge = [...transcripts].sort((a, b) => firstTime(a) - firstTime(b));
  const { messages } = countUsage(byAge.flatMap((each) => [...linesWithUsage(each, '')]));
  const used = totalUsage(messages.filter(({ line }) => sinceMs === 0 || line.time >= sinceMs));
  return {
    prompts: times.length,
    tools,
    outputTokens: used.outputTokens,
    messages: used.messages,
    hours,
    transcripts: transcripts.length,
    sizeBytes: transcripts.reduce((sum, each) => sum + each.sizeBytes, 0),
  };
}

export function firstTime({ nodes }: Transcript): number {
  return nodes.reduce((first, { time }) => (time < first ? time : first), Number.POSITIVE_INFINITY);
}

export function report(args: readonly string[]): Recount {
  const stats = jsonOf(['stats', '--json', ...args]) as JsonObject;
  const tools = (stats.tools as readonly JsonObject[]).map(({ name, calls, errors }) => [name, [calls, errors]]);
  const usage = stats.usage as JsonObject;
  const library = stats.library as JsonObject;
  return {
    prompts: Number(stats.prompts),
    tools: Object.fromEntries(tools),
    outputTokens: Number(usage.outputTokens),
    messages: Number(usage.messages),
    hours: stats.hours as readonly number[],
    transcripts: Number(library.transcripts),
    sizeBytes: Number(library.sizeBytes),
  };
}
