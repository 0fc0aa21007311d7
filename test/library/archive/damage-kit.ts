// Archives for the tests of damage.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { restoreSession } from '../../../src/library/archive/restore.ts';
import { setWholeTimes, snapshot } from '../../support/archive-kit.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

export const ids: readonly string[] = [1, 2, 3].map(
  (digit) => `${String(digit).repeat(8)}-1111-4111-8111-111111111111`,
);

export interface RecordPlace {
  readonly kind: string;
  readonly offset: number;
  /** Where the body begins, and where it ends. */
  readonly header: number;
  readonly end: number;
}

export interface ArchivedSessions {
  readonly temp: string;
  readonly folder: string;
  readonly mains: readonly { readonly path: string }[];
  readonly records: readonly RecordPlace[];
  /** The file of committed sums after each of the sessions. */
  readonly commits: readonly Buffer[];
}

/** Three sessions with a side file each, archived one after the other: chunks and a session each. */
export async function threeSessions(t: TestContext): Promise<ArchivedSessions> {
  const temp = temporaryFolder(t);
  const project = path.join(temp, 'projects/-p');
  for (const id of ids) {
    const own = Array.from(
      { length: 8 },
      (_, i) => `{"type":"user","sessionId":"${id}","text":"number ${id.slice(0, 4)} says ${i}"}\n`,
    );
    const title = `{"type":"summary","summary":"number ${id.slice(0, 4)}"}\n`;
    writeTree(project, {
      [`${id}.jsonl`]: title + own.join(''),
      [`${id}/tool-results/a.txt`]: `result of ${id.slice(0, 4)}`,
    });
  }
  setWholeTimes(project);
  const folder = path.join(temp, 'archive');
  const mains = ids.map((id) => ({ path: path.join(project, `${id}.jsonl`) }));
  const commits: Buffer[] = [];
  for (const main of mains) {
    await archiveSessions([main], { folder });
    commits.push(readFileSync(path.join(folder, 'committed')));
  }
  return { temp, folder, mains, commits, records: recordsOf(readFileSync(packsOf(folder)[0] ?? '')) };
}

/** As docs/archive.md describes a pack. */
export function recordsOf(bytes: Buffer): RecordPlace[] {
  const records: RecordPlace[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const header = bytes.indexOf('\n', offset) + 1;
    const text = bytes.toString('latin1', bytes.indexOf('{', offset), header);
    const { kind, bodyBytes } = JSON.parse(text) as { kind: string; bodyBytes: number };
    records.push({ kind, offset, header, end: header + bodyBytes });
    offset = header + bodyBytes;
  }
  return records;
}

export function packsOf(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.pack'));
  return names.sort().map((name) => path.join(folder, name));
}

export async function assertAllComeBack(
  folder: string,
  temp: string,
  before: ReturnType<typeof snapshot>,
  when: string,
): Promise<void> {
  const to = path.join(temp, 'to');
  for (const id of ids) await restoreSession(id, { folder, to });
  assert.deepEqual(new Map([...snapshot(path.join(to, 'projects'))].sort()), new Map([...before].sort()), when);
  rmSync(to, { recursive: true });
}
