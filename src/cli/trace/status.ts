// clew trace status: shows what was sent to each destination, what waits and the last error.
import path from 'node:path';
import { isoDate, jsonText } from '../../base/json/index.ts';
import { counted, formatBytes, formatCount, formatDuration, neutralise } from '../../base/text/index.ts';
import { readText } from '../../store/index.ts';
import { type Destination, installedEvents } from '../../trace/config/index.ts';
import { type DestinationReport, isSending, knownDestinations, reportDestination } from '../../trace/outbox/index.ts';
import { type Mute, readMutes, tracePlaces } from '../../trace/state/index.ts';
import type { CommandInput } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';
import { localTime } from '../render/index.ts';
import { writeOut } from '../terminal/index.ts';
import { describeDestination, shownUrl } from './destination-text.ts';
import { setUpHint, traceConfigOf } from './trace-config.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const places = tracePlaces(io.env);
  const { destinations, isOff } = traceConfigOf(input);
  const names = new Set([...destinations.map(({ name }) => name), ...knownDestinations(places)]);
  const nowMs = Date.now();
  const reports = [...names].map((name) => ({
    ...reportDestination(places, name, nowMs),
    nowMs,
    isSending: isSending(places, name),
    destination: destinations.find((each) => each.name === name),
  }));
  const events = rootsOf(input).flatMap((root) => eventsIn(path.join(root, 'settings.json')));
  const missing = isOff ? 'tracing is off: unset CLEW_TRACE' : `no destination is set up; ${setUpHint(io.env)}`;
  const hint = destinations.length === 0 ? missing : undefined;
  const muted = readMutes(places).filter(({ untilMs }) => untilMs === undefined);
  const about = { hint, events, muted, isSending: reports.some((each) => each.isSending), log: places.log };
  const text = flags.json === true ? `${jsonText(statusJson(reports, about), 2)}\n` : statusText(reports, about);
  await writeOut([text], io);
}

function eventsIn(file: string): readonly string[] {
  return installedEvents(readText(file), file);
}

interface About {
  readonly events: readonly string[];
  readonly isSending: boolean;
  readonly log: string;
  readonly hint: string | undefined;
  readonly muted: readonly Mute[];
}

type Report = DestinationReport & {
  readonly destination: Destination | undefined;
  readonly isSending: boolean;
  readonly nowMs: number;
};

function statusJson(reports: readonly Report[], { events, isSending: sending, log, muted }: About): object {
  return {
    hooks: events,
    sending,
    log,
    muted: muted.map(({ kind, name, sinceMs }) => ({ kind, name, since: isoDate(sinceMs) })),
    destinations: reports.map(({ destination, ...report }) => ({
      name: report.name,
      profile: destination?.profile ?? null,
      url: destination === undefined ? null : shownUrl(destination),
      format: destination?.format ?? null,
      content: destination?.content ?? null,
      redacted: destination?.isRedacted ?? null,
      sentSpans: report.sentSpans,
      rejectedSpans: report.rejectedSpans,
      uncertainBatches: report.uncertainBatches,
      waitingBatches: report.waitingBatches,
      waitingBytes: report.waitingBytes,
      parked: report.parked.map(({ name, spans, reason }) => ({ name, spans, reason })),
      lastSentAt: isoDate(report.lastSentMs ?? Number.NaN),
      lastError: report.lastError ?? null,
      lastErrorAt: isoDate(report.lastErrorMs ?? Number.NaN),
      retryAt: isoDate(report.retryAtMs ?? Number.NaN),
      lagMs: report.lagMs,
    })),
  };
}

function statusText(reports: readonly Report[], { events, isSending: sending, log, hint, muted }: About): string {
  const hooks = events.length === 0 ? 'not installed (`clew trace install`)' : events.join(', ');
  const lines = [`hooks    ${hooks}`, `log      ${log}`, ...(sending ? ['sending  now'] : [])];
  for (const { kind, name, sinceMs } of muted) lines.push(`muted    ${kind} ${name} since ${localTime(sinceMs)}`);
  if (hint !== undefined) lines.push(hint);
  for (const report of reports) lines.push('', ...destinationLines(report));
  return `${neutralise(lines.join('\n'))}\n`;
}

function destinationLines({ destination, ...report }: Report): readonly string[] {
  const where = destination === undefined ? 'no longer set up' : describeDestination(destination);
  const { waitingBatches, lagMs, parked, lastError, lastErrorMs, lastSentMs } = report;
  const lines = [`${report.name}  ${where}`];
  const sent = lastSentMs === undefined ? '' : `, last ${localTime(lastSentMs)}`;
  lines.push(`  sent     ${formatCount(report.sentSpans)} spans${sent}`);
  const lag = waitingBatches === 0 ? '' : ` (${formatBytes(report.waitingBytes)}), oldest ${formatDuration(lagMs)}`;
  lines.push(`  waiting  ${counted(waitingBatches, 'batch', 'batches')}${lag}`);
  if (waitingBatches > 0) lines.push(`  next     ${nextTry({ destination, ...report })}`);
  if (report.rejectedSpans > 0) lines.push(`  rejected ${formatCount(report.rejectedSpans)} spans`);
  if (report.uncertainBatches > 0)
    lines.push(`  twice?   ${counted(report.uncertainBatches, 'batch', 'batches')} sent again, perhaps twice`);
  if (parked.length > 0)
    lines.push(
      `  parked   ${counted(parked.length, 'batch', 'batches')}: ${parked.at(-1)?.reason} (\`clew trace retry\` sends them again)`,
    );
  if (lastError !== undefined && lastError !== parked.at(-1)?.reason)
    lines.push(`  error    ${localTime(lastErrorMs ?? Number.NaN)} ${lastError}`);
  return lines;
}

/** Without a running sender, there is no automatic retry. */
function nextTry({ destination, isSending: sending, retryAtMs, nowMs }: Report): string {
  if (destination === undefined) return 'never, unless it is set up again';
  if (!sending) return 'with the next turn, or by `clew trace flush`';
  return retryAtMs === undefined ? 'now' : `in ${formatDuration(retryAtMs - nowMs)}`;
}
