export { ArchiveDamaged, ChunkReader, readArchivedFile, type UnpackedBlock, unpackBlock } from './chunks.ts';
export {
  type ArchiveContents,
  type ArchiveDamage,
  type ArchivedFile,
  type ArchivedSession,
  type Block,
  contentKey,
  type Manifest,
  placeKey,
  readBody,
  readContents,
  readManifest,
  totalBytes,
} from './contents.ts';
export { PackWriter } from './pack-writer.ts';
export { chunksOfGroup, GroupBuilder, readPieces, splitLine } from './pieces.ts';
export {
  bodyHash,
  codecs,
  defaultCodec,
  hashBytes,
  isCodecName,
  isRecord,
  lengthBytes,
  makeRecord,
  type PackGap,
  type PackRecord,
  readRange,
  scanPack,
} from './record.ts';
