// What every run of the tracer needs: its files, its settings and the ledgers.
import type { Environment } from '../../base/node/index.ts';
import { readTraceConfig, type TraceConfig } from '../config/index.ts';
import type { Redact } from '../span/index.ts';
import { ledgerOf, type TracePlaces, tracePlaces } from '../state/index.ts';
import type { Costs } from './costs.ts';
import { Ledger } from './ledger.ts';

/** What the trace functions share: settings and folders. */
export interface TraceContext {
  readonly places: TracePlaces;
  readonly config: TraceConfig;
  readonly env: Environment;
  /** @internal Lazy: the rules take as long to load as the rest of a hook. */
  readonly loadRedact: () => Promise<Redact>;
  /** @internal Lazy: the prices are a large table. */
  readonly loadCosts: () => Promise<Costs>;
  /** @internal By destination, see `ledgerFor`. */
  readonly ledgers: Map<string, Ledger>;
  /** @internal Called before each step; a test ends the process here. */
  readonly onStep?: (step: string) => void;
}

/** Creates the context that `traceSession` and `recoverSessions` work with. */
export function createTraceContext(env: Environment, config: TraceConfig = readTraceConfig(env)): TraceContext {
  let redact: Promise<Redact> | undefined;
  const loadRedact = (): Promise<Redact> => {
    redact ??= import('./redaction.ts').then((module) => module.makeRedact(config.rulesFile));
    return redact;
  };
  let costs: Promise<Costs> | undefined;
  const loadCosts = (): Promise<Costs> => {
    costs ??= import('./costs.ts').then((module) => module.loadCosts(env));
    return costs;
  };
  return { places: tracePlaces(env), config, env, loadRedact, loadCosts, ledgers: new Map() };
}

export function ledgerFor({ ledgers, places }: TraceContext, destination: string): Ledger {
  const ledger = ledgers.get(destination) ?? new Ledger(ledgerOf(places, destination));
  ledgers.set(destination, ledger);
  return ledger;
}
