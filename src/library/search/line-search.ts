// A transcript and a text → the lines that may say it, found in the bytes of the file. Nothing is decoded here: whoever
// gets a line decides whether it really says it.
import { closeSync, readSync } from 'node:fs';
import { ByteSearch } from '../../base/bytes/index.ts';
import { openRegularFile } from '../../base/files/index.ts';

export interface FoundLine {
  /** Of its first byte in the file. */
  readonly offset: number;
  /** Without the newline, if all of it is in memory. Valid until the next line is asked for. */
  readonly bytes: Buffer | undefined;
}

const bufferBytes = 1024 * 1024;

export class LineSearch {
  /** Bytes of transcripts that were read. */
  bytesRead = 0;
  readonly #bytes: ByteSearch;

  /** `text`: what the lines must hold, in a form that JSON need not escape. */
  constructor(text: string, bufferSize: number = bufferBytes) {
    this.#bytes = new ByteSearch(text, bufferSize);
  }

  /** The lines of the first `endOffset` bytes of a file, in their order. */
  *linesOf(file: string, endOffset: number): Generator<FoundLine> {
    const descriptor = openRegularFile(file);
    try {
      yield* this.#search(descriptor, endOffset);
    } finally {
      closeSync(descriptor);
    }
  }

  *#search(descriptor: number, endOffset: number): Generator<FoundLine> {
    const { buffer, overlap } = this.#bytes;
    // In the file: the first byte of the buffer, the line that it is in, and the line that was found last.
    let start = 0;
    let lineOffset = 0;
    let foundOffset = -1;
    // The line that was found last does not end in the buffer.
    let isOpen = false;
    let kept = 0;
    for (;;) {
      const room = Math.min(buffer.length - kept, endOffset - start - kept);
      const got = room <= 0 ? 0 : readSync(descriptor, buffer, kept, room, start + kept);
      if (got === 0) return;
      this.bytesRead += got;
      const end = kept + got;
      let at: number = isOpen ? this.#bytes.nextNewline(kept, end) : 0;
      if (at < end) isOpen = false;
      for (at = this.#bytes.find(at, end); at < end; at = this.#bytes.find(at, end)) {
        const lineStart = this.#bytes.afterLastNewline(0, at);
        const offset = lineStart < 0 ? lineOffset : start + lineStart;
        at = this.#bytes.nextNewline(at, end);
        isOpen = at === end;
        const isWhole = offset >= start && (!isOpen || start + end === endOffset);
        if (offset !== foundOffset) yield { offset, bytes: isWhole ? buffer.subarray(offset - start, at) : undefined };
        foundOffset = offset;
      }
      kept = Math.min(overlap, end);
      const lastLine = this.#bytes.afterLastNewline(0, end - kept);
      if (lastLine >= 0) lineOffset = start + lastLine;
      buffer.copyWithin(0, end - kept, end);
      start += end - kept;
    }
  }
}
