// clew strip SESSION: removes what the flags name and writes a new session; without such flags, prints what each of them
// would free.
import { UserError } from '../../base/errors/errors.ts';
import { jsonText } from '../../base/json/json-text.ts';
import { planStrip } from '../../surgery/strip/strip.ts';
import { estimateStrip } from '../../surgery/strip/strip-estimate.ts';
import { type StripOptions, takesAnything } from '../../surgery/strip/strip-options.ts';
import { type CommandInput, countFlag, type FlagValues, textFlag } from '../command/command.ts';
import { currentPrices } from '../input/prices.ts';
import { parseTime } from '../input/time-flag.ts';
import { runPlan, sourceArgument } from '../operation/operation.ts';
import { terminalWidth, writeOut } from '../terminal/output.ts';
import { estimateJson, estimateText } from './strip-text.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const options = optionsOf(flags);
  if (options.prompt === true && options.bookkeeping !== true)
    throw new UserError('--all needs --bookkeeping', 'add --bookkeeping');
  const source = await sourceArgument(input);
  if (takesAnything(options)) {
    await runPlan(input, planStrip(source, options), [source]);
    return;
  }
  const estimate = estimateStrip(source.session, options, currentPrices(io));
  const { id, files } = source.session;
  const text =
    flags.json === true
      ? `${jsonText(estimateJson(id, files.main, estimate), 2)}\n`
      : estimateText(id, estimate, { width: terminalWidth(io.stdout, io.env), style: io.style });
  await writeOut([text], io);
}

function optionsOf(flags: FlagValues): StripOptions {
  const { tools } = flags;
  const older = textFlag(flags, 'older-than');
  const isCount = older !== undefined && /^\d+$/.test(older);
  const counts = {
    truncateResults: countFlag(flags, 'truncate-results'),
    truncateInputs: countFlag(flags, 'truncate-inputs'),
    keepLast: countFlag(flags, 'keep-last'),
    olderThanTurns: isCount ? Number(older) : undefined,
    olderThanTime: older === undefined || isCount ? undefined : parseTime(older, '--older-than', false),
  };
  const given = Object.entries(counts).filter(([, value]) => value !== undefined);
  const list = typeof tools === 'string' ? tools.split(',') : [];
  return {
    ...(tools === undefined || tools === false ? {} : { tools: list }),
    ...Object.fromEntries(given),
    thinking: flags.thinking === true,
    images: flags.images === true,
    progress: flags.progress === true,
    bookkeeping: flags.bookkeeping === true,
    prompt: flags.all === true,
    agents: flags.agents === true,
    isInPlace: flags['in-place'] === true,
  };
}
