// clew replay SESSION: serves the recorded messages of a session as a model until it is stopped, and prints each
// message it served and how the request differed from the recording.
import {
  type Mismatch,
  mismatchText,
  type ReplayCounts,
  type ReplayServer,
  type Served,
  startReplayServer,
} from '../../api/server/index.ts';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { AsyncQueue } from '../../base/process/index.ts';
import { counted, oneLine } from '../../base/text/index.ts';
import { type CommandInput, portFlag, textFlag } from '../command/index.ts';
import { loadSessionArgument } from '../input/index.ts';
import { clockTime } from '../render/index.ts';
import { createStop, proseWidth, writeOut } from '../terminal/index.ts';

export async function run(input: CommandInput): Promise<number> {
  const { flags, io } = input;
  const speed = choice(input, 'speed', ['fast', 'real']);
  const onMismatch = choice(input, 'on-mismatch', ['nearest', 'error']);
  const session = await loadSessionArgument(input);
  const lines = new AsyncQueue<string>();
  const isJson = flags.json === true;
  const width = proseWidth(io.stdout, io.env);
  const server = await startReplayServer(session, {
    port: portFlag(flags),
    speed,
    onMismatch,
    onServed: (served) => lines.push(isJson ? `${jsonText(servedJson(served))}\n` : servedText(served, width)),
  });
  const { signal, listen, stop, dispose } = createStop();
  listen();
  lines.push(isJson ? `${jsonText(listeningJson(session.id, server))}\n` : listeningText(server));
  const output = writeOut(lines, io).finally(stop);
  output.catch(() => {}); // awaited below, after the server is closed
  try {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  } finally {
    await server.close();
    lines.push(isJson ? `${jsonText({ event: 'end', ...server.counts })}\n` : endText(server.counts));
    lines.end();
    dispose();
  }
  await output;
  return onMismatch === 'error' && server.counts.mismatches > 0 ? exitCodes.failed : exitCodes.ok;
}

/** The first value is the default. */
function choice<T extends string>({ flags }: CommandInput, name: string, values: readonly [T, ...T[]]): T {
  const given = textFlag(flags, name) ?? values[0];
  const found = values.find((value) => value === given);
  if (found === undefined)
    throw new UserError(`--${name} takes ${values.join(' or ')}, not "${given}"`, `for example --${name} ${values[0]}`);
  return found;
}

function listeningText({ url, apiKey, messages, agentMessages }: ReplayServer): string {
  const agents = agentMessages === 0 ? '' : ` and ${agentMessages} of its sub-agents`;
  return [
    `replaying ${counted(messages, 'message')}${agents} at ${url}; press Ctrl-C to stop`,
    `  ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=${apiKey} claude -p "the first prompt"`,
    '  its tools really run, with the recorded inputs: use a folder that may change\n',
  ].join('\n');
}

function servedText(served: Served, width: number): string {
  const { kind, agentId, message, of, tools, text, mismatches } = served;
  const who = agentId === undefined ? '' : ` ↳ ${agentId}`;
  const place = message === undefined ? kind : `${message}/${of}`;
  const what = [...(tools.length === 0 ? [] : [tools.join(', ')]), ...(text === '' ? [] : [`"${text}"`])].join('  ');
  const line = oneLine(`${clockTime(Date.now())} ${place}${who} ${what}`, width);
  return [line, ...mismatches.map((mismatch) => `  ${oneLine(mismatchText(mismatch), 4 * width)}`), ''].join('\n');
}

function endText({ messages, side, mismatches }: ReplayCounts): string {
  const differing = mismatches === 0 ? 'no mismatch' : counted(mismatches, 'mismatch', 'mismatches');
  return `served ${counted(messages, 'message')}, ${counted(side, 'side answer')}; ${differing}\n`;
}

function listeningJson(sessionId: string, { url, port, apiKey, messages, agentMessages }: ReplayServer): object {
  return { event: 'listening', sessionId, url, port, apiKey, messages, agentMessages };
}

function servedJson(served: Served): object {
  const { request, kind, agentId, message, of, tools, text, mismatches } = served;
  const place = { agentId: agentId ?? null, message: message ?? null, of };
  return { event: 'served', request, kind, ...place, tools, text, mismatches: mismatches.map(mismatchJson) };
}

function mismatchJson({ kind, what, recorded, sent }: Mismatch): object {
  return { kind, what, recorded, sent };
}
