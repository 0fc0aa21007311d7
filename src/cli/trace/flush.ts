// clew trace flush: sends now what waits in the outbox; clew trace retry: also what a server refused before.
import { exitCodes, UserError } from '../../base/errors.ts';
import { formatCount } from '../../base/human.ts';
import { createContext } from '../../trace/context.ts';
import { unparkBatches } from '../../trace/outbox.ts';
import { recoverSessions } from '../../trace/recover.ts';
import { type SendReport, sendOutbox } from '../../trace/send.ts';
import type { CommandInput } from '../command.ts';
import { jsonText } from '../json-text.ts';
import { writeOut } from '../terminal/output.ts';
import { counted } from '../wording.ts';
import { neededConfigOf } from './trace-config.ts';

/** Somebody sits and waits; what is left is for the next sender. */
export const patienceMs = 10_000;
/** For a sender in the background to give up on a server, at most. */
export const lockMs = 60_000;

export async function run(input: CommandInput): Promise<void> {
  await flush(input, false);
}

export async function runRetry(input: CommandInput): Promise<void> {
  await flush(input, true);
}

async function flush(input: CommandInput, isRetry: boolean): Promise<void> {
  const { flags, io } = input;
  const context = createContext(io.env, neededConfigOf(input));
  const { places, config } = context;
  await recoverSessions(context);
  if (isRetry) for (const { name } of config.destinations) unparkBatches(places, name);
  const report = await sendOutbox({
    places,
    destinations: config.destinations,
    patienceMs,
    waitMs: lockMs,
    isUrgent: true,
  });
  await writeOut([flags.json === true ? `${jsonText(sendJson(report), 2)}\n` : sendText(report)], io);
  failUnlessSent(report);
}

export function sendJson({ sentSpans, waitingBatches, parkedBatches }: SendReport): object {
  return { sentSpans, waitingBatches, parkedBatches };
}

export function sendText({ sentSpans, waitingBatches, parkedBatches }: SendReport): string {
  const rest = [
    ...(waitingBatches === 0 ? [] : [`${counted(waitingBatches, 'batch', 'batches')} waiting`]),
    ...(parkedBatches === 0 ? [] : [`${counted(parkedBatches, 'batch', 'batches')} refused`]),
  ];
  return `sent ${formatCount(sentSpans)} spans${rest.map((each) => `; ${each}`).join('')}\n`;
}

export function failUnlessSent({ waitingBatches, parkedBatches }: SendReport): void {
  if (waitingBatches + parkedBatches === 0) return;
  throw new UserError('not everything was taken', 'run `clew trace status` for the reasons', exitCodes.failed);
}
