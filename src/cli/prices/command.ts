// clew prices: the table of prices, its age and the models without a price; `clew prices update` replaces the table.
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { makeFetch } from '../../base/network/index.ts';
import { cellsOf, createCalendar, makeReport, updatePrices } from '../../library/usage/index.ts';
import type { CommandInput } from '../command/index.ts';
import { currentPrices, currentUsage } from '../input/index.ts';
import { terminalWidth, writeOut } from '../terminal/index.ts';
import { pricesJson, pricesText, updateText } from './render.ts';

export async function run(input: CommandInput): Promise<void> {
  const [action, source, ...more] = input.words;
  if (action === undefined) return showPrices(input);
  if (action !== 'update')
    throw new UserError(`there is no action "${action}"`, 'run `clew prices` or `clew prices update FILE`');
  if (source === undefined || more.length > 0)
    throw new UserError('`clew prices update` takes one table', 'give a file or an https address');
  await update(input, source);
}

async function showPrices(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const prices = currentPrices(io);
  const nowMs = Date.now();
  const cells = cellsOf(currentUsage(input, prices));
  const { unpriced } = makeReport(cells, { kind: 'model', calendar: createCalendar(), nowMs });
  const shown = { prices: prices.prices, unknown: unpriced, nowMs };
  if (flags.json === true)
    return writeOut([`${jsonText({ ...pricesJson(shown), unread: input.unread.problems }, 2)}\n`], io);
  const width = terminalWidth(io.stdout, io.env);
  await writeOut([pricesText(shown, { width, style: io.style })], { ...io, pager: true });
}

async function update({ flags, io }: CommandInput, source: string): Promise<void> {
  const isTrial = flags['dry-run'] === true;
  const done = await updatePrices(source, { env: io.env, cwd: io.cwd, isTrial, fetch: makeFetch(io.env) });
  const { backup = null, ...facts } = done;
  if (flags.json === true) return writeOut([`${jsonText({ ...facts, backup, dryRun: isTrial }, 2)}\n`], io);
  await writeOut([updateText(done, isTrial)], io);
}
