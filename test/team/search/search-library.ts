// The transcripts of the corpus as one library, without those in which a push would replace a secret: of the others the store
// has the same text as the disk.
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { makeRuleSet, Placeholders, redactText } from '../../../src/surgery/secrets/index.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { filesBelow } from '../../support/paths.ts';

/** Returns how many transcripts are in it. */
export function makeSearchLibrary(root: string): number {
  const all = filesBelow(path.join(corpusFolder, 'corpus'), '.jsonl');
  const mains = all.filter((file) => !file.includes(`${path.sep}subagents${path.sep}`));
  const folders = [...new Set(mains.map((file) => path.dirname(file)))].sort();
  let count = 0;
  for (const [i, folder] of folders.entries()) {
    const target = path.join(root, 'projects', `-home-dev-p${i}`);
    mkdirSync(target, { recursive: true });
    const own = mains.filter((each) => path.dirname(each) === folder);
    for (const file of own) {
      if (isOrphan(file, own)) continue;
      const agents = path.join(folder, path.basename(file, '.jsonl'), 'subagents');
      const files = [file, ...(existsSync(agents) ? filesBelow(agents, '.jsonl') : [])];
      if (!files.every(hasNoSecret)) continue;
      for (const each of files) {
        const to = path.join(target, path.relative(folder, each));
        cpSync(each, to, { preserveTimestamps: true });
        count++;
      }
    }
  }
  return count;
}

/**
 * A sub-agent's transcript in the old layout, whose session is gone: its turns are those of its own transcript for the first
 * hit and none for others, which depends on the query.
 */
function isOrphan(file: string, files: readonly string[]): boolean {
  if (!path.basename(file).startsWith('agent-')) return false;
  const [, session] = readFileSync(file, 'utf8').match(/"sessionId":"([^"]*)"/) ?? [];
  return !files.includes(path.join(path.dirname(file), `${session}.jsonl`));
}

function hasNoSecret(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  return redactText(text, new Placeholders(), makeRuleSet()).text === text;
}
