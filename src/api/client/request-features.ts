// The parts of a request that not every endpoint accepts. An endpoint that refuses one of them gets all later requests
// without it.
import type { JsonObject } from '../../base/json/index.ts';
import { isOn, modelRowOf, type Platform, platformOf, resolveModelAlias } from '../../models/index.ts';
import { bindingBeta } from '../request/index.ts';
import { isThinkingRefused, type ModelFailure } from './model.ts';

export type Feature =
  /** The report about dropped thinking, and the setting to drop it. */
  | 'thinking-controls'
  /** Thinking of earlier turns is kept. */
  | 'context-management'
  /** Thinking without its text, or with a summary. */
  | 'thinking-display'
  | 'interleaved-thinking'
  | 'thinking'
  | 'effort'
  /** A message of the conversation changes the effort. */
  | 'effort-per-message'
  | 'long-cache';

type BetaFeature = Exclude<Feature, 'thinking' | 'thinking-display'>;

export const betas: Readonly<Record<BetaFeature, string>> = {
  'thinking-controls': bindingBeta,
  'context-management': 'context-management-2025-06-27',
  'interleaved-thinking': 'interleaved-thinking-2025-05-14',
  effort: 'effort-2025-11-24',
  'effort-per-message': 'mid-conversation-output-config-2026-07-01',
  'long-cache': 'extended-cache-ttl-2025-04-11',
};

/** What the requests of one model may have. */
export interface RequestFeatures {
  has(feature: Feature): boolean;
  /** `undefined`: nothing is cached. */
  readonly cacheMark: JsonObject | undefined;
}

/** What `CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS` switches off. */
const experimental: readonly Feature[] = [
  'thinking-controls',
  'context-management',
  'thinking-display',
  'effort-per-message',
];

/** What client 2.1.325 does not ask of these platforms (measured). */
const leftOutOn: Readonly<Record<Platform, readonly Feature[]>> = {
  anthropic: [],
  foundry: [],
  bedrock: ['context-management', 'thinking-display', 'effort-per-message'],
  vertex: ['context-management', 'effort-per-message'],
};

/** What the environment allows, without what the endpoint has refused so far. */
export class EndpointFeatures {
  readonly #env: NodeJS.ProcessEnv;
  readonly #allowed: Set<Feature>;
  /** By model: some endpoints serve models that know less than others. */
  readonly #refused = new Map<string, Set<Feature>>();

  constructor(env: NodeJS.ProcessEnv, host: 'anthropic' | 'gateway') {
    this.#env = env;
    this.#allowed = new Set<Feature>([
      'context-management',
      'thinking-display',
      'thinking',
      'effort',
      'effort-per-message',
    ]);
    if (hasThinkingControls(env, host)) this.#allowed.add('thinking-controls');
    if (!isOn(env.DISABLE_INTERLEAVED_THINKING)) this.#allowed.add('interleaved-thinking');
    if (isOn(env.ENABLE_PROMPT_CACHING_1H) && !isOn(env.FORCE_PROMPT_CACHING_5M)) this.#allowed.add('long-cache');
    if (isOn(env.CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS))
      for (const feature of experimental) this.#allowed.delete(feature);
    for (const feature of leftOutOn[platformOf(env)]) this.#allowed.delete(feature);
  }

  of(model: string): RequestFeatures {
    const has = (feature: Feature): boolean =>
      this.#allowed.has(feature) && this.#refused.get(model)?.has(feature) !== true;
    const mark = has('long-cache') ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
    return { has, cacheMark: isCachingDisabled(this.#env, model) ? undefined : mark };
  }

  /** Whether the request can be sent again without what the endpoint has just refused. */
  learn(model: string, failure: ModelFailure): boolean {
    const { has } = this.of(model);
    const refused = refusedFeatures(failure).filter(has);
    this.#refused.set(model, new Set([...(this.#refused.get(model) ?? []), ...refused]));
    return refused.length > 0;
  }
}

const fields: readonly (readonly [feature: Feature, name: RegExp])[] = [
  ['thinking-controls', /\bblock_binding\b/],
  ['context-management', /\bcontext_management\b/],
  ['thinking-display', /\bthinking\b.*\bdisplay\b/],
  ['effort-per-message', /\bmessages\.\d+\.output_config\b|\brole\b.*\bsystem\b/],
  ['effort', /\boutput_config\b|\beffort\b/],
  ['long-cache', /\bcache_control\b.*\bttl\b/],
  ['thinking', /\bthinking\b/],
];

const refusal =
  /extra inputs are not permitted|not supported|does not support|unsupported|unexpected|unknown|unrecognized|not allowed|invalid beta/i;

/** The features that the endpoint names in its error; a value that is out of range is another kind of error. */
function refusedFeatures(failure: ModelFailure): readonly Feature[] {
  const { status, message } = failure;
  if (status !== 400 || isThinkingRefused(failure)) return [];
  const ofHeader = Object.entries(betas).filter(([, beta]) => message.includes(beta));
  if (ofHeader.length > 0) return ofHeader.map(([feature]) => feature as BetaFeature); // the keys of `betas`
  if (!refusal.test(message)) return [];
  const named = fields.find(([, name]) => name.test(message));
  return named === undefined ? [] : [named[0]];
}

/** `CLEW_THINKING_CONTROLS`: `1` if the endpoint has them, `0` if not. */
function hasThinkingControls({ CLEW_THINKING_CONTROLS }: NodeJS.ProcessEnv, host: 'anthropic' | 'gateway'): boolean {
  return CLEW_THINKING_CONTROLS === '1' || (host === 'anthropic' && CLEW_THINKING_CONTROLS !== '0');
}

const cachedLines = ['fable', 'opus', 'sonnet', 'haiku'] as const;

/** `DISABLE_PROMPT_CACHING`, and the variables for one line of models. */
function isCachingDisabled(env: NodeJS.ProcessEnv, model: string): boolean {
  if (isOn(env.DISABLE_PROMPT_CACHING)) return true;
  const line = modelRowOf(resolveModelAlias(model))?.line;
  return cachedLines.some((name) => name === line && isOn(env[`DISABLE_PROMPT_CACHING_${name.toUpperCase()}`]));
}
