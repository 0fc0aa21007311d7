// clew doctor SESSION --fix: plans a repair, shows it, asks, proves it, writes it, and examines the result.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { formatCount, neutralise, padEnd } from '../../base/text/index.ts';
import { isSevere } from '../../doctor/checks/index.ts';
import { type Diagnosis, diagnoseSession } from '../../doctor/diagnosis/index.ts';
import {
  defaultStrategy,
  newerBranch,
  planMark,
  planRepair,
  type RepairOptions,
  type Strategy,
  strategies,
  strategyMeanings,
} from '../../doctor/repair/index.ts';
import { loadSession } from '../../session/load/index.ts';
import type { ProjectsFolder } from '../../store/index.ts';
import { type OperateOptions, type Outcome, operate, type Source } from '../../surgery/engine/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { operationNotices, outcomeJson, outcomeText } from '../operation/index.ts';
import { canAsk, confirm, writeOut, writeText } from '../terminal/index.ts';
import { diagnosisJson, findingJson } from './json.ts';

export async function runFix(
  input: CommandInput,
  source: Source,
  diagnosis: Diagnosis,
  folders: readonly ProjectsFolder[],
): Promise<number> {
  const strategy = strategyFlag(input) ?? defaultStrategy(diagnosis);
  const options: RepairOptions = { strategy, isInPlace: input.flags['in-place'] === true };
  const isMark = input.flags.mark === true;
  if (isMark && (input.flags.portable === true || input.flags.strategy !== undefined))
    throw new UserError('--mark only appends a line, so it takes neither --portable nor --strategy', 'leave them out');
  const plan = isMark ? planMark(source, diagnosis) : await planRepair(source, diagnosis, options);
  if (plan === undefined) return sayNothingToRepair(input, diagnosis);
  if (input.flags.json !== true && !isMark) await compareStrategies(input, source, diagnosis, strategy);
  const outcome = await operate(plan, [source], {
    ...commonOptions(input),
    isDryRun: input.flags['dry-run'] === true,
    mayWrite: (planned) => mayWrite(input, planned, source),
  });
  const after = outcome.isWritten ? await diagnoseSession(await loadSession(outcome.to.path), { folders }) : undefined;
  await print(input, diagnosis, outcome, after, source);
  return after?.findings.some(isSevere) === true ? exitCodes.failed : exitCodes.ok;
}

function commonOptions({ flags, io }: CommandInput): OperateOptions {
  return {
    ...operationNotices(io),
    isPortable: flags.portable === true,
  };
}

function strategyFlag({ flags }: CommandInput): Strategy | undefined {
  const given = textFlag(flags, 'strategy');
  const strategy = strategies.find((each) => each === given);
  if (given !== undefined && strategy === undefined)
    throw new UserError(`there is no strategy "${given}"`, `name one of ${strategies.join(', ')}`);
  return strategy;
}

async function sayNothingToRepair({ flags, io }: CommandInput, diagnosis: Diagnosis): Promise<number> {
  if (flags.json === true) {
    const nothing = { ...diagnosisJson(diagnosis), operation: null, written: null, dropped: [], after: null };
    await writeOut([`${jsonText(nothing, 2)}\n`], io);
  } else {
    const rest = diagnosis.findings.map(({ code, fix }) => `  ${code}: ${fix}\n`);
    await writeOut([neutralise(`there is nothing in the file to repair\n${[...new Set(rest)].join('')}`)], io);
  }
  return diagnosis.findings.some(isSevere) ? exitCodes.failed : exitCodes.ok;
}

/** If there is a choice, prints the result of each strategy. */
async function compareStrategies(
  input: CommandInput,
  source: Source,
  diagnosis: Diagnosis,
  chosen: Strategy,
): Promise<void> {
  if (newerBranch(source.session) === undefined) return;
  const rows: string[] = [];
  for (const strategy of strategies) {
    const plan = await planRepair(source, diagnosis, { strategy });
    if (plan === undefined) continue;
    const { proof, changed, dropped } = await operate(plan, [source], { ...commonOptions(input), isDryRun: true });
    const mark = strategy === chosen ? '▸' : ' ';
    const loaded = `${formatCount(proof.reachable.loaded)} of ${formatCount(proof.reachable.of)} entries`;
    rows.push(
      `${mark} ${padEnd(strategy, 8)} ${padEnd(loaded, 22)} ${changed} changed, ${dropped.length} dropped  ${strategyMeanings[strategy]}\n`,
    );
  }
  await writeOut([`There is newer work on another branch; --strategy chooses:\n${rows.join('')}\n`], input.io);
}

async function mayWrite(input: CommandInput, planned: Outcome, source: Source): Promise<boolean> {
  const { flags, io } = input;
  if (flags.yes === true) return true;
  if (flags.json === true || !canAsk(io.stderr)) {
    throw new UserError('confirmation required: add `--yes`', 'use `--dry-run` to look first', exitCodes.refused);
  }
  writeText(io.stderr, outcomeText(planned, source));
  return confirm(
    flags['in-place'] === true || flags.mark === true
      ? 'Repair the session in place?'
      : 'Write the repaired session as a new one?',
    io.stderr,
  );
}

async function print(
  { flags, io }: CommandInput,
  diagnosis: Diagnosis,
  outcome: Outcome,
  after: Diagnosis | undefined,
  source: Source,
): Promise<void> {
  if (flags.json === true) {
    const seen = after && { reachable: after.reachable, findings: after.findings.map(findingJson) };
    const operation = outcomeJson(outcome);
    const written = outcome.isWritten ? outcome.to : null;
    const value = { ...diagnosisJson(diagnosis), operation, written, dropped: operation.dropped, after: seen ?? null };
    return writeOut([`${jsonText(value, 2)}\n`], io);
  }
  const left = [...new Set(after?.findings.map(({ code }) => code))];
  const verdict =
    after === undefined
      ? ''
      : left.length === 0
        ? '  looked at again: nothing is wrong with it\n'
        : `  looked at again: ${left.join(', ')} ${left.length === 1 ? 'is' : 'are'} left, see \`clew doctor ${outcome.to.sessionId.slice(0, 8)}\`\n`;
  await writeOut([neutralise(outcomeText(outcome, source) + verdict)], io);
}
