// Image blocks → references that the page can ask for: never the bytes, and never an address of somebody else.
import { decodedByteLength, readImageSize, readImageType } from '../../api/image-size.ts';
import { asString } from '../../base/json.ts';
import { type Block, isImage } from '../../format/block.ts';
import type { Node } from '../../session/node.ts';
import { firstChars, refTo } from './text.ts';
import type { ImageRef } from './view.ts';

/** `keys` lead to the list of blocks. */
export function imagesIn(blocks: readonly Block[], node: Node, ...keys: readonly (string | number)[]): ImageRef[] {
  return blocks.flatMap((block, i) => (isImage(block) ? [imageRef(block, node, [...keys, i])] : []));
}

export function imageRef(block: Block, node: Node, keys: readonly (string | number)[]): ImageRef {
  const source = isImage(block) ? block.source : undefined;
  const data = asString(source?.data) ?? '';
  const url = asString(source?.url);
  const type = readImageType(data);
  const size = type === undefined ? undefined : readImageSize(data);
  return {
    at: type === undefined ? null : refTo(node, ...keys, 'source', 'data'),
    mediaType: type ?? firstChars(asString(source?.media_type) ?? 'image', 60),
    width: size?.width ?? null,
    height: size?.height ?? null,
    sizeBytes: decodedByteLength(data),
    url: url === undefined ? null : firstChars(url, 500),
  };
}
