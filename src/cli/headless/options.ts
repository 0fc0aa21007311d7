// Reads the flags of a headless run. Invalid combinations are refused here, before a session is touched.
import type { AgentOptions, RunPrice, SessionChoice } from '../../agent/contract/index.ts';
import { UserError } from '../../base/errors/index.ts';
import { isUuid } from '../../base/text/index.ts';
import { type CommandInput, countFlag, type FlagValues, textFlag } from '../command/index.ts';
import { agentOptions, given, jsonFlag, rootsOf } from '../input/index.ts';

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
  readonly withAgentText: boolean;
  readonly isVerbose: boolean;
  /** Trusts the folder for this run. */
  readonly trustsProject: boolean;
  /** A program may switch to the mode bypassPermissions. */
  readonly mayBypass: boolean;
  /** Who decides about calls that the rules leave open: `stdio`, or an MCP tool. */
  readonly permissionTool: string | undefined;
  /** Gets a line for every step of the run. */
  readonly debugFile: string | undefined;
  readonly run: RunOptions;
}

export function readPrintOptions(input: CommandInput): PrintOptions {
  const { flags, argument } = input;
  const output = choiceFlag(flags, 'output-format', outputFormats) ?? 'text';
  const inputFormat = choiceFlag(flags, 'input-format', inputFormats) ?? 'text';
  const withParts = flags['include-partial-messages'] === true;
  if (inputFormat === 'stream-json' && output !== 'stream-json') refuse('--input-format stream-json');
  if (withParts && output !== 'stream-json') refuse('--include-partial-messages');
  if (flags['forward-subagent-text'] === true && output !== 'stream-json') refuse('--forward-subagent-text');
  if (flags['replay-user-messages'] === true && output !== 'stream-json') refuse('--replay-user-messages');
  const run = runOptions(input);
  return {
    prompt: argument,
    output,
    input: inputFormat,
    withParts,
    withPrompts: flags['replay-user-messages'] === true,
    withAgentText: flags['forward-subagent-text'] === true,
    isVerbose: flags.verbose === true,
    trustsProject: flags['trust-project'] === true,
    mayBypass: flags['allow-dangerously-skip-permissions'] === true || run.mode === 'bypassPermissions',
    permissionTool: permissionTool(textFlag(flags, 'permission-prompt-tool'), inputFormat),
    debugFile: textFlag(flags, 'debug-file'),
    run,
  };
}

function permissionTool(name: string | undefined, input: InputFormat): string | undefined {
  if (name === undefined || /^mcp__.+__.+$/s.test(name)) return name;
  if (name !== 'stdio')
    throw new UserError(`--permission-prompt-tool does not know "${name}"`, 'use stdio, or a tool: mcp__server__tool');
  if (input !== 'stream-json')
    throw new UserError('--permission-prompt-tool stdio requires --input-format stream-json', 'add it');
  return name;
}

function runOptions(input: CommandInput): RunOptions {
  const { flags, io } = input;
  const text = (name: string) => textFlag(flags, name);
  const [root] = rootsOf(input);
  if (root === undefined) throw new UserError('there is no folder to store the session in', 'name one with --root');
  return {
    ...agentOptions(input),
    cwd: io.cwd,
    env: io.env,
    root,
    session: sessionChoice(flags),
    withProgressEntries: flags['progress-entries'] === true,
    ...(flags['no-session-persistence'] === true ? { isEphemeral: true } : {}),
    ...given('maxTurns', turnLimit(flags)),
    ...given('maxBudgetUsd', budget(text('max-budget-usd'))),
    ...given('price', priceFlag(text('price'))),
    ...given('outputSchema', jsonFlag('json-schema', flags, io.cwd)),
  };
}

function sessionChoice(flags: FlagValues): SessionChoice {
  const session = textFlag(flags, 'resume');
  const isContinued = flags.continue === true;
  const isFork = flags['fork-session'] === true;
  const sessionId = textFlag(flags, 'session-id');
  const at = textFlag(flags, 'resume-session-at');
  if (at !== undefined && session === undefined)
    throw new UserError('--resume-session-at needs a session', 'add --resume SESSION');
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
  return session === undefined
    ? // As in the client: a program that always continues has to begin once.
      { kind: 'continue', ...fork, orNew: true }
    : { kind: 'resume', session, ...fork, ...given('at', at) };
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
