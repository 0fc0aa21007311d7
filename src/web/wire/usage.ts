// Queries and answers of token usage and cost.

export const usageKinds = ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'blocks'] as const;
export type ReportKind = (typeof usageKinds)[number];

export interface UsageQuery {
  /** Default `daily`. */
  readonly by?: ReportKind;
  /** First and last day, `2026-02-28`, both included. */
  readonly since?: string;
  readonly until?: string;
  readonly project?: string;
  /** Only this session: a `SessionRow.key`. */
  readonly session?: string;
  /** Of `blocks`, only the one that is active now. */
  readonly active?: boolean;
}

export interface UsageSumView {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly costMicroUsd: number | null;
  readonly messages: number;
  readonly unpricedMessages: number;
  readonly unpricedTokens: number;
  readonly outputIsLowerBound: boolean;
  /** The share of the input that was read from the cache, 0 to 1; `null` without input. */
  readonly cacheHitRate: number | null;
}

export interface UsageAnswer {
  readonly by: ReportKind;
  readonly rows: readonly (UsageSumView & {
    /** `null` for messages without a time or a model. */
    readonly key: string | null;
    readonly session: { readonly key: string; readonly title: string | null } | null;
    readonly models: readonly ModelShare[];
    readonly block: BlockView | null;
  })[];
  readonly totals: UsageSumView;
  readonly unpricedModels: readonly string[];
  readonly pricesVersion: string;
}

/** The part of a model in a row; the most expensive first. */
export interface ModelShare {
  readonly model: string | null;
  readonly costMicroUsd: number | null;
  /** Of all kinds. */
  readonly tokens: number;
}

export interface BlockView {
  readonly endsAt: number;
  readonly isActive: boolean;
  /** Only of the active block: how fast it is used, and what it comes to at its end at the same pace. */
  readonly pace: PaceView | null;
}

export interface PaceView {
  readonly costMicroUsdPerHour: number | null;
  readonly tokensPerHour: number;
  readonly projectedCostMicroUsd: number | null;
  readonly projectedTokens: number;
  readonly remainingMs: number;
}

/** What the output of tools cost: the rule is in docs/web.md. */
export interface SpendingAnswer {
  /** The most expensive first. */
  readonly tools: readonly SpendingRow[];
}

export interface SpendingRow {
  readonly tool: string;
  readonly results: number;
  readonly addedTokens: number;
  readonly rereadTokens: number;
  readonly addedMicroUsd: number;
  readonly rereadMicroUsd: number;
  readonly unpricedTokens: number;
}

export interface CacheAnswer {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /**
   * Compared with all input at the price of uncached input; negative if writes cost more than reads saved. `null` if it is not
   * known: a store has sums of messages, and the price of a message depends on its size.
   */
  readonly savedMicroUsd: number | null;
  readonly uncachedMicroUsd: number | null;
  readonly unpricedMessages: number;
}

export interface ToolsAnswer {
  /** Most used first. */
  readonly tools: readonly ToolRow[];
  readonly prompts: number;
  /** Prompts by the hour of the day, from midnight, and by the day of the week, from Monday. */
  readonly hours: readonly number[];
  readonly weekdays: readonly number[];
  readonly files: readonly { readonly path: string; readonly calls: number }[];
}

export interface ToolRow {
  readonly name: string;
  readonly calls: number;
  readonly answered: number;
  readonly errors: number;
}

interface CostView {
  readonly costMicroUsd: number;
  readonly messages: number;
  /** Not included in the cost. */
  readonly unpricedMessages: number;
}

export interface TopAnswer {
  readonly sessions: readonly (CostView & {
    readonly key: string;
    readonly title: string | null;
    readonly project: string;
  })[];
  /** By prompt: the messages that answer it, including those of its sub-agents. */
  readonly turns: readonly (CostView & {
    readonly key: string;
    readonly title: string | null;
    /** The line of the prompt. */
    readonly line: number;
    readonly prompt: string;
    readonly time: number | null;
  })[];
}

export interface ReceiptsAnswer {
  /** The most expensive first. */
  readonly receipts: readonly ReceiptView[];
  readonly total: number;
  readonly totals: UsageSumView;
  readonly pricesVersion: string;
}

export interface ReceiptView extends UsageSumView {
  readonly key: string;
  readonly path: string;
  readonly line: number;
  readonly messageId: string | null;
  readonly model: string | null;
  readonly time: number | null;
  readonly dropped: readonly { readonly path: string; readonly line: number; readonly reason: string }[];
}
