// An archived session → its title, by the same order as in lists: what the user called it, the client's title, a summary,
// the last prompt, the first one. Only lines that can hold one are parsed.
import { asObject, asString, type JsonObject, parseJson } from '../../base/json/index.ts';
import { type ArchiveContents, ArchiveDamaged, ChunkReader, type Manifest, readArchivedFile } from './pack/index.ts';
import { archivedPrompt } from './restore.ts';

/** `undefined` if no line has one, or the bytes are damaged. */
export function archivedTitle(contents: ArchiveContents, manifest: Manifest): string | undefined {
  const [main] = manifest.files;
  if (main === undefined) return undefined;
  const found = new Map<string, string>();
  try {
    for (const line of readArchivedFile(new ChunkReader(contents), manifest, main)) {
      if (line.length > longestLine || !markers.some((marker) => line.subarray(0, headBytes).includes(marker)))
        continue;
      const entry = asObject(parseJson(line.toString('utf8')));
      const type = asString(entry?.type) ?? '';
      const title = entry === undefined ? undefined : titleIn(type, entry);
      if (title !== undefined) found.set(type, title);
    }
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    return undefined;
  }
  for (const type of Object.keys(fields)) if (found.has(type)) return found.get(type);
  return archivedPrompt(contents, manifest);
}

/** By precedence. */
const fields: Readonly<Record<string, string>> = {
  'custom-title': 'customTitle',
  'ai-title': 'aiTitle',
  summary: 'summary',
  'last-prompt': 'lastPrompt',
};
const markers = Object.keys(fields).map((type) => `"${type}"`);
/** The type of such a line is at its start, and the line is short. */
const headBytes = 200;
const longestLine = 64 * 1024;

function titleIn(type: string, entry: JsonObject): string | undefined {
  const field = fields[type];
  const text = field === undefined ? undefined : asString(entry[field])?.trim();
  if (text === undefined || text === '') return undefined;
  // What the client noted for its tasks and other sessions: nobody typed it.
  return type === 'last-prompt' && text.startsWith('<') ? undefined : text;
}
