// The parts of the next request → tokens by category. Every part is estimated; if the API has counted the last request,
// the rows are scaled so that they add up to its count.
import type { ModelRequest, ToolDefinition } from '../api/client/index.ts';
import { textTokens } from '../api/request/index.ts';
import type { JsonValue } from '../base/json/index.ts';
import { tokenizerFactor, valueTokens } from '../context/ledger/index.ts';
import type { ContextCategory, ContextCategoryId, ContextPart, ContextUsage } from './contract/index.ts';

export interface ContextParts extends ContextTexts {
  readonly model: string;
  readonly windowTokens: number;
  /** Reserved for the compaction; 0 if nothing is compacted automatically. */
  readonly bufferTokens: number;
  /** The API's count of the last request and its answer; 0 if there is none since the last compaction. */
  readonly countedTokens: number;
  readonly system: readonly string[];
  readonly tools: readonly ToolDefinition[];
  readonly messages: ModelRequest['messages'];
  /** Blocks that the next prompt adds: the environment and the instructions. */
  readonly pending: readonly JsonValue[];
}

/** Texts of a request that have rows of their own. */
export interface ContextTexts {
  readonly memoryFiles: readonly TextPart[];
  readonly agents: readonly TextPart[];
  readonly skills: readonly TextPart[];
  readonly serverNotes: readonly string[];
}

export interface TextPart {
  readonly name: string;
  readonly source: string;
  readonly text: string;
}

/** What the API adds around the definition of a tool. */
const toolTokens = 20;
/** A count below this share of the estimate, as of a gateway that invents counts, is not used. */
const leastShare = 0.5;
/** Above this share the surplus is text that is in no part: it counts as messages. */
const mostShare = 1.7;

export function measureContext(parts: ContextParts): ContextUsage {
  const { model, windowTokens, bufferTokens } = parts;
  const estimate = estimateParts(parts);
  const { scale, surplus, basis } = anchor(estimate, parts.countedTokens);
  const scaled = (part: ContextPart): ContextPart => ({ ...part, tokens: Math.round(part.tokens * scale) });
  const tokensOf = (id: UsedId): number =>
    Math.max(0, Math.round(estimate.rows[id] * scale + (id === 'messages' ? surplus : 0)));
  const used = usedRows.map(([id, name]): ContextCategory => ({ id, name, tokens: tokensOf(id), kind: 'used' }));
  const usedTokens = used.reduce((sum, { tokens }) => sum + tokens, 0);
  const buffer = Math.min(bufferTokens, Math.max(0, windowTokens - usedTokens));
  const free = Math.max(0, windowTokens - usedTokens - buffer);
  const rest: readonly ContextCategory[] = [
    { id: 'free_space', name: 'Free space', tokens: free, kind: 'free' },
    { id: 'autocompact_buffer', name: 'Autocompact buffer', tokens: buffer, kind: 'buffer' },
  ];
  return {
    model,
    windowTokens,
    usedTokens,
    basis,
    categories: [...used, ...rest].filter(({ tokens }) => tokens > 0),
    systemTools: estimate.systemTools.map(scaled),
    mcpTools: estimate.mcpTools.map((tool) => ({ ...scaled(tool), server: serverOf(tool.name) ?? '' })),
    memoryFiles: estimate.memoryFiles.map(scaled),
    agents: estimate.agents.map(scaled),
    skills: estimate.skills.map(scaled),
  };
}

const usedRows = [
  ['system_prompt', 'System prompt'],
  ['system_tools', 'System tools'],
  ['mcp_tools', 'MCP tools'],
  ['mcp_instructions', 'MCP instructions'],
  ['custom_agents', 'Custom agents'],
  ['memory_files', 'Memory files'],
  ['skills', 'Skills'],
  ['messages', 'Messages'],
] as const satisfies readonly (readonly [ContextCategoryId, string])[];

type UsedId = (typeof usedRows)[number][0];

interface Estimate {
  readonly rows: Readonly<Record<UsedId, number>>;
  /** Of what the API has not counted yet. */
  readonly pending: number;
  readonly systemTools: readonly ContextPart[];
  readonly mcpTools: readonly ContextPart[];
  readonly memoryFiles: readonly ContextPart[];
  readonly agents: readonly ContextPart[];
  readonly skills: readonly ContextPart[];
}

function estimateParts(parts: ContextParts): Estimate {
  const factor = tokenizerFactor(parts.model);
  const measure = ({ name, source, text }: TextPart): ContextPart => ({
    name,
    source,
    tokens: textTokens(text) * factor,
  });
  const tools = parts.tools.map(({ name, description, inputSchema }): ContextPart => {
    const tokens = toolTokens + textTokens(name) + textTokens(description) + textTokens(JSON.stringify(inputSchema));
    return { name, source: serverOf(name) ?? 'built-in', tokens: tokens * factor };
  });
  const systemTools = tools.filter(({ name }) => serverOf(name) === undefined);
  const mcpTools = tools.filter(({ name }) => serverOf(name) !== undefined);
  const memoryFiles = parts.memoryFiles.map(measure);
  const agents = parts.agents.map(measure);
  const skills = parts.skills.map(measure);
  const instructions = sumOf(parts.serverNotes.map((text) => textTokens(text) * factor));
  const messages = sumOf(parts.messages.map(({ content }) => valueTokens(content) * factor));
  const pending = valueTokens([...parts.pending]) * factor;
  return {
    rows: {
      system_prompt: less(sumOf(parts.system.map((text) => textTokens(text) * factor)), total(skills) + instructions),
      system_tools: less(total(systemTools), total(agents)),
      mcp_tools: total(mcpTools),
      mcp_instructions: instructions,
      custom_agents: total(agents),
      memory_files: total(memoryFiles),
      skills: total(skills),
      messages: less(messages + pending, total(memoryFiles)),
    },
    pending,
    systemTools,
    mcpTools,
    memoryFiles,
    agents,
    skills,
  };
}

/** How the estimates are brought to the API's count. */
function anchor({ rows, pending }: Estimate, counted: number) {
  const estimated = Object.values(rows).reduce((sum, each) => sum + each, 0) - pending;
  const share = estimated > 0 ? counted / estimated : 0;
  if (share < leastShare) return { scale: 1, surplus: 0, basis: 'estimated' } as const;
  if (share <= mostShare) return { scale: share, surplus: 0, basis: 'anchored' } as const;
  return { scale: 1, surplus: counted - estimated, basis: 'anchored' } as const;
}

/** `mcp__github__search` → `github`. */
function serverOf(tool: string): string | undefined {
  return /^mcp__(.+?)__/.exec(tool)?.[1];
}

function total(parts: readonly ContextPart[]): number {
  return sumOf(parts.map(({ tokens }) => tokens));
}

function sumOf(tokens: readonly number[]): number {
  return tokens.reduce((sum, each) => sum + each, 0);
}

function less(whole: number, part: number): number {
  return Math.max(0, whole - part);
}
