// The published transcripts of the corpus as one library: a root with a project folder for each folder that has transcripts.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
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

/**
 * What the lines of each exchange say, from the raw JSON, by session and the uuid of the prompt or the name of the transcript:
 * the prompt's line and what follows it up to the next line of a user that has text.
 */
export function rawExchanges(): ReadonlyMap<string, string> {
  const exchanges = new Map<string, string>();
  const add = (key: string, text: string): void => {
    exchanges.set(key, `${exchanges.get(key) ?? ''}\n${text}`);
  };
  for (const folder of foldersWithTranscripts(publicFolder)) {
    for (const file of transcriptsIn(folder)) {
      const sessions = new Set([path.basename(file, '.jsonl')]);
      let keys: string[] = [];
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        const entry = parsed(line);
        if (typeof entry?.sessionId === 'string') sessions.add(entry.sessionId);
        const text = stringsOf(entry?.message).join('\n');
        for (const session of sessions) add(`${session} ${path.basename(file)}`, text);
        if (entry?.type === 'user' && typeof entry.uuid === 'string' && hasText(entry.message))
          keys = [...sessions].map((session) => `${session} ${entry.uuid}`);
        for (const key of keys) add(key, text);
      }
    }
  }
  return exchanges;
}

function transcriptsIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true }) as string[]; // strings, as no encoding is given
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => path.join(folder, name));
}

type Entry = Readonly<Record<string, unknown>>;

function parsed(line: string): Entry | undefined {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined; // a damaged line of a published file
  }
}

function hasText(message: unknown): boolean {
  const content = (message as Entry | undefined)?.content;
  return typeof content === 'string' || (Array.isArray(content) && content.some(({ type }) => type === 'text'));
}

function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
