// clew trace explain SESSION: prints the span tree that would be sent. Nothing is sent or written.
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { neutralise } from '../../base/text/index.ts';
import { type ExplainedSpan, explainJson, explainLines, sessionSpans } from '../../trace/spans/index.ts';
import type { CommandInput } from '../command/index.ts';
import { findSessionArgument } from '../input/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';
import { traceConfigOf } from './trace-config.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  if (input.argument === undefined)
    throw new UserError('clew trace explain needs a session', 'run `clew ls` to list the sessions');
  const file = await findSessionArgument(input);
  const { strictSeed } = traceConfigOf(input);
  const spans = await sessionSpans(file, { strictSeed });
  if (spans.length === 0) writeNotice(io.stderr, 'nothing would be sent: no prompt of this session has an answer');
  const chunks =
    flags.json === true
      ? [`${jsonText(withNulls(explainJson(spans)), 2)}\n`]
      : explainLines(spans).map((line) => `${neutralise(line)}\n`);
  await writeOut(chunks, { ...io, pager: flags.json !== true });
}

/** JSON output has every field. */
function withNulls(spans: readonly ExplainedSpan[]): readonly object[] {
  return spans.map(({ children, usage, ...span }) => ({
    ...nulled(span),
    usage: usage === undefined ? null : nulled(usage),
    children: withNulls(children),
  }));
}

function nulled(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, each ?? null]));
}
