// What fills the context window → the answer to `get_context_usage`.
import type { ContextCategory, ContextUsage } from '../../../agent/contract/index.ts';
import type { JsonObject } from '../../../base/json/index.ts';

export function describeContext(usage: ContextUsage, isAutoCompactEnabled: boolean): JsonObject {
  const { model, windowTokens, usedTokens } = usage;
  return {
    categories: usage.categories.map((category) => ({ ...category, color: colors[category.kind] })),
    totalTokens: usedTokens,
    maxTokens: windowTokens,
    rawMaxTokens: windowTokens,
    percentage: percentOf(usedTokens, windowTokens),
    gridRows: gridRows(usage),
    model,
    memoryFiles: usage.memoryFiles.map(({ name, source, tokens }) => ({ path: name, type: source, tokens })),
    mcpTools: usage.mcpTools.map(({ name, server, tokens }) => ({ name, serverName: server, tokens, isLoaded: true })),
    systemTools: usage.systemTools.map(({ name, tokens }) => ({ name, tokens })),
    agents: usage.agents.map(({ name, source, tokens }) => ({ agentType: name, source, tokens })),
    skills: {
      totalSkills: usage.skills.length,
      includedSkills: usage.skills.length,
      tokens: usage.skills.reduce((sum, { tokens }) => sum + tokens, 0),
      skillFrontmatter: usage.skills.map(({ name, source, tokens }) => ({ name, source, tokens })),
    },
    isAutoCompactEnabled,
    apiUsage: null,
  };
}

/** Names of colours as the client's answers have them; a program chooses its own by `kind`. */
const colors = { used: 'claude', free: 'promptBorder', buffer: 'inactive' } as const;

const gridSide = 10;

/** A square for each hundredth of the window, in the order of the categories. */
function gridRows({ categories, windowTokens }: ContextUsage): readonly (readonly JsonObject[])[] {
  const share = windowTokens / gridSide ** 2;
  const squares = Array.from({ length: gridSide ** 2 }, (_, i) =>
    squareAt((i + 0.5) * share, categories, windowTokens),
  );
  return Array.from({ length: gridSide }, (_, row) => squares.slice(row * gridSide, (row + 1) * gridSide));
}

function squareAt(position: number, categories: readonly ContextCategory[], windowTokens: number): JsonObject {
  let end = 0;
  const found = categories.find(({ tokens }) => {
    end += tokens;
    return position < end;
  });
  const { name = 'Free space', kind = 'free', tokens = 0 } = found ?? {};
  return {
    color: colors[kind],
    isFilled: kind !== 'free',
    categoryName: name,
    tokens,
    percentage: percentOf(tokens, windowTokens),
    squareFullness: 1,
  };
}

function percentOf(tokens: number, windowTokens: number): number {
  return windowTokens === 0 ? 0 : Math.round((tokens / windowTokens) * 100);
}
