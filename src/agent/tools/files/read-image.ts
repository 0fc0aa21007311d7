// Converts an image file to an image block. The type comes from the bytes, not the name. A PNG that is too large is
// scaled down; other formats are refused with a command that makes a smaller copy.
import type { FileHandle } from 'node:fs/promises';
import { type ImageSize, readImageSize } from '../../../api/request/index.ts';
import { formatBytes } from '../../../base/text/index.ts';
import { smallerPictureCommand } from '../../access/index.ts';
import type { ToolOutcome } from '../../contract/index.ts';
import { limits, ToolFailure } from '../shared/index.ts';
import { type FoundFile, readWhole } from './file-access.ts';
import { type ScaledPng, scalePng } from './png-scale.ts';

/** Returns `undefined` if the file is not an image. */
export async function readImage(handle: FileHandle, found: FoundFile): Promise<ToolOutcome | undefined> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  const head = buffer.subarray(0, bytesRead);
  if (!isPicture(head)) return undefined;
  const bytes = await readWhole(handle, found, limits.read.imageFileBytes);
  const size = readImageSize(bytes.toString('base64'));
  if (size === undefined)
    throw new ToolFailure(`${found.file} begins like a picture but its size cannot be read; it may be cut off.`);
  const shown = await fitImage(found.file, bytes, size);
  const base64 = shown.bytes.toString('base64');
  return {
    content: [{ type: 'image', source: { type: 'base64', data: base64, media_type: size.type } }],
    isError: false,
    stored: {
      type: 'image',
      file: {
        base64,
        type: size.type,
        originalSize: bytes.length,
        dimensions: {
          originalWidth: size.width,
          originalHeight: size.height,
          displayWidth: shown.width,
          displayHeight: shown.height,
        },
      },
    },
  };
}

const headBytes = 16;

function isPicture(head: Buffer): boolean {
  const start = head.toString('latin1');
  return (
    start.startsWith('\x89PNG\r\n\x1a\n') ||
    start.startsWith('\xff\xd8\xff') ||
    /^GIF8[79]a/.test(start) ||
    (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP')
  );
}

async function fitImage(file: string, bytes: Buffer, { type, width, height }: ImageSize): Promise<ScaledPng> {
  let picture: ScaledPng = { bytes, width, height };
  let side = Math.min(limits.read.imageSide, Math.max(width, height));
  while (!fits(picture)) {
    if (type !== 'image/png') throw new ToolFailure(describeTooLarge(file, bytes, width, height));
    const scaled = await scalePng(bytes, side);
    if ('problem' in scaled)
      throw new ToolFailure(`${describeTooLarge(file, bytes, width, height)} (${scaled.problem})`);
    picture = scaled;
    side = Math.floor(side * 0.7);
  }
  return picture;
}

function fits({ bytes, width, height }: ScaledPng): boolean {
  return (
    Math.max(width, height) <= limits.read.imageSide && Math.ceil(bytes.length / 3) * 4 <= limits.read.imageBase64Chars
  );
}

function describeTooLarge(file: string, bytes: Buffer, width: number, height: number): string {
  const { imageSide, imageBase64Chars } = limits.read;
  return `${file} is ${width}×${height} pixels and ${formatBytes(bytes.length)}; a picture may have ${imageSide} pixels a side and ${formatBytes((imageBase64Chars * 3) / 4)}. Make a smaller copy with Bash and read that: ${smallerPictureCommand(file, imageSide)}`;
}
