// clew history [SESSION]: the operations on sessions, newest first.
import path from 'node:path';
import { jsonText } from '../../base/json/index.ts';
import { isUuid, neutralise, padEnd } from '../../base/text/index.ts';
import { type OperationRecord, operationsFolder, readRecords } from '../../surgery/journal/index.ts';
import type { CommandInput } from '../command/index.ts';
import { findNamedSession } from '../input/index.ts';
import { localTime, shortOperation } from '../render/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';

export async function run(input: CommandInput): Promise<void> {
  const { argument, flags, io } = input;
  const operations = operationsFolder(io.env);
  const all = await readRecords(operations);
  const records = argument === undefined ? all : lineageOf(all, await sessionIdOf(input, argument));
  if (flags.json === true) return writeOut([`${jsonText(jsonOf(operations, records), 2)}\n`], io);
  if (records.length === 0)
    return writeNotice(
      io.stderr,
      all.length === 0
        ? 'no operations yet; commands such as `clew fork` and `clew strip` add one'
        : `no operation on "${argument}"; \`clew history\` lists all operations`,
    );
  await writeOut(
    records.map((record) => neutralise(rowOf(record))),
    io,
  );
}

/** A deleted session still has a history. */
async function sessionIdOf(input: CommandInput, argument: string): Promise<string> {
  try {
    return path.basename(await findNamedSession(argument, input), '.jsonl');
  } catch {
    return argument;
  }
}

/** The operations on a session, its ancestors and its descendants. */
function lineageOf(records: readonly OperationRecord[], id: string): readonly OperationRecord[] {
  const idsOf = ({ from, to }: OperationRecord): readonly string[] =>
    [...from, ...to].map(({ sessionId }) => sessionId);
  const family = new Set(records.flatMap(idsOf).filter((each) => each.startsWith(id)));
  const related = new Set<OperationRecord>();
  for (let size = -1; size !== related.size; ) {
    size = related.size;
    for (const record of records) {
      if (related.has(record) || !idsOf(record).some((each) => family.has(each))) continue;
      related.add(record);
      for (const each of idsOf(record)) family.add(each);
    }
  }
  return records.filter((record) => related.has(record));
}

function rowOf(record: OperationRecord): string {
  const { id, at, operation, words, from, to, state } = record;
  const isInPlace = to.length > 0 && from.length > 0 && from.every(({ path: file }, i) => file === to[i]?.path);
  const sources = idsText(from, ' + ');
  const results = idsText(to, ', ');
  const target = sources === results && results !== '' ? path.basename(path.dirname(to[0]?.path ?? '')) : results;
  const way = isInPlace ? `${sources} in place` : [sources, target].filter((ids) => ids !== '').join(' → ');
  const mark = state === 'done' ? '' : `  (${shownState(state)})`;
  const call = [operation, ...words.map((word) => (isUuid(word) ? word.slice(0, 8) : word))].join(' ');
  return `${shortOperation(id)}  ${localTime(Date.parse(at))}  ${padEnd(call, 24)}  ${way}${mark}\n`;
}

/** `begun`: another process works on it, or it was killed and could not be settled. */
function shownState(state: OperationRecord['state']): string {
  return state === 'prepared' || state === 'applying' ? 'begun' : state;
}

function idsText(places: OperationRecord['to'], joint: string): string {
  const ids = places.map(({ sessionId }) => sessionId.slice(0, 8));
  return ids.length > 3 ? `${ids[0]} and ${ids.length - 1} more` : ids.join(joint);
}

function jsonOf(operations: string, records: readonly OperationRecord[]): readonly object[] {
  return records.map(({ id, operation, words, at, state, from, to, files }) => {
    const changes = files.map(({ path: file, kind, backup }) => ({
      path: file,
      kind,
      backup: backup === undefined ? null : path.join(operations, id, backup),
    }));
    return { id, operation, words, at, state: shownState(state), from, to, files: changes };
  });
}
