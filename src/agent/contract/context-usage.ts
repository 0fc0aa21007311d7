// What the next request of a session consists of, by category.

/** The tokens of the context window by category, as `/context` shows them. */
export interface ContextUsage {
  readonly model: string;
  readonly windowTokens: number;
  readonly usedTokens: number;
  /** `anchored`: the rows add up to the API's count of the last request. `estimated`: there is no count that fits. */
  readonly basis: 'anchored' | 'estimated';
  /** What is used, then what is free, then what is reserved for the compaction. Rows without tokens are left out. */
  readonly categories: readonly ContextCategory[];
  readonly systemTools: readonly ContextPart[];
  readonly mcpTools: readonly (ContextPart & { readonly server: string })[];
  readonly memoryFiles: readonly ContextPart[];
  readonly agents: readonly ContextPart[];
  readonly skills: readonly ContextPart[];
}

/** One row of `ContextUsage`. */
export interface ContextCategory {
  readonly id: ContextCategoryId;
  readonly name: string;
  readonly tokens: number;
  readonly kind: 'used' | 'free' | 'buffer';
}

/** The names that the Agent SDK gives the categories. */
export type ContextCategoryId =
  | 'system_prompt'
  | 'system_tools'
  | 'mcp_tools'
  | 'mcp_instructions'
  | 'custom_agents'
  | 'memory_files'
  | 'skills'
  | 'messages'
  | 'free_space'
  | 'autocompact_buffer';

/** A tool, a file, an agent or a skill, with its tokens. */
export interface ContextPart {
  readonly name: string;
  /** Who it belongs to, for example `project` or `user`; for a file, the kind of instructions. */
  readonly source: string;
  readonly tokens: number;
}
