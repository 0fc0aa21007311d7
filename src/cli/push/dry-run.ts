// clew push --dry-run: what would leave this machine, session by session. Nothing is sent, not even a question to the store, so
// the bounds of its administrator are those of the last push.
import { jsonText } from '../../base/json/index.ts';
import { counted, formatBytes, formatCount, neutralise } from '../../base/text/index.ts';
import { levelName, type SessionRows } from '../../team/contract/index.ts';
import { copiesOf } from '../../team/database/index.ts';
import { collectPlanned, type PlannedRemoval, planDryRun } from '../../team/push/index.ts';
import type { CommandInput } from '../command/index.ts';
import { writeOut } from '../terminal/index.ts';
import { type PushPlace, withLocalSessions } from './push-once.ts';

export function dryRun(input: CommandInput, place: PushPlace): Promise<number> {
  return withLocalSessions(input, place, async (local) => {
    const plan = planDryRun(local);
    const rows = async function* (): AsyncGenerator<SessionRows> {
      for (const planned of plan.collect) yield await collectPlanned(planned, local.context);
    };
    const isJson = input.flags.json === true;
    await writeOut(isJson ? jsonOf(rows(), plan.remove) : dryRunText(rows(), plan.remove, plan.unchanged), input.io);
    return 0;
  });
}

/** One session at a time: the rows of all of them may be larger than the memory. */
async function* jsonOf(all: AsyncIterable<SessionRows>, removals: readonly PlannedRemoval[]): AsyncGenerator<string> {
  yield '{"push":[';
  let isFirst = true;
  for await (const rows of all) {
    const packs = rows.packs.map(({ data, ...row }) => ({ ...row, data: Buffer.from(data).toString('base64') }));
    yield `${isFirst ? '\n' : ',\n'}${jsonText({ ...rows, packs })}`;
    isFirst = false;
  }
  yield `\n],"remove":${jsonText(removals.map(removalJson))}}\n`;
}

function removalJson({ entry, reason, kept }: PlannedRemoval): object {
  return { sessionId: entry.sessionId, path: entry.path, reason, level: levelName(kept) ?? 'none' };
}

async function* dryRunText(
  all: AsyncIterable<SessionRows>,
  removals: readonly PlannedRemoval[],
  unchanged: number,
): AsyncGenerator<string> {
  let [sessions, bytes] = [0, 0];
  for await (const rows of all) {
    const tables = copiesOf(rows, 0, 0).map(({ table, lines }) => ({ table, ...measure(lines) }));
    const size = tables.reduce((sum, table) => sum + table.bytes, 0);
    const counts = tables.map(({ table, rows: count }) => `${table} ${formatCount(count)}`);
    const level = levelName(rows.head.level) ?? 'none';
    yield neutralise(
      `${rows.head.sessionId}  ${level}  ${formatBytes(size)}  ${['sessions 1', ...counts].join(', ')}\n`,
    );
    sessions++;
    bytes += size;
  }
  for (const { entry, reason, kept } of removals)
    yield neutralise(`${entry.sessionId}  ${reason}: the store would keep ${levelName(kept) ?? 'nothing'}\n`);
  yield `would push ${counted(sessions, 'session')} (${formatBytes(bytes)}) and remove ${formatCount(removals.length)}; ${formatCount(unchanged)} unchanged\n`;
}

function measure(lines: Iterable<string>): { readonly rows: number; readonly bytes: number } {
  let [rows, bytes] = [0, 0];
  for (const line of lines) {
    rows++;
    bytes += Buffer.byteLength(line);
  }
  return { rows, bytes };
}
