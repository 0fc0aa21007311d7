// The types of the table of models: names, limits, thinking, prices. models.json is the source;
// `npm run models` writes model-rows.ts from it.

/** US dollars per million tokens. A missing price is unknown, not free. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
}

/** The prices of a model in a period. */
export interface PriceRow extends Rates {
  /** First and last day in UTC, such as `2026-10-07`; without one the period is open. */
  readonly from?: string;
  readonly to?: string;
  /** For the whole request, if input, cache reads and cache writes together exceed this number of tokens. */
  readonly longPrompt?: Rates & { readonly overPromptTokens: number };
  /** In fast mode. Without it fast mode has no known price. */
  readonly fast?: Rates;
  readonly note?: string;
}

export type ThinkingType = 'adaptive' | 'between_tools' | 'enabled' | 'disabled';

/** The models whose thinking a model reads on the Claude API; other thinking is dropped from the request. */
export interface ReadsThinking {
  /** These models. */
  readonly models?: readonly string[];
  /** Also models of these lines released up to a day. */
  readonly lines?: readonly string[];
  readonly upTo?: string;
  /** It is not documented whether it reads other earlier models. */
  readonly earlier?: 'unknown';
}

export interface ModelRow {
  readonly id: string;
  readonly line: string;
  /** Other names in the API. */
  readonly aliases: readonly string[];
  /** Names in Claude Code. */
  readonly clientAliases?: readonly string[];
  /** Only for some organisations. */
  readonly limited?: boolean;
  readonly released?: string;
  readonly status: 'active' | 'legacy' | 'deprecated' | 'retired';
  readonly retires?: string;
  readonly retiresNotBefore?: string;
  readonly contextTokens: number;
  /** With the beta for a longer context. */
  readonly longContextTokens?: number;
  readonly maxOutputTokens: number;
  readonly maxOutputTokensBatch?: number;
  readonly minCacheTokens?: number;
  readonly thinking: {
    /** What a request may ask for. */
    readonly types: readonly ThinkingType[];
    readonly default: 'always' | 'on' | 'off' | 'none';
    /** `disabled` is refused above this effort. */
    readonly disabledUpToEffort?: string;
  };
  readonly defaultEffort?: string;
  readonly effortInClaudeCode?: string;
  /** The accounts for which the API refuses its thinking after a prefix other than the one that produced it. */
  readonly prefixCheck: 'every-account' | 'new-accounts' | 'none';
  /** Its thinking is dropped from requests of another account. */
  readonly accountBound?: boolean;
  readonly reads?: ReadsThinking;
  /** Whether a request may end in an assistant message. */
  readonly prefill: boolean;
  /** Whether the API may return its thinking as a signature without text. */
  readonly omitsThinking: boolean;
  /** Whether Claude Code resumes a session of this model with the same model. */
  readonly offered: boolean;
  /** Whether Claude Code sends it reminders as `role: "system"`. */
  readonly systemRole: boolean;
  /** Whether it can be asked to run in the US only. */
  readonly geo: boolean;
  /** Oldest first. */
  readonly prices: readonly PriceRow[];
  readonly sources: readonly string[];
}

export interface ModelTable {
  /** The day of the last comparison with its sources. */
  readonly version: string;
  /** The version of Claude Code whose aliases and offered models it has. */
  readonly client: string;
  readonly rules: PriceRules;
  /** Newest first. */
  readonly models: readonly ModelRow[];
}

/** Price rules for all models. */
export interface PriceRules {
  /** On every token price of a response with `inference_geo: "us"`. */
  readonly inferenceGeoUs: { readonly multiplier: number };
  /** On every token price of a response with `service_tier: "batch"`. */
  readonly batch: { readonly multiplier: number };
  /** Dollars. */
  readonly webSearchPerThousand: number;
}
