// Roots → the sessions of which only sub-agents are left: the client deletes a main transcript by its age, and the side
// folder, or the agent files next to it, may stay. They are archived under the path that the main transcript had.
import { statSync } from 'node:fs';
import path from 'node:path';
import { ownerOf } from '../../session/load/agents.ts';
import type { FoundSession } from '../../store/discover.ts';
import { listFolder } from '../../store/folders.ts';
import { projectsFolders } from '../../store/roots.ts';
import { agentIdOf } from '../../store/session-files.ts';
import { projectNames } from '../../store/transcripts.ts';
import { sessionPaths } from '../session-files/session-paths.ts';

/** `path` is where the main transcript was. */
export interface OrphanSession extends FoundSession {
  /** The transcript of its first sub-agent. */
  readonly agentPath: string;
}

/** Finds the sessions of which only sub-agents are left, as `discoverSessions` finds the others. */
export async function findOrphans(roots: readonly string[]): Promise<readonly OrphanSession[]> {
  const orphans: OrphanSession[] = [];
  for (const { root, projects } of projectsFolders(roots)) {
    for (const slug of projectNames(projects).names) {
      const folder = path.join(projects, slug);
      for (const sessionId of await orphansIn(folder)) {
        const main = path.join(folder, `${sessionId}.jsonl`);
        const { files } = await sessionPaths(main, []);
        const agentPath = files.find(({ name }) => agentIdOf(name) !== undefined)?.path;
        if (agentPath === undefined) continue;
        const sizeBytes = files.reduce((sum, { stats }) => sum + stats.size, 0);
        const mtimeMs = files.reduce((newest, { stats }) => Math.max(newest, stats.mtimeMs), 0);
        orphans.push({ path: main, sessionId, slug, root, sizeBytes, mtimeMs, agentPath });
      }
    }
  }
  return orphans;
}

async function orphansIn(folder: string): Promise<readonly string[]> {
  const entries = await listFolder(folder, []);
  const names = new Set(entries.map(({ name }) => name));
  const ids = new Set<string>();
  for (const entry of entries) {
    const id = entry.isDirectory() ? entry.name : ownerOfFlat(path.join(folder, entry.name));
    // The id of a flat agent comes from its lines: it must not name another folder.
    if (id !== undefined && /^[\w-]+$/.test(id) && !names.has(`${id}.jsonl`)) ids.add(id);
  }
  return [...ids].sort();
}

function ownerOfFlat(file: string): string | undefined {
  if (!file.endsWith('.jsonl') || agentIdOf(file) === undefined) return undefined;
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? ownerOf(file) : undefined;
}
