// Every operation of surgery on one session, by name, as a function of the file: for tests that try all of them.
import path from 'node:path';
import { type OperateOptions, type Outcome, operate } from '../../src/surgery/engine/operate.ts';
import { loadSource, type Plan, type Source } from '../../src/surgery/engine/plan.ts';
import { planCompress } from '../../src/surgery/operations/compress.ts';
import { fileSummary } from '../../src/surgery/operations/compress-summary.ts';
import { type ForkOptions, planFork } from '../../src/surgery/operations/fork.ts';
import { planMove } from '../../src/surgery/operations/move.ts';
import { planRewind, planSplit, type RewindOptions } from '../../src/surgery/operations/rewind.ts';
import { planRedact } from '../../src/surgery/redact/redact.ts';
import { planStrip } from '../../src/surgery/strip/strip.ts';
import type { StripOptions } from '../../src/surgery/strip/strip-options.ts';
import type { Bench } from '../support/surgery-kit.ts';

export type Operation = (bench: Pick<Bench, 'env'>, file: string, options?: OperateOptions) => Promise<Outcome>;

function operation(plan: (source: Source) => Plan | Promise<Plan>, fixed: OperateOptions = {}): Operation {
  return async ({ env }, file, options = {}) => {
    const source = await loadSource(file);
    return operate(await plan(source), [source], { env, ...fixed, ...options });
  };
}

export const fork = (options: ForkOptions = {}, fixed?: OperateOptions): Operation =>
  operation((source) => planFork(source, options), fixed);
export const strip = (options: StripOptions): Operation => operation((source) => planStrip(source, options));
export const rewind = (options: RewindOptions): Operation => operation((source) => planRewind(source, options));
export const split = (at: string): Operation => operation((source) => planSplit(source, { at }));
export const compress = (keepTurns: number, dropOld = false): Operation =>
  operation((source) => planCompress(source, fileSummary('a file', 'It was about a parser.'), { keepTurns, dropOld }));
export const redact = (keepsThinking = false, isInPlace = false): Operation =>
  operation(async (source) => (await planRedact(source, { keepsThinking, isInPlace })).plan);

/** To the project folder of another working folder. */
export const move =
  (to: string): Operation =>
  async ({ env }, file, options = {}) => {
    const folder = path.join(path.dirname(path.dirname(file)), to.replaceAll('/', '-'));
    const { plan, sources } = await planMove(
      [{ source: await loadSource(file), folder, cwd: { from: '/home/kim/project', to } }],
      { words: [] },
    );
    return operate(plan, sources, { env, ...options });
  };
