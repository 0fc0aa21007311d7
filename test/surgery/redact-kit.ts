// Redacts the session of a bench as the command does.
import { type Outcome, operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { planRedact, type RedactedSecret, type RedactOptions } from '../../src/surgery/redact/redact.ts';
import type { Redactor } from '../../src/surgery/redact/redactor.ts';
import type { Bench } from '../support/surgery-kit.ts';

export interface RedactedBench {
  readonly outcome: Outcome;
  readonly secrets: readonly RedactedSecret[];
  readonly redactor: Redactor;
}

export async function redactBench(bench: Bench, options: RedactOptions = {}): Promise<RedactedBench> {
  const { plan, secrets, source, redactor } = await planRedact(await loadSource(bench.main), options);
  return { outcome: await operate(plan, [source], { env: bench.env }), secrets, redactor };
}
