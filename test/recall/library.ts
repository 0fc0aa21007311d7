// The published transcripts of the corpus as one library: a root with a project folder for each folder that has transcripts.
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { corpusFolder } from '../support/corpus.ts';

const publicFolder = path.join(corpusFolder, 'corpus/public');

/** Copies the transcripts and side folders into `root/projects`; the name of a project says where it is from. */
export function makeRecallRoot(root: string): string {
  for (const folder of foldersWithTranscripts(publicFolder)) {
    const slug = path.relative(publicFolder, folder).replace(/[^A-Za-z0-9]+/g, '-');
    const target = path.join(root, 'projects', slug);
    mkdirSync(target, { recursive: true });
    for (const name of readdirSync(folder)) {
      const side = path.join(folder, `${name}.jsonl`);
      if (name.endsWith('.jsonl') || existsSync(side))
        cpSync(path.join(folder, name), path.join(target, name), { recursive: true });
    }
  }
  return root;
}

function* foldersWithTranscripts(folder: string): Generator<string> {
  const names = readdirSync(folder).sort();
  if (folder !== publicFolder && names.some((name) => name.endsWith('.jsonl'))) yield folder;
  for (const name of names) {
    const inner = path.join(folder, name);
    // The side folder of a session is part of it.
    if (statSync(inner).isDirectory() && !names.includes(`${name}.jsonl`)) yield* foldersWithTranscripts(inner);
  }
}
