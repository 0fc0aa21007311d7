// Finds the transcript to continue, as the client does: the newest of the folder by the times of its lines, or by id,
// id prefix, path or title.
import { statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { realPath } from '../../base/files/index.ts';
import { asString } from '../../base/json/index.ts';
import { isUuid } from '../../base/text/index.ts';
import { openLibrary } from '../../library/index.ts';
import { isMessage, loadReadable, refuseOtherFile } from '../../session/transcript/index.ts';
import {
  agentIdOf,
  encodeSlug,
  findSession,
  listFolder,
  projectsFolder,
  slugsFor,
  stateFolder,
} from '../../store/index.ts';

export interface SessionPlace {
  readonly root: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The path of a transcript in this folder. */
export function transcriptFor({ root, cwd }: SessionPlace, sessionId: string): string {
  return path.join(projectsFolder(root), encodeSlug(cwd), `${sessionId}.jsonl`);
}

/** A new session id must not exist anywhere below the root. */
export async function refuseKnownId({ root }: SessionPlace, sessionId: string): Promise<void> {
  if (!isUuid(sessionId)) throw new UserError(`"${sessionId}" is not a session id`, 'use a UUID');
  const name = `${sessionId}.jsonl`;
  for (const folder of await listFolder(projectsFolder(root), [])) {
    const file = path.join(projectsFolder(root), folder.name, name);
    if (statSync(file, { throwIfNoEntry: false }) !== undefined)
      throw new UserError(`session ${sessionId} already exists`, `resume it with --resume ${sessionId}`);
  }
}

/** The session with the newest line, if there is any. Sessions of programs count only if there are no others. */
export async function findNewest(place: SessionPlace): Promise<string | undefined> {
  const projects = projectsFolder(place.root);
  const slugs = new Set([place.cwd, realPath(place.cwd)].flatMap(slugsFor));
  const files: { readonly file: string; readonly mtimeMs: number }[] = [];
  for (const slug of slugs) {
    const folder = path.join(projects, slug);
    for (const { name } of await listFolder(folder, [])) {
      if (!name.endsWith('.jsonl') || agentIdOf(name) !== undefined) continue;
      const file = path.join(folder, name);
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats?.isFile() === true) files.push({ file, mtimeMs: stats.mtimeMs });
    }
  }
  files.sort((a, b) => b.mtimeMs - a.mtimeMs);
  const newest = { typed: none, run: none };
  for (const { file, mtimeMs } of files) {
    // No line is newer than its file, so older files need not be read.
    if (newest.typed.time >= mtimeMs) break;
    const found = lastLineOf(file);
    if (found === undefined) continue;
    const kind = found.isRun ? 'run' : 'typed';
    if (found.time > newest[kind].time) newest[kind] = { file, time: found.time };
  }
  return newest.typed.file ?? newest.run.file;
}

const none: { readonly file: string | undefined; readonly time: number } = { file: undefined, time: -Infinity };

function lastLineOf(file: string): { readonly time: number; readonly isRun: boolean } | undefined {
  const transcript = loadReadable(file, { withoutMessages: true });
  const said = transcript.nodes.filter((node) => isMessage(node) && !node.isSidechain);
  const [first] = said;
  if (first === undefined || transcript.foreign !== undefined) return undefined;
  const time = said.reduce((newest, node) => (node.time > newest ? node.time : newest), -Infinity);
  return { time, isRun: asString(transcript.read(first).entrypoint) === 'sdk-cli' };
}

/** By id, id prefix or path; otherwise by title. */
export async function findNamed(place: SessionPlace, wanted: string): Promise<string> {
  try {
    const found = await findSession(wanted, [place.root], place.cwd);
    refuseOtherFile(found, { roots: [place.root] });
    return found;
  } catch (error) {
    const titled = error instanceof UserError ? await findTitled(place, wanted) : undefined;
    if (titled === undefined) throw error;
    return titled;
  }
}

async function findTitled({ root, env }: SessionPlace, wanted: string): Promise<string | undefined> {
  const title = wanted.replace(/\s+/g, ' ').trim().toLowerCase();
  if (title === '') return undefined;
  const library = openLibrary({ roots: [root], state: stateFolder(env) });
  try {
    library.update({ withoutText: true });
    const { sessions } = await library.sessions();
    const found = sessions.filter((session) => session.title?.toLowerCase() === title);
    if (found.length > 1) {
      const ids = found.map(({ sessionId }) => sessionId).slice(0, 5);
      throw new UserError(`"${wanted}" is the title of ${found.length} sessions: ${ids.join(', ')}`, 'give the id');
    }
    return found[0]?.path;
  } finally {
    library.close();
  }
}
