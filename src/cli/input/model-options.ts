// The flags about thinking, effort and fallback models → options of the agent.
import type { AgentOptions } from '../../agent/contract/index.ts';
import { UserError } from '../../base/errors/index.ts';
import { efforts, isEffort } from '../../models/index.ts';
import { type FlagValues, textFlag } from '../command/index.ts';

export type ModelOptions = Pick<AgentOptions, 'effort' | 'thinking' | 'fallbackModels'>;

export function modelOptions(flags: FlagValues): ModelOptions {
  const effort = textFlag(flags, 'effort')?.toLowerCase();
  if (effort !== undefined && !isEffort(effort)) throw notAmong('effort', effort, efforts);
  const thinking = readThinking(flags);
  const fallbackModels = readModels(textFlag(flags, 'fallback-model'));
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(fallbackModels === undefined ? {} : { fallbackModels }),
  };
}

const thinkingModes = { adaptive: 'on', enabled: 'on', disabled: 'off' } as const;
const displays = ['summarized', 'omitted'] as const;

function readThinking(flags: FlagValues): AgentOptions['thinking'] {
  const mode = choice(flags, 'thinking', Object.keys(thinkingModes) as readonly (keyof typeof thinkingModes)[]); // own keys
  const display = choice(flags, 'thinking-display', displays);
  const tokens = readTokens(textFlag(flags, 'max-thinking-tokens'));
  const kind = tokens === 0 ? 'off' : mode === undefined ? undefined : thinkingModes[mode];
  if (kind === undefined && display === undefined && tokens === undefined) return undefined;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(display === undefined ? {} : { display }),
    ...(tokens === undefined || tokens === 0 ? {} : { budgetTokens: tokens }),
  };
}

function readTokens(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value))
    throw new UserError(`--max-thinking-tokens takes a number, not "${value}"`, 'write --max-thinking-tokens 8000');
  return Number(value);
}

function readModels(value: string | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const models = value.split(',').map((name) => name.trim());
  if (models.includes(''))
    throw new UserError('--fallback-model names no model', 'write --fallback-model sonnet or sonnet,haiku');
  return models;
}

function choice<T extends string>(flags: FlagValues, name: string, choices: readonly T[]): T | undefined {
  const value = textFlag(flags, name);
  const found = choices.find((each) => each === value);
  if (value !== undefined && found === undefined) throw notAmong(name, value, choices);
  return found;
}

function notAmong(name: string, value: string, choices: readonly string[]): UserError {
  return new UserError(`--${name} does not know "${value}"`, `choose ${choices.join(', ')}`);
}
