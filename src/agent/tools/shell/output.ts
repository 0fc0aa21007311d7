// The output of a command: the beginning for the transcript, the end for the screen, and the whole in a file if it is
// longer than a result may be. Control sequences stay in the text; screens neutralise them.
import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { makeFolderSync } from '../../../base/files/index.ts';
import { limits } from '../shared/index.ts';

export class CommandOutput {
  totalBytes = 0;
  totalLines = 0;
  private readonly decoder = new StringDecoder('utf8');
  private head = '';
  private tail = '';
  private isHeadFull = false;
  private pending: Buffer[] = [];
  private fd: number | undefined;
  private isClosed = false;
  private readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  add(bytes: Buffer): void {
    this.totalBytes += bytes.length;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) this.totalLines++;
    const text = cleanText(this.decoder.write(bytes));
    if (!this.isHeadFull) this.head += text;
    this.isHeadFull ||= this.head.length > limits.bash.outputChars;
    this.tail = (this.tail + text).slice(-limits.bash.previewTailChars);
    this.store(bytes);
  }

  /** The whole output, or its first characters if it is too long. */
  get text(): string {
    return trimLines(cutWell(this.head, limits.bash.outputChars));
  }

  get isLong(): boolean {
    return this.isHeadFull;
  }

  /** The end of the output, for a screen. */
  get recent(): string {
    return this.tail.slice(-limits.bash.progressChars).toWellFormed();
  }

  /** The text for the model: everything, or both ends and the path of the file with the whole output. */
  describe(): string {
    if (!this.isLong) return this.text;
    const { previewHeadChars, previewTailChars } = limits.bash;
    const cut = this.totalBytes > limits.bash.outputFileBytes ? ' (its beginning; the rest was dropped)' : '';
    return [
      '<persisted-output>',
      `Output too large (${(this.totalBytes / 1024).toFixed(1)}KB). Full output saved to: ${this.file}${cut}`,
      '',
      `Preview (first ${previewHeadChars} characters):`,
      cutWell(this.head, previewHeadChars),
      '...',
      `(last ${previewTailChars} characters:)`,
      this.tail.toWellFormed().trimEnd(),
      '',
      'Use Read with offset and limit, or Grep, on the saved file to see the rest.',
      '</persisted-output>',
    ].join('\n');
  }

  close(): void {
    this.isClosed = true;
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  /** Kept in memory until it is long, so that a short output leaves no file. */
  private store(bytes: Buffer): void {
    if (this.isClosed || this.totalBytes - bytes.length > limits.bash.outputFileBytes) return;
    if (!this.isHeadFull) {
      this.pending.push(Buffer.from(bytes));
      return;
    }
    try {
      this.fd ??= openOutput(this.file);
      for (const piece of [...this.pending, bytes]) writeSync(this.fd, piece);
      this.pending = [];
    } catch {
      // The disk is full: the command continues, and the result still has both ends.
      this.pending = [];
    }
  }
}

export function openOutput(file: string): number {
  makeFolderSync(path.dirname(file));
  return openSync(file, 'w', 0o600);
}

/** Few programs that read JSON can handle a NUL. */
export function cleanText(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** Removes empty lines at both ends. */
export function trimLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
}

function cutWell(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, chars);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
