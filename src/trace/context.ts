// What every run of the tracer needs: where its files are, what the user asked for, and the ledgers, read once.
import type { Environment } from '../base/node-types.ts';
import { readTraceConfig, type TraceConfig } from './config.ts';
import type { Redact } from './content.ts';
import type { Costs } from './costs.ts';
import { Ledger } from './ledger.ts';
import { ledgerOf, type TracePlaces, tracePlaces } from './places.ts';

/** What the trace functions share: settings and folders. */
export interface TraceContext {
  readonly places: TracePlaces;
  readonly config: TraceConfig;
  readonly env: Environment;
  /** @internal Loaded only where there is something to redact: the rules take as long to load as the rest of a hook. */
  readonly loadRedact: () => Promise<Redact>;
  /** @internal Loaded only where a destination asks for costs: the prices are a large table. */
  readonly loadCosts: () => Promise<Costs>;
  /** @internal One for each destination, made when needed (`ledgerFor`). */
  readonly ledgers: Map<string, Ledger>;
  /** @internal Told before each step; a test ends the process here. */
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
