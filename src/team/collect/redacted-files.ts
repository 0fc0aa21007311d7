// The files of a session → their lines and contents without secrets. All files are read once to learn the secrets, because a
// value may be recognizable in one place only, and again to replace them.
import { readFileSync } from 'node:fs';
import { UserError } from '../../base/errors/index.ts';
import type { SessionPath } from '../../library/session-files/index.ts';
import { type Line, readLineBatches } from '../../store/index.ts';
import {
  type CleanLines,
  createRedactor,
  isBinary,
  learnFile,
  type Redactor,
  redactFile,
  redactLine,
} from '../../surgery/redact/index.ts';
import type { RuleSet } from '../../surgery/secrets/index.ts';

export interface RedactedFiles {
  /** The lines of a transcript up to `endOffset`. The bytes are valid until the next line. */
  lines(file: string, endOffset: number): Generator<RedactedLine>;
  /** Of any other file; `undefined` for one that is not text, such as an image. */
  content(file: SessionPath): Buffer | undefined;
  renameFile(name: string): string;
  /** A text about the session, such as its title. */
  text(text: string): string;
}

export interface RedactedLine extends Line {
  /** Nothing was replaced. */
  readonly isSame: boolean;
}

export function redactedFiles(files: readonly SessionPath[], ruleSet: RuleSet): RedactedFiles {
  const redactor = createRedactor(ruleSet);
  const known = new Map<string, CleanLines>();
  for (const file of files) known.set(file.path, learnFile(file, redactor));
  for (const { name } of files.slice(1)) redactor.learnFileName(name);
  return {
    lines: (file, endOffset) => redactedLines(file, endOffset, redactor, known.get(file)),
    content: (file) => (isBinary(readFileSync(file.path)) ? undefined : redactFile(file, redactor)),
    renameFile: (name) => redactor.renameFile(name),
    text: (text) => redactor.redactText(text),
  };
}

function* redactedLines(
  file: string,
  endOffset: number,
  redactor: Redactor,
  clean: CleanLines | undefined,
): Generator<RedactedLine> {
  for (const batch of readLineBatches(file, { endOffset }))
    for (const line of batch) {
      if (line.bytes.length < line.length)
        throw new UserError(
          `line ${line.number} of ${file} is too long to search for secrets`,
          'run `clew doctor` on the session',
        );
      const bytes = redactLine(redactor, line.bytes, clean?.get(line.offset));
      yield { ...line, bytes, isSame: bytes === line.bytes };
    }
}
