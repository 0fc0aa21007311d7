// clew statusline: Claude Code's status of the current session on stdin → one line with its cost, today's cost and the
// size of the context. Errors go to stderr, never to the line.
import { jsonText } from '../../base/json/index.ts';
import { type CommandInput, listFlag } from '../command/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';
import { readStatus } from './status.ts';
import { statusJson, statusText } from './status-text.ts';

export async function run({ io, flags }: CommandInput): Promise<void> {
  const { env, cwd, stderr } = io;
  const notify = (message: string): void => writeNotice(stderr, message);
  const status = readStatus({ roots: listFlag(flags, 'root'), env, cwd, notify });
  const text = flags.json === true ? jsonText(statusJson(status)) : statusText(status);
  await writeOut([`${text}\n`], io);
}
