// clew team gateway status and retry: what was forwarded to each destination, what waits, and what a server refused.
import { isoDate, jsonText } from '../../base/json/index.ts';
import { counted, formatCount, formatDuration, neutralise } from '../../base/text/index.ts';
import { type GatewayReport, reportGateway, retryParked } from '../../team/gateway/index.ts';
import type { CommandInput } from '../command/index.ts';
import { writeOut } from '../terminal/index.ts';
import { withStore } from './store.ts';

export async function runStatus(input: CommandInput): Promise<void> {
  const reports = await withStore(input, 1, reportGateway);
  const { io, flags } = input;
  const empty = 'nothing was forwarded yet';
  const text = flags.json === true ? jsonText(reports.map(reportJson), 2) : reports.map(reportText).join('\n') || empty;
  await writeOut([`${text}\n`], io);
}

export async function runRetry(input: CommandInput): Promise<void> {
  const batches = await withStore(input, 1, retryParked);
  const { io, flags } = input;
  await writeOut(
    [flags.json === true ? `${jsonText({ batches })}\n` : `${counted(batches, 'batch', 'batches')} sent again\n`],
    io,
  );
}

function reportJson({ lastSentAt, lastErrorAt, ...report }: GatewayReport): object {
  const timeOf = (time: Date | null): string | null => (time === null ? null : isoDate(time.getTime()));
  return { ...report, lastSentAt: timeOf(lastSentAt), lastErrorAt: timeOf(lastErrorAt) };
}

function reportText(report: GatewayReport): string {
  const { destination, sentSpans, sentBatches, rejectedSpans, uncertainBatches, lastError, parkedReason } = report;
  const { waitingBatches, waitingSpans, lagSeconds, parkedBatches, parkedSpans } = report;
  const age = waitingBatches === 0 ? '' : `, the oldest for ${formatDuration(lagSeconds * 1000)}`;
  const lines = [
    neutralise(destination),
    `  sent      ${formatCount(sentSpans)} spans in ${formatCount(sentBatches)} batches`,
    `  waiting   ${formatCount(waitingSpans)} spans in ${formatCount(waitingBatches)} batches${age}`,
    ...(rejectedSpans === 0 ? [] : [`  rejected  ${formatCount(rejectedSpans)} spans of accepted batches`]),
    ...(uncertainBatches === 0
      ? []
      : [`  twice?    ${formatCount(uncertainBatches)} batches sent again without an answer`]),
    ...(parkedBatches === 0
      ? []
      : [
          `  refused   ${formatCount(parkedSpans)} spans in ${formatCount(parkedBatches)} batches: ${neutralise(parkedReason ?? '')}`,
        ]),
    ...(lastError === null ? [] : [`  last error ${neutralise(lastError)}`]),
  ];
  const hint = parkedBatches === 0 ? [] : ['  `clew team gateway retry` sends refused batches again'];
  return [...lines, ...hint].join('\n');
}
