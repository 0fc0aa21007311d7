// An image file → an image that the API takes: at most 2000 pixels a side and 3.75 MB. An image that fits stays as it is;
// another one is scaled in a worker thread. Used for files, mentions, and results of servers and commands.
import { type ImageSize, readImageSize } from '../../api/request/index.ts';
import { formatBytes } from '../../base/text/index.ts';
import { runMediaJob } from './run-job.ts';

export interface FittedImage {
  readonly bytes: Buffer;
  readonly type: ImageSize['type'];
  readonly width: number;
  readonly height: number;
  readonly originalWidth: number;
  readonly originalHeight: number;
}

export interface MediaProblem {
  readonly problem: string;
}

export const imageLimits = {
  side: 2000,
  /** The API counts 5 MB of base64. */
  bytes: 3_932_160,
  /** A scaled image gets as small as this, with JPEG if need be. */
  scaledBytes: 524_288,
  /** An image with more pixels is not decoded: that takes four bytes each, several times. */
  pixels: 50_000_000,
  /** A larger file is not read. */
  fileBytes: 52_428_800,
} as const;

/** `undefined` if the bytes are not a PNG, JPEG, GIF or WebP with a readable size. */
export async function fitImage(bytes: Buffer): Promise<FittedImage | MediaProblem | undefined> {
  const size = readImageSize(bytes.toString('base64'));
  if (size === undefined) return undefined;
  const { type, width, height } = size;
  const original = { originalWidth: width, originalHeight: height };
  if (Math.max(width, height) <= imageLimits.side && bytes.length <= imageLimits.bytes)
    return { bytes, type, width, height, ...original };
  const shape = `${width}×${height} pixels and ${formatBytes(bytes.length)}`;
  if (width * height > imageLimits.pixels)
    return { problem: `it has ${shape}, and more than ${imageLimits.pixels / 1e6} million pixels are not decoded` };
  const { side, scaledBytes: maxBytes } = imageLimits;
  const scaled = await runMediaJob({ kind: 'image', bytes, type, side, maxBytes });
  if ('problem' in scaled) return { problem: `it has ${shape} and cannot be scaled: ${scaled.problem}` };
  return { ...scaled, bytes: Buffer.from(scaled.bytes), ...original };
}

/** For the model: how coordinates in a scaled image relate to the file. */
export function pictureNote({ width, height, originalWidth, originalHeight }: FittedImage): string | undefined {
  if (width === originalWidth && height === originalHeight) return undefined;
  const ratio = (originalWidth / width).toFixed(2);
  return `[Image: original ${originalWidth}x${originalHeight}, shown at ${width}x${height}. Multiply coordinates by ${ratio} to get those of the original.]`;
}
