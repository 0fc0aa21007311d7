// clew history [SESSION]: the operations on sessions, newest first, with what came from what.
import path from 'node:path';
import { neutralise, padEnd } from '../base/terminal-text.ts';
import { findSession } from '../store/discover.ts';
import { type OperationRecord, operationsFolder, readRecords } from '../surgery/operation-log.ts';
import type { CommandInput } from './command.ts';
import { jsonText } from './json-text.ts';
import { writeNotice } from './notice.ts';
import { rootsOf } from './session-argument.ts';
import { writeOut } from './terminal/output.ts';
import { localTime } from './wording.ts';

export async function run(input: CommandInput): Promise<void> {
  const { argument, flags, io } = input;
  const operations = operationsFolder(io.env);
  const all = await readRecords(operations);
  const records = argument === undefined ? all : lineageOf(all, await sessionIdOf(input, argument));
  if (flags.json === true)
    return writeOut(
      [
        `${jsonText(
          records.map((record) => jsonOf(operations, record)),
          2,
        )}\n`,
      ],
      io,
    );
  if (records.length === 0)
    return writeNotice(io.stderr, 'no operations yet; `clew fork`, `clew strip` and others make some');
  await writeOut(
    records.map((record) => neutralise(rowOf(record))),
    io,
  );
}

/** A session that is gone still has a history. */
async function sessionIdOf(input: CommandInput, argument: string): Promise<string> {
  try {
    return path.basename(await findSession(argument, rootsOf(input), input.io.cwd), '.jsonl');
  } catch {
    return argument;
  }
}

/** The operations on a session, on what it came from, and on what came from it. */
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
  const sources = from.map(({ sessionId }) => sessionId.slice(0, 8)).join(' + ');
  const results = to.map(({ sessionId }) => sessionId.slice(0, 8)).join(', ');
  const way = sources === results ? `${sources} in place` : `${sources} → ${results}`;
  const mark = state === 'undone' ? '  (taken back)' : '';
  return `${id}  ${localTime(Date.parse(at))}  ${padEnd([operation, ...words].join(' '), 24)}  ${way}${mark}\n`;
}

function jsonOf(operations: string, { id, operation, words, at, state, from, to, files }: OperationRecord): object {
  const changes = files.map(({ path: file, kind, backup }) => ({
    path: file,
    kind,
    backup: backup === undefined ? null : path.join(operations, id, backup),
  }));
  return { id, operation, words, at, state, from, to, files: changes };
}
