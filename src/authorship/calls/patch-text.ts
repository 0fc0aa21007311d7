// A patch as text → the replacements in each of its files: unified diffs (`git apply`, `patch`) and the form
// `*** Begin Patch` that tools named apply_patch take.
import type { Replacement } from './file-edit.ts';

export interface PatchedFile {
  /** As the patch names it, without `a/` and `b/`. */
  readonly path: string;
  /** The name it had before. */
  readonly movedFrom: string | undefined;
  /** The whole content of a new file. */
  readonly content: string | undefined;
  readonly replacements: readonly Replacement[];
}

export function readPatch(text: string): readonly PatchedFile[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  return lines.some((line) => line.startsWith('*** Begin Patch')) ? readMarkedPatch(lines) : readUnifiedDiff(lines);
}

class FilePatch {
  readonly path: string;
  movedFrom: string | undefined;
  isNew = false;
  readonly #hunks: string[][] = [];

  constructor(path: string, movedFrom?: string) {
    this.path = path;
    this.movedFrom = movedFrom;
  }

  startHunk(): void {
    this.#hunks.push([]);
  }

  add(line: string): void {
    if (this.#hunks.length === 0) this.startHunk();
    this.#hunks.at(-1)?.push(line);
  }

  done(): PatchedFile {
    const replacements = this.#hunks.flatMap((hunk) => replacementOf(hunk));
    const content = this.isNew
      ? this.#hunks.flat().flatMap((line) => (line[0] === '+' ? line.slice(1) : []))
      : undefined;
    return {
      path: this.path,
      movedFrom: this.movedFrom,
      content: content === undefined ? undefined : `${content.join('\n')}\n`,
      replacements: this.isNew ? [] : replacements,
    };
  }
}

/** The lines of a hunk, each after a blank, `-` or `+`. */
export function replacementOf(hunk: readonly string[]): readonly Replacement[] {
  const from = hunk.flatMap((line) => (line[0] === '+' || line[0] === '\\' ? [] : line.slice(1)));
  const to = hunk.flatMap((line) => (line[0] === '-' || line[0] === '\\' ? [] : line.slice(1)));
  if (from.length === 0) return [];
  return [{ from: from.join('\n'), to: to.join('\n'), isEverywhere: false }];
}

function readUnifiedDiff(lines: readonly string[]): readonly PatchedFile[] {
  const files: FilePatch[] = [];
  let old: string | undefined;
  let left = { old: 0, fresh: 0 };
  for (const line of lines) {
    const file = files.at(-1);
    if (left.old > 0 || left.fresh > 0) {
      file?.add(line === '' ? ' ' : line);
      if (line[0] !== '+' && line[0] !== '\\') left.old--;
      if (line[0] !== '-' && line[0] !== '\\') left.fresh--;
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) {
      file?.startHunk();
      left = { old: Number(hunk[1] ?? 1), fresh: Number(hunk[2] ?? 1) };
    } else if (line.startsWith('--- ')) old = nameIn(line);
    else if (line.startsWith('+++ ')) {
      const name = nameIn(line);
      if (name === undefined) continue;
      const next = new FilePatch(name, old !== undefined && old !== name ? old : undefined);
      next.isNew = old === undefined;
      files.push(next);
    }
  }
  return files.map((file) => file.done());
}

/** `undefined` for /dev/null. */
function nameIn(line: string): string | undefined {
  const name = (line.slice(4).split('\t')[0] ?? '').trim().replace(/^[ab]\//, '');
  return name === '/dev/null' || name === '' ? undefined : name;
}

function readMarkedPatch(lines: readonly string[]): readonly PatchedFile[] {
  const files: FilePatch[] = [];
  for (const line of lines) {
    const head = /^\*\*\* (Add|Update) File: (.+)$/.exec(line);
    const file = files.at(-1);
    if (head !== null) {
      const next = new FilePatch((head[2] as string).trim());
      next.isNew = head[1] === 'Add';
      files.push(next);
      continue;
    }
    const move = /^\*\*\* Move to: (.+)$/.exec(line);
    if (move !== null && file !== undefined) {
      files.pop();
      files.push(new FilePatch((move[1] as string).trim(), file.path));
    } else if (line.startsWith('***')) continue;
    else if (line.startsWith('@@')) file?.startHunk();
    else if (/^[ +-]/.test(line)) file?.add(line);
  }
  return files.map((file) => file.done());
}
