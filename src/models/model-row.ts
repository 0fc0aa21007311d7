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
  readonly from?: string; // first and last day in UTC, such as `2026-10-07`; without one the period is open
  readonly to?: string;
  /** For the whole request, if input, cache reads and cache writes together exceed this number of tokens. */
  readonly longPrompt?: Rates & { readonly overPromptTokens: number };
  readonly fast?: Rates; // in fast mode. Without it fast mode has no known price
  readonly note?: string;
}

export type ThinkingType = 'adaptive' | 'between_tools' | 'enabled' | 'disabled';

/** How much work an answer may take, from least to most. */
export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** The models whose thinking a model reads on the Claude API; other thinking is dropped from the request. */
export interface ReadsThinking {
  readonly models?: readonly string[]; // these models
  readonly lines?: readonly string[]; // also models of these lines released up to a day
  readonly upTo?: string;
  readonly earlier?: 'unknown'; // it is not documented whether it reads other earlier models
}

export interface ModelRow {
  readonly id: string;
  readonly line: string;
  readonly aliases: readonly string[]; // other names in the API
  readonly clientAliases?: readonly string[]; // Names in Claude Code
  readonly limited?: boolean; // only for some organisations
  readonly released?: string;
  readonly status: 'active' | 'legacy' | 'deprecated' | 'retired';
  readonly retires?: string;
  readonly retiresNotBefore?: string;
  readonly contextTokens: number;
  readonly longContextTokens?: number; // with the beta for a longer context
  readonly maxOutputTokens: number;
  readonly maxOutputTokensBatch?: number;
  readonly outputTokensInClaudeCode: number; // the `max_tokens` that Claude Code asks for
  readonly minCacheTokens?: number;
  readonly thinking: {
    readonly types: readonly ThinkingType[]; // what a request may ask for
    readonly default: 'always' | 'on' | 'off' | 'none';
    readonly disabledUpToEffort?: Effort; // `disabled` is refused above this effort
    readonly inClaudeCode?: 'always' | 'never'; // Claude Code does not use all that the API accepts
  };
  readonly defaultEffort?: Effort; // of the API, without a value in the request
  readonly effortLevels: readonly Effort[]; // what a request may ask for
  readonly effortInClaudeCode?: Effort; // its default
  readonly hasOwnEffortSetting?: boolean; // `effortLevel` in the settings does not apply to it, only `modelSettings`
  readonly effortPerMessage?: boolean; // a message of a conversation may change the effort
  /** The accounts for which the API refuses its thinking after a prefix other than the one that produced it. */
  readonly prefixCheck: 'every-account' | 'new-accounts' | 'none';
  readonly accountBound?: boolean; // its thinking is dropped from requests of another account
  readonly reads?: ReadsThinking;
  readonly prefill: boolean; // whether a request may end in an assistant message
  readonly omitsThinking: boolean; // whether the API may return its thinking as a signature without text
  readonly offered: boolean; // whether Claude Code resumes a session of this model with the same model
  readonly systemRole: boolean; // whether Claude Code sends it reminders as `role: "system"`
  readonly geo: boolean; // whether it can be asked to run in the US only
  readonly prices: readonly PriceRow[]; // oldest first
  readonly sources: readonly string[];
}

export interface ModelTable {
  readonly version: string; // the day of the last comparison with its sources
  readonly client: string; // the version of Claude Code whose aliases and offered models it has
  readonly rules: PriceRules;
  readonly models: readonly ModelRow[]; // newest first
}

/** Price rules for all models. */
export interface PriceRules {
  /** On every token price of a response with `inference_geo: "us"`. */
  readonly inferenceGeoUs: { readonly multiplier: number };
  /** On every token price of a response with `service_tier: "batch"`. */
  readonly batch: { readonly multiplier: number };
  readonly webSearchPerThousand: number; // dollars
}
