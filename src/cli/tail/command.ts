// clew tail: prompts, answers and calls of all sessions, or of one with its sub-agents, as they are written.
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { AsyncQueue } from '../../base/process/index.ts';
import { counted } from '../../base/text/index.ts';
import { parseTime } from '../../base/time/index.ts';
import { followRecords, type NewRecord } from '../../library/watch/index.ts';
import { projectsFolders, type TranscriptPlace, transcriptPlace } from '../../store/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { findSessionArgument, rootsOf } from '../input/index.ts';
import { createStop, proseWidth, writeNotice, writeOut } from '../terminal/index.ts';
import { tailObjects } from './json.ts';
import { patienceMs, TailText } from './render.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const since = textFlag(flags, 'since');
  const { roots, wants, isWanted } = await chosen(input);
  const { signal, listen, stop, dispose } = createStop();
  listen();
  const batches = new AsyncQueue<readonly NewRecord[]>();
  signal.addEventListener('abort', () => batches.end(), { once: true });
  try {
    const files = followRecords({
      roots,
      signal,
      wants,
      ...(since === undefined ? {} : { sinceMs: parseTime(since, '--since', false) }),
      onRecords: (records) => batches.push(records.filter(isWanted)),
      onProblem: (file, error) => writeNotice(io.stderr, `cannot read ${file}: ${String(error)}`),
      watch: { onNotice: (message) => writeNotice(io.stderr, message) },
    });
    if (flags.json !== true) writeNotice(io.stderr, `following ${counted(files, 'transcript')}; press Ctrl-C to stop`);
    await writeOut(flags.json === true ? jsonLines(batches) : textLines(batches, input), io);
  } finally {
    stop();
    dispose();
  }
}

interface Chosen {
  readonly roots: readonly string[];
  /** By path; the lines of a flat sub-agent may still belong to another session. */
  readonly wants: (place: TranscriptPlace) => boolean;
  readonly isWanted: (record: NewRecord) => boolean;
}

async function chosen(input: CommandInput): Promise<Chosen> {
  const roots = rootsOf(input);
  if (input.argument === undefined) return { roots, wants: () => true, isWanted: () => true };
  const main = await findSessionArgument(input);
  const sessionId = path.basename(main, '.jsonl');
  return {
    roots: [rootFor(main, roots)],
    wants: (place) => place.path === main || place.mainPath === main || place.mainPath === undefined,
    isWanted: ({ place, head }) => place.mainPath !== undefined || place.path === main || head.sessionId === sessionId,
  };
}

/** Only the session's own root is watched; a path may lead to another root. */
function rootFor(main: string, roots: readonly string[]): string {
  const named = transcriptPlace(main, projectsFolders(roots));
  if (named !== undefined) return named.root;
  const root = path.dirname(path.dirname(main));
  if (transcriptPlace(main, projectsFolders([root])) !== undefined) return root;
  throw new UserError(`${main} is in no folder of projects`, 'name a session below --root, as `clew ls` lists them');
}

async function* jsonLines(batches: AsyncIterable<readonly NewRecord[]>): AsyncGenerator<string> {
  for await (const records of batches) {
    for (const record of records) for (const object of tailObjects(record)) yield `${jsonText(object)}\n`;
  }
}

async function* textLines(batches: AsyncQueue<readonly NewRecord[]>, { io }: CommandInput): AsyncGenerator<string> {
  const tail = new TailText({ style: io.style, width: () => proseWidth(io.stdout, io.env) });
  for await (const records of batches) {
    yield* tail.render(records);
    // An empty batch, later, shows the calls that are still without a result.
    if (tail.hasWaiting) setTimeout(() => batches.push([]), patienceMs).unref();
  }
}
