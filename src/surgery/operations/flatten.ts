// Finds sessions one level too deep in a project folder, where moving a folder into another one leaves them and the client
// does not find them.
import path from 'node:path';
import { isUuid } from '../../base/text/uuid.ts';
import { isRecognised } from '../../session/transcript/recognise.ts';
import { type DiskProblem, listFolder } from '../../store/folders.ts';
import { loadSource, type Source } from '../engine/source.ts';

export async function listNested(folder: string): Promise<readonly Source[]> {
  const problems: DiskProblem[] = [];
  const nested: Source[] = [];
  for (const entry of await listFolder(folder, problems)) {
    if (!entry.isDirectory()) continue;
    for (const { name } of await listFolder(path.join(folder, entry.name), problems))
      if (isSessionName(name) && isRecognised(path.join(folder, entry.name, name)))
        nested.push(await loadSource(path.join(folder, entry.name, name)));
  }
  return nested;
}

function isSessionName(name: string): boolean {
  return name.endsWith('.jsonl') && isUuid(name.slice(0, -'.jsonl'.length));
}
