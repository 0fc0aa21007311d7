// clew trace test: sends an example trace to every destination and prints the response. Nothing is stored.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, neutralise } from '../../base/text/index.ts';
import { version } from '../../base/version/index.ts';
import type { Destination } from '../../trace/config/index.ts';
import { adviceFor, exampleSpans, sendExample } from '../../trace/index.ts';
import { createTraceContext } from '../../trace/session/index.ts';
import type { CommandInput } from '../command/index.ts';
import { writeOut } from '../terminal/index.ts';
import { shownUrl } from './destination-text.ts';
import { neededConfigOf } from './trace-config.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const context = createTraceContext(io.env, neededConfigOf(input));
  const { destinations, labels, strictSeed } = context.config;
  const redact = await context.loadRedact();
  const answers = await Promise.all(
    destinations.map(async (destination) => {
      const nowMs = Date.now();
      const spans = exampleSpans(nowMs, version);
      const options = { redact, labels, nowMs, isBackfill: true, strictSeed };
      const outcome = await sendExample(destination, spans, options);
      const rejectedSpans = outcome.kind === 'taken' ? outcome.rejectedSpans : 0;
      return {
        destination,
        traceId: spans[0]?.traceId ?? '',
        spans: spans.length,
        isTaken: outcome.kind === 'taken' && rejectedSpans === 0,
        rejectedSpans,
        answer: outcome.message,
        next: adviceFor(outcome, destination),
      };
    }),
  );
  const text = flags.json === true ? `${jsonText(answers.map(answerJson), 2)}\n` : answers.map(answerText).join('');
  await writeOut([text], io);
  const failed = answers.filter(({ isTaken }) => !isTaken).length;
  if (failed === 0) return;
  const what = `${counted(failed, 'destination')} of ${answers.length} did not accept the trace`;
  throw new UserError(what, 'fix the problem and run `clew trace test` again', exitCodes.failed);
}

interface Answer {
  readonly destination: Destination;
  readonly traceId: string;
  readonly spans: number;
  readonly isTaken: boolean;
  readonly rejectedSpans: number;
  readonly answer: string | undefined;
  readonly next: string | undefined;
}

function answerText({ destination, traceId, spans, isTaken, rejectedSpans, answer, next }: Answer): string {
  const where = `${destination.name} (${shownUrl(destination)})`;
  if (isTaken) return neutralise(`${where}: accepted ${spans} spans; look for trace ${traceId}`).concat('\n');
  const said = answer === undefined ? '' : `: ${answer}`;
  const what = rejectedSpans > 0 ? `rejected ${rejectedSpans} of ${spans} spans${said}` : (answer ?? 'no answer');
  return neutralise(`${where}: ${what}${next === undefined ? '' : `; ${next}`}`).concat('\n');
}

function answerJson({ destination, traceId, spans, isTaken, rejectedSpans, answer, next }: Answer): object {
  const { name, profile, content } = destination;
  return {
    name,
    profile,
    url: shownUrl(destination),
    content,
    traceId,
    spans,
    taken: isTaken,
    rejectedSpans,
    answer: answer ?? null,
    next: next ?? null,
  };
}
