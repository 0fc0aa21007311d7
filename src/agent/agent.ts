// Options → a running agent: the composition of everything beside it. What a front end holds of it is `Agent`; what
// happens goes out through its sinks, the recorder first.
import path from 'node:path';
import { makeStreamModel } from '../api/client/stream-model.ts';
import { exitCodes, UserError } from '../base/errors.ts';
import { pathOutside } from '../base/find-program.ts';
import { version } from '../base/version.ts';
import { loadPrices } from '../library/prices.ts';
import { withinBudget } from './budget.ts';
import { type Clock, systemClock } from './clock.ts';
import { CostMeter } from './cost-meter.ts';
import { EventBus } from './event-bus.ts';
import type { Agent, AgentOptions } from './handle.ts';
import type { StreamModel } from './parts.ts';
import { idleTimeoutOf } from './retry.ts';
import { RunningAgent } from './running-agent.ts';
import { loadSurroundings } from './surroundings.ts';

/** What a test puts in the place of the network and of time. */
export interface AgentReplacements {
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
  const surroundings = await loadSurroundings(options);
  const { env } = options;
  const idleTimeoutMs = idleTimeoutOf(env);
  const modelOptions = { env, userAgent: `clew/${version}`, ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }) };
  const model = replaced.streamModel ?? makeStreamModel(modelOptions);
  const streamModel = withinBudget(model, meter, options.maxBudgetUsd);
  const agent = new RunningAgent({ options, clock, meter, bus, streamModel, surroundings });
  try {
    await agent.begin(options.session);
    return agent;
  } catch (error) {
    await agent.close('exit');
    throw error;
  }
}

/** No program that the project brings is taken for one of ours. */
function withSafePath({ env, cwd, addDirs = [] }: AgentOptions): AgentOptions['env'] {
  const folders = [cwd, ...addDirs.map((dir) => path.resolve(cwd, dir))];
  return env.PATH === undefined ? env : { ...env, PATH: pathOutside(env, folders) };
}

/** Before a session is opened: one in which nothing could be asked would only be in the way. */
function requireKey({ ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN }: NodeJS.ProcessEnv): void {
  if (ANTHROPIC_API_KEY || ANTHROPIC_AUTH_TOKEN) return;
  throw new UserError(
    'there is no ANTHROPIC_API_KEY in the environment, so nothing can be asked',
    'set it, or ANTHROPIC_AUTH_TOKEN, and run it again',
    exitCodes.failed,
  );
}
