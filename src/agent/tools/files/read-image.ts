// Converts an image file to an image block. The type comes from the bytes, not the name. An image that is too large is
// scaled down.
import type { FileHandle } from 'node:fs/promises';
import { smallerPictureCommand } from '../../access/index.ts';
import type { ToolOutcome } from '../../contract/index.ts';
import { fitImage, imageLimits, pictureNote } from '../../media/index.ts';
import { ToolFailure } from '../shared/index.ts';
import { type FoundFile, readWhole } from './file-access.ts';

/** Returns `undefined` if the file is not an image. */
export async function readImage(handle: FileHandle, found: FoundFile): Promise<ToolOutcome | undefined> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  const head = buffer.subarray(0, bytesRead);
  if (!isPicture(head)) {
    if (imageName.test(found.file)) throw new ToolFailure(describeOther(found, head));
    return undefined;
  }
  const bytes = await readWhole(handle, found, imageLimits.fileBytes);
  const picture = await fitImage(bytes);
  if (picture === undefined)
    throw new ToolFailure(`${found.file} begins like a picture but its size cannot be read; it may be cut off.`);
  if ('problem' in picture)
    throw new ToolFailure(
      `${found.file} is not shown: ${picture.problem}. Make a smaller copy with Bash and read that: ${smallerPictureCommand(found.file, imageLimits.side)}`,
    );
  const base64 = picture.bytes.toString('base64');
  const note = pictureNote(picture);
  return {
    content: [
      { type: 'image', source: { type: 'base64', data: base64, media_type: picture.type } },
      ...(note === undefined ? [] : [{ type: 'text', text: note }]),
    ],
    isError: false,
    stored: {
      type: 'image',
      file: {
        base64,
        type: picture.type,
        originalSize: bytes.length,
        dimensions: {
          originalWidth: picture.originalWidth,
          originalHeight: picture.originalHeight,
          displayWidth: picture.width,
          displayHeight: picture.height,
        },
      },
    },
  };
}

const headBytes = 16;
const imageName = /\.(?:png|jpe?g|gif|webp)$/i;

function isPicture(head: Buffer): boolean {
  const start = head.toString('latin1');
  return (
    start.startsWith('\x89PNG\r\n\x1a\n') ||
    start.startsWith('\xff\xd8\xff') ||
    /^GIF8[79]a/.test(start) ||
    (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP')
  );
}

function describeOther({ file }: FoundFile, head: Buffer): string {
  if (head.length === 0) return `${file} is empty: it has the name of a picture, but no bytes.`;
  return `${file} has the name of a picture, but its bytes are none of PNG, JPEG, GIF and WebP (it begins with ${head.subarray(0, 8).toString('hex')}). Look at it with Bash: file, or head -c 500.`;
}
