// A session whose transcript is gone → a transcript of its prompts in a private folder, for the page to read.
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { listDeleted, readDeleted } from '../../../library/deleted/index.ts';
import { writeNewFile } from '../../../store/index.ts';
import { recoveredTranscript } from '../../../surgery/recover/index.ts';

/** `undefined` if nothing is left of it. Sub-agents that are left come with it. */
export async function recoverFile(main: string, folder: string, roots: readonly string[]): Promise<string | undefined> {
  const session = listDeleted({ roots }).sessions.find((each) => each.path === main);
  if (session === undefined) return undefined;
  const contents = readDeleted(session, { roots });
  const project = path.join(folder, 'projects', session.project || 'project');
  await mkdir(project, { recursive: true, mode: 0o700 });
  const file = path.join(project, `${session.id}.jsonl`);
  await writeNewFile(file, recoveredTranscript(contents));
  const agents = path.join(project, session.id, 'subagents');
  if (contents.agents.length > 0) await mkdir(agents, { recursive: true, mode: 0o700 });
  for (const { path: agent } of contents.agents) await copyFile(agent, path.join(agents, path.basename(agent)));
  return file;
}
