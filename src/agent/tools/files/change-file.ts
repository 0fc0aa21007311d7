// Writes new text to a file atomically. Write, Edit and NotebookEdit share the checks that prevent data loss: the file is
// text, it is not too large, and what the model has not seen of it is not overwritten.
import { constants } from 'node:fs';
import { access, chmod } from 'node:fs/promises';
import { structuredPatch } from 'diff';
import type { JsonObject } from '../../../base/json/index.ts';
import { type FileIdentity, identify, replaceFile, writeNewFile } from '../../../store/index.ts';
import type { CallContext, SeenFile } from '../../contract/index.ts';
import { limits, ToolFailure } from '../shared/index.ts';
import { type FoundFile, readLinkTarget, readWhole, sha256, withFile, withPinned } from './file-access.ts';
import { decodeText, encodeText, encodingNames, type FileText } from './file-text.ts';

export interface SeenText extends FileText {
  readonly found: FoundFile;
  /** What the model knows of the file: all of it, a part, nothing, or its text before a change by someone else. */
  readonly known: 'whole' | 'part' | 'nothing' | 'old';
  readonly identity: FileIdentity;
}

/** Returns the current text of the file. `must-be-seen`: an error if the model has not read it, or if it changed since. */
export async function readSeenText(
  context: CallContext,
  file: string,
  need: 'must-be-seen' | 'any',
): Promise<SeenText> {
  const { workspace } = context;
  return withFile(context, 'write', file, async (handle, found) => {
    const identity = identify(found.realPath);
    const bytes = await readWhole(handle, found, limits.change.fileBytes);
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ToolFailure(`${file} is a binary file; it is changed only with Bash.`);
    const known = knownOf(workspace.files.seen(found.realPath), sha256(bytes));
    if (need === 'must-be-seen' && known === 'nothing')
      throw new ToolFailure(`${file} has not been read yet. Read it first, then change it.`);
    if (need === 'must-be-seen' && known === 'old')
      throw new ToolFailure(
        `${file} has changed since it was read, by the person or by another program. Read it again before changing it.`,
      );
    return { ...decoded, found, known, identity };
  });
}

function knownOf(seen: SeenFile | undefined, hash: string): SeenText['known'] {
  if (seen === undefined) return 'nothing';
  if (seen.sha256 !== hash) return 'old';
  return seen.isPartial ? 'part' : 'whole';
}

export async function replaceText(context: CallContext, seen: SeenText, text: string): Promise<void> {
  const { found, identity } = seen;
  const bytes = encodeText({ ...seen, text });
  if (bytes === undefined)
    throw new ToolFailure(
      `${found.file} is ${encodingNames[seen.encoding]}, which lacks a character of the new text. Use only characters up to U+00FF, or convert the file with Bash (iconv) first.`,
    );
  refuseHuge(found.file, bytes);
  await access(found.realPath, constants.W_OK).catch(() => {
    throw new ToolFailure(`${found.file} is write-protected.`);
  });
  await context.keepFile(found.realPath);
  await withPinned(context, found.realPath, ({ exact }) =>
    replaceFile(exact, bytes, { expected: identity, isExact: true }),
  );
  context.workspace.files.remember(found.realPath, { sha256: sha256(bytes), isPartial: seen.known !== 'whole' });
}

export async function createText(context: CallContext, file: string, text: string): Promise<void> {
  const target = await readLinkTarget(file);
  if (target !== undefined)
    throw new ToolFailure(`${file} is a link to ${target}, which is not there. Write to that path itself.`);
  const bytes = Buffer.from(text, 'utf8');
  refuseHuge(file, bytes);
  await context.keepFile(file);
  await withPinned(context, file, async ({ exact, realPath }) => {
    await writeNewFile(exact, bytes);
    // Usual permissions; the files of the store are readable only by their owner.
    await chmod(exact, 0o666 & ~process.umask());
    context.workspace.files.remember(realPath, { sha256: sha256(bytes), isPartial: false });
  });
}

/** For the transcript, which does not store a very long text twice. */
export function keptText(text: string): string | null {
  return text.length > limits.change.keptChars ? null : text;
}

function refuseHuge(file: string, bytes: Buffer): void {
  if (bytes.length > limits.change.fileBytes)
    throw new ToolFailure(
      `The new text of ${file} is larger than ${limits.change.fileBytes} bytes; use Bash for that.`,
    );
}

const contextLines = 3;

export function makePatch(file: string, before: string, after: string): readonly JsonObject[] {
  const [old, now] = [before.replaceAll('\r\n', '\n'), after.replaceAll('\r\n', '\n')];
  if (old === now) return [];
  const patch = structuredPatch(file, file, old, now, undefined, undefined, {
    context: contextLines,
    maxEditLength: limits.change.diffEdits,
  });
  const hunks = patch?.hunks ?? [wholeHunk(old.split('\n'), now.split('\n'))];
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  }));
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: string[];
}

/** One hunk from the first to the last differing line. */
function wholeHunk(old: readonly string[], now: readonly string[]): Hunk {
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  return {
    oldStart: start + 1,
    oldLines: removed.length,
    newStart: start + 1,
    newLines: added.length,
    lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
  };
}
