// Reads the flags of a headless run. Invalid combinations are refused here, before a session is touched.
import {
  type AgentOptions,
  isPermissionMode,
  type PermissionMode,
  permissionModes,
  type RunPrice,
  type SessionChoice,
} from '../../agent/contract/index.ts';
import { UserError } from '../../base/errors/index.ts';
import { isUuid } from '../../base/text/index.ts';
import { type CommandInput, countFlag, type FlagValues, listFlag, textFlag } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';

export const outputFormats = ['text', 'json', 'stream-json'] as const;
export type OutputFormat = (typeof outputFormats)[number];
export const inputFormats = ['text', 'stream-json'] as const;
export type InputFormat = (typeof inputFormats)[number];

export type RunOptions = Omit<AgentOptions, 'approve' | 'askUser' | 'sinks' | 'isInteractive' | 'isProjectTrusted'>;

export interface PrintOptions {
  readonly prompt: string | undefined;
  readonly output: OutputFormat;
  readonly input: InputFormat;
  readonly withParts: boolean;
  readonly withPrompts: boolean;
  readonly isVerbose: boolean;
  /** Trusts the folder for this run. */
  readonly trustsProject: boolean;
  readonly run: RunOptions;
}

export function readPrintOptions(input: CommandInput): PrintOptions {
  const { flags, argument } = input;
  const output = choiceFlag(flags, 'output-format', outputFormats) ?? 'text';
  const inputFormat = choiceFlag(flags, 'input-format', inputFormats) ?? 'text';
  const withParts = flags['include-partial-messages'] === true;
  if (inputFormat === 'stream-json' && output !== 'stream-json') refuse('--input-format stream-json');
  if (withParts && output !== 'stream-json') refuse('--include-partial-messages');
  if (flags['replay-user-messages'] === true && output !== 'stream-json') refuse('--replay-user-messages');
  return {
    prompt: argument,
    output,
    input: inputFormat,
    withParts,
    withPrompts: flags['replay-user-messages'] === true,
    isVerbose: flags.verbose === true,
    trustsProject: flags['trust-project'] === true,
    run: runOptions(input),
  };
}

function runOptions(input: CommandInput): RunOptions {
  const { flags, io } = input;
  const mode = modeOf(flags);
  const text = (name: string) => textFlag(flags, name);
  const [root] = rootsOf(input);
  if (root === undefined) throw new UserError('there is no folder to store the session in', 'name one with --root');
  const allowedTools = splitRules(listFlag(flags, 'allowedTools'));
  const disallowedTools = splitRules(listFlag(flags, 'disallowedTools'));
  return {
    cwd: io.cwd,
    env: io.env,
    root,
    session: sessionChoice(flags),
    allowedTools,
    disallowedTools,
    addDirs: listFlag(flags, 'add-dir'),
    mcpConfig: listFlag(flags, 'mcp-config'),
    withProgressEntries: flags['progress-entries'] === true,
    ...given('model', text('model')),
    ...given('mode', mode),
    ...given('maxTurns', turnLimit(flags)),
    ...given('maxBudgetUsd', budget(text('max-budget-usd'))),
    ...given('price', priceFlag(text('price'))),
    ...given('systemPrompt', text('system-prompt')),
    ...given('appendSystemPrompt', text('append-system-prompt')),
  };
}

function sessionChoice(flags: FlagValues): SessionChoice {
  const session = textFlag(flags, 'resume');
  const isContinued = flags.continue === true;
  const isFork = flags['fork-session'] === true;
  const sessionId = textFlag(flags, 'session-id');
  if (session !== undefined && isContinued)
    throw new UserError('--continue and --resume exclude each other', 'use one of them');
  if (sessionId !== undefined && !isUuid(sessionId))
    throw new UserError(`--session-id takes a UUID, not "${sessionId}"`, 'leave it out for a new one');
  if (session === undefined && !isContinued) {
    if (isFork) throw new UserError('--fork-session has nothing to copy', 'add --resume SESSION or --continue');
    return { kind: 'new', ...given('sessionId', sessionId) };
  }
  if (sessionId !== undefined && !isFork)
    throw new UserError('a resumed session keeps its id', 'add --fork-session, or leave out --session-id');
  const fork = isFork ? { fork: given('sessionId', sessionId) } : {};
  return session === undefined ? { kind: 'continue', ...fork } : { kind: 'resume', session, ...fork };
}

function modeOf(flags: FlagValues): PermissionMode | undefined {
  const named = textFlag(flags, 'permission-mode');
  if (named !== undefined && !isPermissionMode(named)) throw notAmong('permission-mode', named, permissionModes);
  return flags['dangerously-skip-permissions'] === true ? 'bypassPermissions' : named;
}

function turnLimit(flags: FlagValues): number | undefined {
  const limit = countFlag(flags, 'max-turns');
  if (limit === 0) throw new UserError('--max-turns must be at least 1', 'write --max-turns 1');
  return limit;
}

function budget(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})$/.test(value) || Number(value) === 0)
    throw new UserError(`--max-budget-usd takes dollars, not "${value}"`, 'write --max-budget-usd 0.50');
  return Number(value);
}

function priceFlag(value: string | undefined): RunPrice | undefined {
  if (value === undefined) return undefined;
  const number = String.raw`(\d{1,6}(?:\.\d{1,6})?)`;
  const [, input, output] = new RegExp(`^${number},${number}$`).exec(value) ?? [];
  if (input === undefined || output === undefined)
    throw new UserError(`--price takes two prices, not "${value}"`, 'write --price 3,15 for input and output');
  return { input: Number(input), output: Number(output) };
}

function choiceFlag<T extends string>(flags: FlagValues, name: string, choices: readonly T[]): T | undefined {
  const value = textFlag(flags, name);
  const choice = choices.find((each) => each === value);
  if (value !== undefined && choice === undefined) throw notAmong(name, value, choices);
  return choice;
}

function notAmong(name: string, value: string, choices: readonly string[]): UserError {
  return new UserError(`--${name} does not know "${value}"`, `choose ${choices.join(', ')}`);
}

function refuse(flag: string): never {
  throw new UserError(`${flag} requires --output-format stream-json`, 'add it');
}

/** An option that was not given is absent, not undefined. */
function given<K extends string, V>(key: K, value: V | undefined): { readonly [k in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [k in K]: V }); // one computed key
}

export function splitRules(words: readonly string[]): readonly string[] {
  return words.flatMap(splitWord);
}

function splitWord(word: string): string[] {
  const rules: string[] = [];
  let rule = '';
  let depth = 0;
  for (const character of word) {
    if (character === '(') depth++;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(character)) {
      rules.push(rule);
      rule = '';
    } else rule += character;
  }
  return [...rules, rule].filter((each) => each !== '');
}
