// clew strip SESSION: removes what the flags name and writes a new session; without such flags, prints what each of them
// would free.
import { UserError } from '../../base/errors/index.ts';
import { type JsonObject, jsonText } from '../../base/json/index.ts';
import { formatBytes, formatCount, formatTokens } from '../../base/text/index.ts';
import { parseTime } from '../../base/time/index.ts';
import {
  estimateStrip,
  planStrip,
  type StripEstimate,
  type StripOptions,
  type StripRow,
  takesAnything,
} from '../../surgery/strip/index.ts';
import { type CommandInput, countFlag, type FlagValues, textFlag } from '../command/index.ts';
import { currentPrices } from '../input/index.ts';
import { runPlan, sourceArgument } from '../operation/index.ts';
import { formatCost, renderTable, type TableOptions } from '../render/index.ts';
import { terminalWidth, writeOut } from '../terminal/index.ts';

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

const columns = [
  { header: 'flag', flex: true, minWidth: 14 },
  { header: 'frees tokens', align: 'right' },
  { header: 'bytes', align: 'right' },
  { header: 'lines', align: 'right' },
  { header: 'cache to rewrite', align: 'right' },
  { header: 'cost', align: 'right' },
] as const;

function estimateText(sessionId: string, estimate: StripEstimate, options: TableOptions): string {
  const rows = estimate.rows.map((row) => [
    flagOf(row),
    formatTokens(row.freedTokens),
    formatBytes(row.freedBytes),
    formatCount(row.lines),
    formatTokens(row.rewriteTokens),
    row.rewriteCostMicroUsd === undefined ? 'unpriced' : formatCost(row.rewriteCostMicroUsd),
  ]);
  return [
    renderTable(columns, rows, options),
    '',
    `Resuming ${sessionId.slice(0, 8)} sends about ${formatTokens(estimate.contextTokens)} tokens${estimate.model === undefined ? '' : ` to ${estimate.model}`} (estimated).`,
    'After the first change the prompt cache has to be written again.',
    'Nothing was changed: choose what to strip, for example `--tools`.',
    '',
  ].join('\n');
}

function flagOf({ kind, options }: StripRow): string {
  switch (kind) {
    case 'truncateResults':
      return `--truncate-results ${options.truncateResults}`;
    case 'truncateInputs':
      return `--truncate-inputs ${options.truncateInputs}`;
    default:
      return `--${kind}`;
  }
}

function estimateJson(sessionId: string, path: string, estimate: StripEstimate): JsonObject {
  const { model, contextTokens, rows } = estimate;
  return {
    operation: 'strip',
    sessionId,
    path,
    model: model ?? null,
    contextTokens,
    rows: rows.map((row) => ({
      flag: flagOf(row),
      freedTokens: row.freedTokens,
      freedBytes: row.freedBytes,
      lines: row.lines,
      rewriteTokens: row.rewriteTokens,
      rewriteCostMicroUsd: row.rewriteCostMicroUsd ?? null,
    })),
  };
}
