// Sessions that leave the house (bundles, exports) → a function that takes the secrets out of their bytes. It has learned
// from every file first, so that a value which one place gives away is gone from all.
import { asBuffer, type Bytes } from '../base/node-types.ts';
import { editJson } from '../format/edit.ts';
import { createRedactor, type FoundSecret } from './redactor.ts';
import type { RuleSet } from './secrets/find.ts';
import type { Source } from './source.ts';
import { learnFile } from './survey.ts';

/** Replaces secrets with placeholders. */
export interface ParcelRedactor {
  redact(bytes: Uint8Array): Bytes;
  /** @internal The name that a file of the sessions gets. */
  renameFile(name: string): string;
  /** What was found so far, without the values. */
  list(): readonly FoundSecret[];
}

/** Returns a redactor that has learned the secrets of all files of some sessions. */
export function redactorFor(sources: readonly Source[]): ParcelRedactor;
/** @internal */
export function redactorFor(sources: readonly Source[], ruleSet: RuleSet | undefined): ParcelRedactor;
export function redactorFor(sources: readonly Source[], ruleSet?: RuleSet): ParcelRedactor {
  const redactor = createRedactor(ruleSet);
  for (const file of sources.flatMap(({ files }) => files)) learnFile(file, redactor);
  for (const file of sources.flatMap(({ files }) => files.slice(1))) redactor.learnFileName(file.name);
  return {
    redact: (bytes) => {
      const { bytes: redacted, signed } = redactor.redact(asBuffer(bytes), 'record');
      // Thinking is signed, so a text in it cannot be changed: a block that holds a secret goes.
      const edits = signed.map((index) => ({ path: ['message', 'content', index], remove: true as const }));
      return edits.length === 0 ? redacted : editJson(redacted, edits);
    },
    renameFile: (name) => redactor.renameFile(name),
    list: () => redactor.list(),
  };
}
