// What the tests of the archive share: libraries to archive, forks of sessions, and trees of files to compare.
import { chmodSync, cpSync, lstatSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readContents } from '../../src/library/archive/pack/contents.ts';
import { contentKey } from '../../src/library/archive/pack/manifest.ts';
import { agentIdOf } from '../../src/store/session-files.ts';
import { corpusFolder } from './corpus.ts';
import { filesBelow } from './paths.ts';

/** A writable copy of the corpora. */
export function copyCorpora(folder: string): string {
  const target = path.join(folder, 'corpus');
  cpSync(path.join(corpusFolder, 'corpus'), target, { recursive: true, preserveTimestamps: true });
  for (const file of filesBelow(target, '')) if (!lstatSync(file).isSymbolicLink()) chmodSync(file, 0o755);
  for (const file of filesBelow(target, '.jsonl')) chmodSync(file, 0o600);
  return target;
}

/** Every transcript below a folder that is a session's main one. */
export function mainTranscripts(folder: string): { readonly path: string }[] {
  return filesBelow(folder, '.jsonl')
    .filter((file) => agentIdOf(file) === undefined && !file.includes(`${path.sep}subagents${path.sep}`))
    .map((file) => ({ path: file }));
}

/** Every file with its bytes, mode and time. */
export function snapshot(folder: string): Map<string, readonly [bytes: string, mode: number, mtimeMs: number]> {
  const files = filesBelow(folder, '').filter((file) => statSync(file).isFile());
  return new Map(
    files.map((file) => {
      const { mode, mtimeMs } = statSync(file);
      return [path.relative(folder, file), [readFileSync(file, 'latin1'), mode & 0o777, Math.round(mtimeMs)]];
    }),
  );
}

/** Whole seconds, because the system rounds a fraction when a time is set, and then two snapshots differ. */
export function setWholeTimes(folder: string): void {
  for (const file of filesBelow(folder, '')) utimesSync(file, 1_700_000_000, 1_700_000_000);
}

/** The content of an archive: for each session its copies, without their times. */
export function holdings(archive: string): Record<string, readonly string[]> {
  const sessions = [...readContents(archive).sessions.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return Object.fromEntries(sessions.map(({ key, versions }) => [key, versions.map(contentKey)]));
}

/** Like `--fork-session`: the same lines with another session id. */
export function forkByClient(main: string, newId: string): void {
  const oldId = path.basename(main, '.jsonl');
  writeFileSync(forkPath(main, newId), readFileSync(main, 'latin1').replaceAll(oldId, newId), 'latin1');
}

/** Like the SDK: new uuids and matching parents, another session id, and the source of every line. */
export function forkBySdk(main: string, newId: string): void {
  const known = new Map<string, string>();
  const renew = (uuid: unknown): unknown => {
    if (typeof uuid !== 'string') return uuid;
    const made = known.get(uuid) ?? randomUuid();
    known.set(uuid, made);
    return made;
  };
  const lines = readFileSync(main, 'utf8').split('\n');
  const forked = lines.map((line) => {
    const entry = parse(line);
    if (entry === undefined) return line;
    if (typeof entry.uuid !== 'string') return JSON.stringify({ ...entry, sessionId: newId });
    const forkedFrom = { sessionId: entry.sessionId, messageUuid: entry.uuid };
    const { uuid, parentUuid } = entry;
    return JSON.stringify({ ...entry, parentUuid: renew(parentUuid), uuid: renew(uuid), sessionId: newId, forkedFrom });
  });
  writeFileSync(forkPath(main, newId), forked.join('\n'));
}

let seed = 1;

/** Deterministic, but as hard to compress as real ones. */
export function randomUuid(): string {
  const digits = Array.from({ length: 32 }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 28).toString(16);
  }).join('');
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20),
  ].join('-');
}

function forkPath(main: string, newId: string): string {
  const folder = path.dirname(main);
  mkdirSync(folder, { recursive: true });
  return path.join(folder, `${newId}.jsonl`);
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
