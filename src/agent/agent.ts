// Options → a running agent. A front end gets an `Agent` and receives events through its sinks, after the recorder.

import path from 'node:path';
import { makeStreamModel, type StreamModel } from '../api/client/index.ts';
import { exitCodes, UserError } from '../base/errors/index.ts';
import { pathOutside } from '../base/process/index.ts';
import { version } from '../base/version/index.ts';
import { loadPrices } from '../library/usage/index.ts';
import type { Agent, AgentOptions } from './contract/index.ts';
import { type Clock, CostMeter, EventBus, idleTimeoutOf, systemClock, withinBudget } from './loop/index.ts';
import { RunningAgent } from './running-agent.ts';
import type { SettingsFiles } from './settings/index.ts';
import { loadSetup } from './setup.ts';

/** Settings that are already read; in tests, replacements for the network and the clock. */
export interface AgentReplacements {
  readonly settings?: SettingsFiles;
  readonly streamModel?: StreamModel;
  readonly clock?: Clock;
}

/** Starts the agent on a new or an existing session. */
export function openAgent(options: AgentOptions): Promise<Agent>;
/** @internal */
export function openAgent(options: AgentOptions, replaced: AgentReplacements): Promise<Agent>;
export async function openAgent(given: AgentOptions, replaced: AgentReplacements = {}): Promise<Agent> {
  const options = { ...given, env: withSafePath(given) };
  if (replaced.streamModel === undefined) requireKey(options.env);
  const clock = replaced.clock ?? systemClock;
  const meter = new CostMeter(loadPrices(options.env), options.price);
  const bus = new EventBus(clock, [(event) => meter.hear(event), ...options.sinks]);
  const setup = await loadSetup(options, replaced.settings);
  const { env } = options;
  const idleTimeoutMs = idleTimeoutOf(env);
  const modelOptions = { env, userAgent: `clew/${version}`, ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }) };
  const model = replaced.streamModel ?? makeStreamModel(modelOptions);
  const streamModel = withinBudget(model, meter, options.maxBudgetUsd);
  const agent = new RunningAgent({ options, clock, meter, bus, streamModel }, setup);
  try {
    await agent.begin(options.session);
    return agent;
  } catch (error) {
    await agent.close('exit');
    throw error;
  }
}

/** Programs in the project's folders are never run in place of installed ones. */
function withSafePath({ env, cwd, addDirs = [] }: AgentOptions): AgentOptions['env'] {
  const folders = [cwd, ...addDirs.map((dir) => path.resolve(cwd, dir))];
  return env.PATH === undefined ? env : { ...env, PATH: pathOutside(env, folders) };
}

/** Checked before a session is opened, so that no empty session is left. */
function requireKey({ ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN }: NodeJS.ProcessEnv): void {
  if (ANTHROPIC_API_KEY || ANTHROPIC_AUTH_TOKEN) return;
  throw new UserError(
    'ANTHROPIC_API_KEY is not set',
    'set it or ANTHROPIC_AUTH_TOKEN, then try again',
    exitCodes.failed,
  );
}
