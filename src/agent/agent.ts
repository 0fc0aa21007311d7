// Options → a running agent. A front end gets an `Agent` and receives events through its sinks, after the recorder.

import path from 'node:path';
import { makeStreamModel, type StreamModel } from '../api/client/index.ts';
import { requireCredentials } from '../api/connection/index.ts';
import { pathOutside } from '../base/process/index.ts';
import { version } from '../base/version/index.ts';
import { loadPrices } from '../library/usage/index.ts';
import type { Agent, AgentOptions } from './contract/index.ts';
import { loadSetup } from './load-setup.ts';
import { type Clock, CostMeter, EventBus, idleTimeoutOf, systemClock, withinBudget } from './loop/index.ts';
import { RunningAgent } from './running-agent.ts';
import type { SettingsFiles } from './settings/index.ts';

/** Settings that are already read; in tests, replacements for the network and the clock. */
export interface AgentReplacements {
  readonly settingsFiles?: SettingsFiles;
  readonly streamModel?: StreamModel;
  readonly clock?: Clock;
}

/** Starts the agent on a new or an existing session. */
export function openAgent(options: AgentOptions): Promise<Agent>;
/** @internal */
export function openAgent(options: AgentOptions, replaced: AgentReplacements): Promise<Agent>;
export async function openAgent(given: AgentOptions, replaced: AgentReplacements = {}): Promise<Agent> {
  const safe = { ...given, env: withSafePath(given) };
  const setup = await loadSetup(safe, replaced.settingsFiles);
  // With the variables of the settings: they may choose the endpoint, the key and the models.
  const options = { ...safe, env: setup.env };
  const { env, cwd } = options;
  const { apiKeyHelper } = setup;
  // Checked before a session is opened, so that no empty session is left.
  if (replaced.streamModel === undefined) requireCredentials(env, apiKeyHelper);
  const clock = replaced.clock ?? systemClock;
  const meter = new CostMeter(loadPrices(env), options.price);
  const bus = new EventBus(clock, [(event) => meter.hear(event), ...options.sinks]);
  const idleTimeoutMs = idleTimeoutOf(env);
  const model =
    replaced.streamModel ??
    makeStreamModel({
      env,
      cwd,
      apiKeyHelper,
      userAgent: `clew/${version}`,
      ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    });
  const streamModel = withinBudget(withBetas(model, options.betas), meter, options.maxBudgetUsd);
  const agent = new RunningAgent({ options, clock, meter, bus, streamModel }, setup);
  try {
    await agent.begin(options.session);
    return agent;
  } catch (error) {
    await agent.close('exit');
    throw error;
  }
}

function withBetas(model: StreamModel, betas: AgentOptions['betas']): StreamModel {
  return betas === undefined ? model : (request, signal) => model({ ...request, betas }, signal);
}

/** Programs in the project's folders are never run in place of installed ones. */
function withSafePath({ env, cwd, addDirs = [] }: AgentOptions): AgentOptions['env'] {
  const folders = [cwd, ...addDirs.map((dir) => path.resolve(cwd, dir))];
  return env.PATH === undefined ? env : { ...env, PATH: pathOutside(env, folders) };
}
