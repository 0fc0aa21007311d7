// The folder of an archive → everything in it, unpacked: the files of every version, the records, and the blocks, which may
// have chunks that no version needs.
import {
  ArchiveDamaged,
  ChunkReader,
  readArchivedFile,
  readContents,
  unpackBlock,
} from '../../library/archive/pack/index.ts';

export type ArchivedContent = {
  /** The folder or pack. */
  readonly file: string;
  readonly sessionId?: string;
} & ({ read(): Iterable<Buffer> } | { readonly problem: string });

export function* archivedContents(folder: string): Generator<ArchivedContent> {
  const contents = readContents(folder);
  const reader = new ChunkReader(contents);
  const seen = new Set<string>();
  for (const { pack, message } of contents.damage) yield { file: pack, problem: message };
  for (const { pack, soundEnd } of contents.tails)
    if (soundEnd < pack.bytes)
      yield { file: pack.path, problem: 'it ends with an interrupted write, which `clew archive` removes' };
  for (const manifest of [...contents.sessions.values()].flatMap(({ versions }) => versions)) {
    const own = { file: folder, sessionId: manifest.sessionId };
    yield { ...own, read: () => [Buffer.from(JSON.stringify(manifest))] };
    for (const file of manifest.files) {
      if (seen.has(`${manifest.sessionId} ${file.sha256}`)) continue;
      seen.add(`${manifest.sessionId} ${file.sha256}`);
      yield* readable(own, () => [...readArchivedFile(reader, manifest, file)]);
    }
  }
  for (const block of contents.blocks) yield* readable({ file: block.pack }, () => [unpackBlock(block).bytes]);
}

/** What is damaged was not read. */
function* readable(
  own: Pick<ArchivedContent, 'file' | 'sessionId'>,
  read: () => readonly Buffer[],
): Generator<ArchivedContent> {
  try {
    const pieces = read();
    yield { ...own, read: () => pieces };
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    yield { ...own, problem: error.message };
  }
}
