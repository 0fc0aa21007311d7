// A line of a transcript → the branch and turn under which `clew show` shows it, and what heads the hits of its session.
// Only the whole session shows this, so it is kept in the index with the state of the files that it was made from: a hit
// in a session that has not changed since reads one row.
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { version } from '../../base/version/index.ts';
import type { Database, Row, SqlValue } from '../index/index.ts';
import type { Place, PlaceTable, SessionPlaces } from './place-table.ts';

/** A session of the index, and the transcripts of it that something was found in. */
export interface PlacedFiles {
  readonly session: { readonly id: number; readonly path: string };
  readonly hits: readonly { readonly path: string }[];
}

/** `undefined` if they must be made first. */
export function knownPlaces(database: Database, found: PlacedFiles): SessionPlaces | undefined {
  return readPlaces(database, placesKey(database, found));
}

/** `undefined`: no transcript of the session can be loaded. */
export async function openPlaces(database: Database, found: PlacedFiles): Promise<SessionPlaces | undefined> {
  const key = placesKey(database, found);
  const known = readPlaces(database, key);
  if (known !== undefined) return known;
  const { makePlaces } = await import('./make-places.ts');
  const table = await makePlaces(database, key.path);
  if (table === undefined) return undefined;
  savePlaces(database, [{ ...key, table }]);
  return placesIn(key.path, table);
}

interface PlacesKey {
  /** What `clew show` opens. */
  readonly path: string;
  readonly state: string;
}

function placesKey(database: Database, { session, hits }: PlacedFiles): PlacesKey {
  const file = existsSync(session.path) ? session.path : (hits[0]?.path ?? session.path);
  return { path: file, state: placesState(database, session.id, file) };
}

function readPlaces(database: Database, { path: file, state }: PlacesKey): SessionPlaces | undefined {
  const known = database
    .prepare('SELECT title, tag, forked_from, places FROM places WHERE path = ? AND state = ?')
    .get(file, state);
  return known === undefined ? undefined : placesIn(file, tableOfRow(known));
}

interface SavedPlaces extends PlacesKey {
  readonly table: PlaceTable;
}

function savePlaces(database: Database, saved: readonly SavedPlaces[]): void {
  database.transaction(() => {
    const save = database.prepare('INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?, ?, ?)');
    for (const { path: file, state, table } of saved) {
      const { title = null, tag = null, forkedFrom = null, lines, agents } = table;
      save.run(file, state, title, tag, forkedFrom, JSON.stringify({ lines, agents }));
    }
  });
}

function tableOfRow(row: Row): PlaceTable {
  const { lines, agents } = JSON.parse(String(row.places)) as Pick<PlaceTable, 'lines' | 'agents'>; // written by us
  return { title: text(row.title), tag: text(row.tag), forkedFrom: text(row.forked_from), lines, agents };
}

function text(value: SqlValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function placesIn(file: string, { title, tag, forkedFrom, lines, agents }: PlaceTable): SessionPlaces {
  return {
    path: file,
    title,
    tag,
    forkedFrom,
    placeOf: (of, line) => {
      if (of !== file) return placeOf(Object.hasOwn(agents, of) ? agents[of] : undefined, 0);
      let at = -1;
      for (let low = 0, high = lines.length / 3 - 1; low <= high; ) {
        const middle = (low + high) >> 1;
        if ((lines[3 * middle] as number) <= line) {
          at = middle;
          low = middle + 1;
        } else high = middle - 1;
      }
      return placeOf(at < 0 ? undefined : lines, 3 * at + 1);
    },
  };
}

function placeOf(numbers: readonly number[] | undefined, at: number): Place {
  return { turn: numbers?.[at] || undefined, branch: numbers?.[at + 1] || undefined };
}

/** What the places of a session depend on: its files as the index knows them, and those that no row of it shows. */
function placesState(database: Database, session: number, file: string): string {
  const files = database
    .prepare('SELECT id, dev, ino, size, mtime_ms, offset FROM files WHERE session = ? ORDER BY id')
    .all(session)
    .map(({ id, dev, ino, size, mtime_ms: mtimeMs, offset }) => [id, dev, ino, size, mtimeMs, offset].join(' '));
  return [version, ...files, ...sideState(file)].join('\n');
}

/** A given title, and the files that name the call of a sub-agent. */
function sideState(file: string): readonly string[] {
  const folder = file.slice(0, -path.extname(file).length);
  if (changedAt(folder) === undefined) return [];
  const agents = path.join(folder, 'subagents');
  const metas = namesIn(agents).map((name) => `${name} ${changedAt(path.join(agents, name))}`);
  return [String(changedAt(path.join(folder, 'custom-title.json'))), ...metas];
}

function namesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { recursive: true }) as string[]; // strings, as no encoding is given
    return names.filter((name) => name.endsWith('.meta.json') || name.endsWith('.jsonl')).sort();
  } catch {
    return []; // there are no sub-agents
  }
}

function changedAt(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return undefined; // what cannot be read is not used
  }
}
