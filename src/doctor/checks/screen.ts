// A session read by its heads → whether its content deserves a closer look. Parsing everything costs several times as
// much as reading the heads, and nearly all sessions are sound: a few searches over the bytes find the suspicious ones.

import { isUtf8 } from 'node:buffer';
import { closeSync, readSync } from 'node:fs';
import { isCutSignature } from '../../api/request/index.ts';
import { openRegularFile } from '../../base/files/index.ts';
import type { Session } from '../../session/load/index.ts';
import { bytesOf, callsOf, isMessage, type Transcript } from '../../session/transcript/index.ts';

export interface Screening {
  /** Damage inside strings, which only a reader of every byte finds. */
  readonly isDamagedInside: boolean;
  /** Something that may make the API reject the request. */
  readonly isOdd: boolean;
  /** Where lines with images begin; each is checked on its own. */
  readonly imageLines: readonly number[];
}

/** The same question for a sub-agent's transcript; its other signs do not count, since nobody resumes it. */
export function isDamagedInside(transcript: Transcript): boolean {
  return screenBytes(transcript.path, { thoughts: 0 }, bytesOf(transcript)).isDamagedInside;
}

export function screenSession(session: Session): Screening {
  const signs = signsOf(session);
  const main = screenBytes(session.transcript.path, signs, bytesOf(session.transcript));
  return {
    isDamagedInside: main.isDamagedInside,
    isOdd: main.isOdd || hasOddHeads(session),
    imageLines: main.imageLines,
  };
}

const toolName = /^[a-zA-Z0-9_-]{1,128}$/;
const toolId = /^[a-zA-Z0-9_-]+$/;
const manyBytes = 8 * 1024 * 1024;
/** The limit for sessions without a token count. */
const manyUncountedBytes = 400_000;

function hasOddHeads({ transcript }: Session): boolean {
  let bytes = 0;
  for (const node of transcript.nodes) {
    if (!isMessage(node) || node.isSidechain) continue;
    bytes += node.length;
    if (callsOf(node).some(({ id, name }) => !toolName.test(name) || !toolId.test(id))) return true;
  }
  return bytes > manyBytes || (bytes > manyUncountedBytes && !transcript.nodes.some((node) => node.message?.usage));
}

function signsOf({ transcript }: Session): ByteSigns {
  let thoughts = 0;
  for (const node of transcript.nodes) {
    thoughts += node.message?.blockTypes.filter((type) => type === 'thinking').length ?? 0;
  }
  return { thoughts };
}

// The bytes of a transcript → whether something is in them that the API may reject or a strict reader would mention.
// Searches for a few short strings, window by window; nothing is parsed.

interface ByteSigns {
  /** Thinking blocks that have to have a signature. */
  readonly thoughts: number;
}

export interface ByteScreening {
  readonly isDamagedInside: boolean;
  readonly isOdd: boolean;
  readonly imageLines: readonly number[];
}

/** `whole`: the bytes of the file, if they are in memory. */
function screenBytes(file: string, signs: ByteSigns, whole?: Buffer): ByteScreening {
  const imageLines: number[] = [];
  let [signatures, isDamagedInside, isOdd] = [0, false, false];
  for (const window of whole === undefined ? windowsOf(file) : [{ bytes: whole, offset: 0 }]) {
    if (window === 'too long') return { isDamagedInside: true, isOdd: true, imageLines };
    const { bytes, offset } = window;
    isDamagedInside ||= !isUtf8(bytes) || hasLoneEscape(bytes);
    isOdd ||= hasEmptyText(bytes);
    const found = isOdd || signs.thoughts === 0 ? 0 : countSignatures(bytes);
    if (found === 'cut') isOdd = true;
    else signatures += found;
    for (const at of linesWith(bytes, imageMark)) imageLines.push(offset + at);
  }
  return { isDamagedInside, isOdd: isOdd || signatures < signs.thoughts, imageLines };
}

/** One for all files: memory for each of thousands of files would be most of the work. */
const buffer = Buffer.alloc(8 * 1024 * 1024);

interface Window {
  readonly bytes: Buffer;
  readonly offset: number;
}

/** Whole lines, many at once; a line that is longer than a window deserves a closer look for that alone. */
function* windowsOf(file: string): Generator<Window | 'too long'> {
  const descriptor = openRegularFile(file);
  let [kept, offset] = [0, 0];
  try {
    for (;;) {
      const got = readSync(descriptor, buffer, kept, buffer.length - kept, null);
      const filled = buffer.subarray(0, kept + got);
      const end = got === 0 ? filled.length : filled.lastIndexOf(0x0a) + 1;
      if (end === 0 && filled.length === buffer.length) yield 'too long';
      if (end > 0) yield { bytes: filled.subarray(0, end), offset };
      if (got === 0) return;
      offset += end;
      kept = filled.copy(buffer, 0, end);
    }
  } finally {
    closeSync(descriptor);
  }
}

const escapes: readonly Buffer[] = [Buffer.from('\\ud'), Buffer.from('\\uD')];

/** Half of a surrogate pair, written as an escape: a high one without a low one after it, or the reverse. */
function hasLoneEscape(bytes: Buffer): boolean {
  for (const mark of escapes) {
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) {
      if (isEscaped(bytes, at)) continue;
      const pair = bytes.toString('latin1', at, at + 12);
      if (/^\\ud[89ab]../i.test(pair) && !/^.{6}\\ud[c-f]/i.test(pair)) return true;
      if (/^\\ud[c-f]../i.test(pair) && !/\\ud[89ab]..$/i.test(bytes.toString('latin1', Math.max(0, at - 6), at)))
        return true;
    }
  }
  return false;
}

/** Whether the backslash at `at` is itself after one, so that it is text. */
function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at;
  while (before > 0 && bytes[before - 1] === 0x5c) before--;
  return (at - before) % 2 === 1;
}

const emptyText = Buffer.from('"text":""');
/** As other programs than the client write JSON. */
const spaced = Buffer.from('": "');
const headBytes = 2048;

function hasEmptyText(bytes: Buffer): boolean {
  const isSpaced = bytes.subarray(0, headBytes).includes(spaced);
  return bytes.includes(emptyText) || (isSpaced && bytes.includes(emptyText.toString().replace(':', ': ')));
}

const signatureKey = Buffer.from('"signature"');
const quote = 0x22;

function countSignatures(bytes: Buffer): number | 'cut' {
  let count = 0;
  for (let at = bytes.indexOf(signatureKey); at >= 0; at = bytes.indexOf(signatureKey, at + 1)) {
    const start = bytes.indexOf(quote, at + signatureKey.length);
    const end = bytes.indexOf(quote, start + 1);
    if (start < 0 || end <= start + 1) return 'cut';
    if (isCutSignature(bytes.toString('latin1', start + 1, end))) return 'cut';
    count++;
  }
  return count;
}

const imageMark = Buffer.from('"image"');
const newline = 0x0a;

function linesWith(bytes: Buffer, mark: Buffer): readonly number[] {
  const starts: number[] = [];
  for (let at = bytes.indexOf(mark); at >= 0; ) {
    starts.push(bytes.lastIndexOf(newline, at) + 1);
    const end = bytes.indexOf(newline, at);
    at = end < 0 ? -1 : bytes.indexOf(mark, end);
  }
  return starts;
}
