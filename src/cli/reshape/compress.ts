// clew compress SESSION --keep-turns N: older turns become a summary, from a file, from a model, or an outline.
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { readRegularText } from '../../base/files/index.ts';
import type { Session } from '../../session/load/index.ts';
import { diskError } from '../../store/index.ts';
import {
  apiSummary,
  type CompressCut,
  fileSummary,
  findCompressCut,
  offlineSummary,
  planCompress,
  type Summary,
} from '../../surgery/operations/index.ts';
import { type CommandInput, countFlag, textFlag } from '../command/index.ts';
import { runPlan, sourceArgument } from '../operation/index.ts';
import { writeNotice } from '../terminal/index.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags } = input;
  const keepTurns = countFlag(flags, 'keep-turns');
  if (keepTurns === undefined) throw new UserError('compress needs --keep-turns', 'for example --keep-turns 5');
  refuseSeveralSources(input);
  const source = await sourceArgument(input);
  const cut = findCompressCut(source.session, keepTurns);
  const summary = await summaryFor(input, source.session, cut);
  const options = { keepTurns, dropOld: flags['drop-old'] === true, isInPlace: flags['in-place'] === true };
  await runPlan(input, planCompress(source, summary, options, cut), [source]);
}

function refuseSeveralSources({ flags }: CommandInput): void {
  const given = [
    flags.offline === true ? '--offline' : undefined,
    textFlag(flags, 'summary-file') === undefined ? undefined : '--summary-file',
    flags.api === true || textFlag(flags, 'model') !== undefined ? '--api' : undefined,
  ].filter((flag) => flag !== undefined);
  if (given.length > 1)
    throw new UserError(`${given.join(' and ')} cannot be combined`, 'choose one source for the summary');
}

async function summaryFor({ flags, io }: CommandInput, session: Session, cut: CompressCut): Promise<Summary> {
  const file = textFlag(flags, 'summary-file');
  if (file !== undefined) return fileSummary(path.basename(file), readSummary(path.resolve(io.cwd, file)));
  const model = textFlag(flags, 'model');
  if (flags.api !== true && model === undefined) return offlineSummary(session, cut);
  writeNotice(io.stderr, 'asking a model for the summary');
  return apiSummary(session, cut, { env: io.env, ...(model === undefined ? {} : { model }) });
}

function readSummary(file: string): string {
  try {
    return readRegularText(file);
  } catch (error) {
    throw diskError(error, 'read', file);
  }
}
