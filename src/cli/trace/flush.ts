// clew trace flush: sends the outbox now. clew trace retry: also sends batches that a server refused.
import { exitCodes, UserError } from '../../base/errors/errors.ts';
import { jsonText } from '../../base/json/json-text.ts';
import { neutralise } from '../../base/text/hostile-text.ts';
import { counted, formatCount } from '../../base/text/human.ts';
import { reportDestination } from '../../trace/outbox/destination-report.ts';
import { listParked, unparkBatches } from '../../trace/outbox/outbox.ts';
import { type SendReport, sendOutbox } from '../../trace/outbox/send.ts';
import { createTraceContext, type TraceContext } from '../../trace/session/context.ts';
import { recoverSessions } from '../../trace/session/recover.ts';
import type { CommandInput } from '../command/command.ts';
import { writeNotice } from '../terminal/notice.ts';
import { writeOut } from '../terminal/output.ts';
import { neededConfigOf } from './trace-config.ts';

/** Short, because the user waits. */
export const patienceMs = 10_000;
/** How long to wait for a background sender. */
export const lockMs = 60_000;

export async function runFlush(input: CommandInput): Promise<void> {
  await flush(input, false);
}

export async function runRetry(input: CommandInput): Promise<void> {
  await flush(input, true);
}

async function flush(input: CommandInput, isRetry: boolean): Promise<void> {
  const { flags, io } = input;
  const context = createTraceContext(io.env, neededConfigOf(input));
  const { places, config } = context;
  await recoverSessions(context);
  if (isRetry) for (const { name } of config.destinations) unparkBatches(places, name);
  const report = await sendOutbox({
    places,
    destinations: config.destinations,
    patienceMs,
    waitMs: lockMs,
    onWait: waitNotice(io.stderr),
    isUrgent: true,
  });
  await writeOut([flags.json === true ? `${jsonText(sendJson(report), 2)}\n` : sendText(report)], io);
  failUnlessSent(report, reasonsOf(context));
  noteParked(context, io.stderr);
}

export function waitNotice(stderr: CommandInput['io']['stderr']): (destination: string) => void {
  return (name) => writeNotice(stderr, `another process is sending to ${name}; waiting up to a minute`);
}

export function noteParked({ places, config }: TraceContext, stderr: CommandInput['io']['stderr']): void {
  const parked = config.destinations.reduce((sum, { name }) => sum + listParked(places, name).length, 0);
  if (parked > 0)
    writeNotice(
      stderr,
      `${counted(parked, 'batch', 'batches')} refused earlier; \`clew trace retry\` sends them again`,
    );
}

/** The last errors of servers with waiting or refused batches. */
export function reasonsOf({ places, config }: TraceContext): readonly string[] {
  return config.destinations
    .map(({ name }) => reportDestination(places, name, Date.now()))
    .filter(({ waitingBatches, parked }) => waitingBatches + parked.length > 0)
    .flatMap(({ name, lastError }) => (lastError === undefined ? [] : [`${name}: ${neutralise(lastError)}`]));
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

export function failUnlessSent({ waitingBatches, parkedBatches }: SendReport, reasons: readonly string[]): void {
  if (waitingBatches + parkedBatches === 0) return;
  const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
  const kept =
    parkedBatches === 0
      ? 'the rest is kept and sent with the next turn or by `clew trace flush`'
      : 'run `clew trace status` for the reasons';
  throw new UserError(`not everything was sent${why}`, kept, exitCodes.failed);
}
