// Redacts sessions that leave the machine (bundles, exports). Learns from every file first, so that a value that is
// recognizable in one place is replaced everywhere.
import { asBuffer, type Bytes } from '../../base/node/node-types.ts';
import { editJson } from '../../format/bytes/edit.ts';
import type { Source } from '../engine/source.ts';
import type { RuleSet } from '../secrets/find.ts';
import { createRedactor, type FoundSecret } from './redactor.ts';
import { learnFile } from './survey.ts';

/** Replaces secrets with placeholders. */
export interface SessionRedactor {
  redact(bytes: Uint8Array): Bytes;
  /** @internal The new name of a file. */
  renameFile(name: string): string;
  /** The secrets found so far, without the values. */
  list(): readonly FoundSecret[];
}

/** Returns a redactor that has learned the secrets of all files of some sessions. */
export function redactorFor(sources: readonly Source[]): SessionRedactor;
/** @internal */
export function redactorFor(sources: readonly Source[], ruleSet: RuleSet | undefined): SessionRedactor;
export function redactorFor(sources: readonly Source[], ruleSet?: RuleSet): SessionRedactor {
  const redactor = createRedactor(ruleSet);
  for (const file of sources.flatMap(({ files }) => files)) learnFile(file, redactor);
  for (const file of sources.flatMap(({ files }) => files.slice(1))) redactor.learnFileName(file.name);
  return {
    redact: (bytes) => {
      const { bytes: redacted, signed } = redactor.redact(asBuffer(bytes), 'record');
      // Signed thinking cannot be changed: a block with a secret is removed.
      const edits = signed.map((index) => ({ path: ['message', 'content', index], remove: true as const }));
      return edits.length === 0 ? redacted : editJson(redacted, edits);
    },
    renameFile: (name) => redactor.renameFile(name),
    list: () => redactor.list(),
  };
}
