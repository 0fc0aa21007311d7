// A file that a prompt mentions → the blocks for the model: numbered lines, the names in a folder, or an image; and
// what was seen of it, so that an edit needs no Read call first.
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { readImageSize } from '../../api/request/image-size.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { type FileContent, readContent } from '../access/file.ts';
import { smallerPictureCommand } from '../access/smaller-picture.ts';
import type { SeenFile } from '../contract/tool.ts';

export interface Attachment {
  readonly file: string;
  readonly blocks: readonly JsonObject[];
  readonly seen?: SeenFile;
  readonly notes: readonly string[];
}

export const attachmentLimits = {
  lines: 2000,
  lineChars: 2000,
  chars: 100_000,
  /** The API refuses larger images. */
  imageBytes: 3_750_000,
  imageSide: 8000,
  /** Recommended by the API, which scales larger images down. */
  smallSide: 2000,
  names: 300,
  bytes: 10_000_000,
} as const;

/** `undefined` if nothing is at the path. `shown`: the path as it is in the prompt. */
export async function readAttachment(
  file: string,
  shown: string,
  lines: { readonly from: number; readonly to: number } | undefined,
): Promise<Attachment | undefined> {
  const content = await readContent(file, attachmentLimits.bytes);
  switch (content.kind) {
    case 'none':
      // Anything else is a word that begins with @.
      if (!['EACCES', 'EPERM', 'EIO', 'special'].includes(content.reason)) return undefined;
      return { file, blocks: [], notes: [`${shown} cannot be read (${content.reason})`] };
    case 'folder':
      return attachFolder(file, shown);
    case 'binary':
      return attachBinary(file, shown, content);
    case 'text':
      return attachText(file, shown, content, lines);
  }
}

function attachText(
  file: string,
  shown: string,
  content: Extract<FileContent, { kind: 'text' }>,
  lines: { readonly from: number; readonly to: number } | undefined,
): Attachment {
  const all = content.text.split(/\r?\n/);
  if (all.at(-1) === '') all.pop();
  const from = lines?.from ?? 1;
  const wanted = all.slice(from - 1, lines?.to ?? all.length);
  const kept: string[] = [];
  let chars = 0;
  for (const line of wanted.slice(0, attachmentLimits.lines)) {
    const text = line.length > attachmentLimits.lineChars ? `${line.slice(0, attachmentLimits.lineChars)}…` : line;
    chars += text.length;
    if (chars > attachmentLimits.chars) break;
    kept.push(`${String(from + kept.length).padStart(6)}→${text.toWellFormed()}`);
  }
  const end = from + kept.length - 1;
  const isCut = content.isCut || kept.length < wanted.length;
  const total = `${all.length}${content.isCut ? ' or more' : ''}`;
  const head = `The file ${shown}, ${kept.length === 0 ? `no lines of ${total}` : `lines ${from}-${end} of ${total}`}:`;
  const tail = isCut ? `\n[cut here: read ${file} from line ${end + 1} for the rest]` : '';
  const isPartial = isCut || kept.length < all.length;
  return {
    file,
    blocks: [{ type: 'text', text: `${head}\n${kept.join('\n')}${tail}` }],
    // A file that was not read to its end has no hash for a later edit to compare with.
    ...(content.isCut ? {} : { seen: { sha256: hashBytes(content.bytes), isPartial } }),
    notes: isCut ? [`${shown} is long: only lines ${from}-${end} were attached`] : [],
  };
}

function hashBytes(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function attachBinary(file: string, shown: string, content: Extract<FileContent, { kind: 'binary' }>): Attachment {
  const base64 = content.bytes.toString('base64');
  const image = readImageSize(base64);
  if (image === undefined) return { file, blocks: [], notes: [`${shown} is binary: not attached`] };
  const smaller = `make a smaller copy and mention that: ${smallerPictureCommand(shown, attachmentLimits.smallSide)}`;
  if (content.isCut || content.bytes.length > attachmentLimits.imageBytes)
    return { file, blocks: [], notes: [`${shown} is too large for an image: not attached; ${smaller}`] };
  const side = attachmentLimits.imageSide;
  if (Math.max(image.width, image.height) > side)
    return { file, blocks: [], notes: [`${shown} has sides over ${side} pixels: not attached; ${smaller}`] };
  return {
    file,
    blocks: [
      { type: 'text', text: `The image ${shown}:` },
      { type: 'image', source: { type: 'base64', media_type: image.type, data: base64 } },
    ],
    notes: [],
  };
}

async function attachFolder(file: string, shown: string): Promise<Attachment> {
  try {
    const entries = await readdir(file, { withFileTypes: true });
    const names = entries.map((entry) => `${entry.name.toWellFormed()}${entry.isDirectory() ? '/' : ''}`).sort();
    const more = names.length - attachmentLimits.names;
    const list = names.slice(0, attachmentLimits.names).join('\n');
    const text = `The folder ${shown}:\n${list}${more > 0 ? `\n[${more} more names]` : ''}`;
    return { file, blocks: [{ type: 'text', text }], notes: [] };
  } catch {
    return { file, blocks: [], notes: [`${shown} cannot be read`] };
  }
}
