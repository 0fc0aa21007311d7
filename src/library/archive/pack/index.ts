export { ArchiveDamaged, ChunkReader, readArchivedFile, type UnpackedBlock, unpackBlock } from './chunks.ts';
export {
  type Committed,
  type CommittedCopy,
  type CommittedPack,
  committedName,
  noPacks,
  type PackState,
  sumUpTo,
  writeCommitted,
} from './committed.ts';
export {
  type ArchiveContents,
  type ArchiveDamage,
  type ArchivedSession,
  isLost,
  type LostCopy,
  type PackTail,
  readContents,
} from './contents.ts';
export {
  type ArchivedFile,
  contentHash,
  contentKey,
  type Manifest,
  placeKey,
  readManifest,
  serialiseManifest,
  totalBytes,
} from './manifest.ts';
export { PackWriter } from './pack-writer.ts';
export type { KnownPack, ScannedPack } from './packs.ts';
export { chunksOfGroup, GroupBuilder, readPieces, splitLine } from './pieces.ts';
export {
  type Block,
  bodyHash,
  codecs,
  defaultCodec,
  endOf,
  hashBytes,
  isCodecName,
  isRecord,
  lengthBytes,
  makeRecord,
  type PackGap,
  type PackRecord,
  readBody,
  readRange,
  scanPack,
} from './record.ts';
