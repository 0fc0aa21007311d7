// What the table of models holds about each model: names, limits, thinking, prices. models.json is the source;
// `npm run models` writes model-rows.ts from it.

/** US dollars per million tokens. A price that is not given is not known, which is not the same as free. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
}

/** The prices of a model for some time. */
export interface PriceRow extends Rates {
  /** First and last day, in UTC, such as `2026-10-07`. Without them it holds for all time before, or after. */
  readonly from?: string;
  readonly to?: string;
  /** For the whole request, if its input, cache reads and cache writes together exceed the number of tokens. */
  readonly longPrompt?: Rates & { readonly overPromptTokens: number };
  /** In fast mode. Without it fast mode has no known price. */
  readonly fast?: Rates;
  readonly note?: string;
}

export type ThinkingType = 'adaptive' | 'between_tools' | 'enabled' | 'disabled';

/** Whose thinking a model reads on the Claude API; that of all others is dropped from the request. */
export interface ReadsThinking {
  /** These models. */
  readonly models?: readonly string[];
  /** Also models of these lines that came out up to a day. */
  readonly lines?: readonly string[];
  readonly upTo?: string;
  /** Whether it reads other models that came out before it is not documented. */
  readonly earlier?: 'unknown';
}

export interface ModelRow {
  readonly id: string;
  readonly line: string;
  /** Other names in the API. */
  readonly aliases: readonly string[];
  /** What Claude Code calls it. */
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
  /** For which accounts the API refuses its thinking behind another prefix than the one that produced it. */
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
  /** The day on which it was last compared with its sources. */
  readonly version: string;
  /** The version of Claude Code whose aliases and offered models it has. */
  readonly client: string;
  readonly rules: PriceRules;
  /** Newest first. */
  readonly models: readonly ModelRow[];
}

/** What changes a price for every model alike. */
export interface PriceRules {
  /** On every token price of a response with `inference_geo: "us"`. */
  readonly inferenceGeoUs: { readonly multiplier: number };
  /** On every token price of a response with `service_tier: "batch"`. */
  readonly batch: { readonly multiplier: number };
  /** Dollars. */
  readonly webSearchPerThousand: number;
}
