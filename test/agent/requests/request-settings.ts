// The settings of thinking, effort, output length and caching for which the requests of the client are recorded and
// those of Clew are compared.
import type { JsonObject } from '../../../src/base/json/json.ts';

export interface RequestSetting {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The user's settings.json. */
  readonly settings?: JsonObject;
}

export type ClientHost = 'anthropic' | 'gateway';

/** The file recordings/requests.json of test/interop. */
export interface Recording {
  readonly client: string;
  readonly requests: readonly RecordedRequest[];
}

/** What the client sent for one model, and the settings for which it is the same. */
export interface RecordedRequest {
  readonly host: ClientHost;
  readonly model: string;
  readonly sent: SentFields;
  readonly settings: readonly string[];
}

/** The fields of a request that are not its conversation. */
export interface SentFields {
  /** If it is not the one that was asked for. */
  readonly model?: string;
  readonly max_tokens: number;
  readonly thinking?: JsonObject;
  readonly effort?: string;
  /** The effort in the last message. */
  readonly messageEffort?: string;
  readonly context_management?: JsonObject;
  readonly temperature?: number;
  /** Where the cache marks are, and their time to live. */
  readonly marks: readonly string[];
  /** The values of `anthropic-beta`, sorted. */
  readonly betas: readonly string[];
}

const flag = (name: string, ...values: readonly string[]): [string, RequestSetting][] =>
  values.map((value) => [`--${name} ${value}`, { args: [`--${name}`, value] }]);
const variable = (name: string, ...values: readonly string[]): [string, RequestSetting][] =>
  values.map((value) => [`${name}=${value}`, { env: { [name]: value } }]);
const setting = (name: string, ...values: readonly (string | boolean)[]): [string, RequestSetting][] =>
  values.map((value) => [`${name}: ${value}`, { settings: { [name]: value } }]);

/** For every model and both hosts. */
export const basicSettings: Readonly<Record<string, RequestSetting>> = {
  default: {},
  ...Object.fromEntries([
    ...flag('effort', 'max'),
    ...variable('MAX_THINKING_TOKENS', '0'),
    ...variable('DISABLE_PROMPT_CACHING', '1'),
  ]),
};

export const requestSettings: Readonly<Record<string, RequestSetting>> = {
  ...basicSettings,
  ...Object.fromEntries([
    ...flag('effort', 'low', 'medium', 'high', 'xhigh'),
    ...variable('CLAUDE_CODE_EFFORT_LEVEL', 'low', 'max', 'unset', 'auto', 'nonsense'),
    ...setting('effortLevel', 'low', 'xhigh', 'max'),
    ...setting('maxEffortLevel', 'low'),
    ...variable('MAX_THINKING_TOKENS', '500', '5000', '200000', 'nonsense'),
    ...flag('max-thinking-tokens', '0', '5000'),
    ...flag('thinking', 'adaptive', 'enabled', 'disabled'),
    ...flag('thinking-display', 'summarized'),
    ...setting('alwaysThinkingEnabled', false, true),
    ...setting('showThinkingSummaries', true),
    ...variable('CLAUDE_CODE_MAX_OUTPUT_TOKENS', '9000', '500000', '0', 'nonsense'),
    ...variable('CLAUDE_CODE_DISABLE_THINKING', '1'),
    ...variable('CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING', '1'),
    ...variable('DISABLE_INTERLEAVED_THINKING', '1'),
    ...variable('CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS', '1'),
    ...variable('ENABLE_PROMPT_CACHING_1H', '1'),
    ...['FABLE', 'OPUS', 'SONNET', 'HAIKU'].flatMap((line) => variable(`DISABLE_PROMPT_CACHING_${line}`, '1')),
  ]),
  '--effort high, CLAUDE_CODE_EFFORT_LEVEL=low': {
    args: ['--effort', 'high'],
    env: { CLAUDE_CODE_EFFORT_LEVEL: 'low' },
  },
  '--effort high, effortLevel: low': { args: ['--effort', 'high'], settings: { effortLevel: 'low' } },
  '--effort max, --thinking disabled': { args: ['--effort', 'max', '--thinking', 'disabled'] },
  'modelSettings: opus-5-5 low, sonnet-4-6 max, haiku-5-5 high': {
    settings: {
      modelSettings: {
        'claude-opus-5-5': { effortLevel: 'low' },
        'claude-sonnet-4-6': { effortLevel: 'max' },
        'claude-haiku-5-5': { effortLevel: 'high' },
      },
    },
  },
  'CLAUDE_CODE_MAX_OUTPUT_TOKENS=9000, MAX_THINKING_TOKENS=20000': {
    env: { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '9000', MAX_THINKING_TOKENS: '20000' },
  },
};
