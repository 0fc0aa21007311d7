// The log of operations and a session's lines → the sessions it was made from, and how.
import { UserError } from '../../base/errors/index.ts';
import { isUuid } from '../../base/text/index.ts';
import { isOriginKind, type Relation, relationWords } from '../../library/lineage/index.ts';
import { listRecords, type OperationRecord, operationsFolder } from '../../surgery/journal/index.ts';
import type { CommandIo } from '../command/index.ts';

export interface Lineage {
  readonly operation: string;
  /** The ids of the sessions it was made from; empty for an import. */
  readonly from: readonly string[];
}

export interface Descendant {
  readonly path: string;
  readonly sessionId: string;
  /** From its lines. */
  readonly forkedFrom: string | undefined;
}

export type LineageOf = (session: Descendant) => Lineage | undefined;

export async function readLineage(io: Pick<CommandIo, 'env'>): Promise<LineageOf> {
  return lineageReader(io);
}

export function lineageReader(io: Pick<CommandIo, 'env'>): LineageOf {
  const madeBy = madeByReader(io);
  return ({ path, sessionId, forkedFrom }) => {
    const known = madeBy(path);
    if (known !== undefined) return known;
    return forkedFrom === undefined || forkedFrom === sessionId ? undefined : { operation: 'fork', from: [forkedFrom] };
  };
}

/** Only what the log of operations says, by the path of the transcript. */
export function madeByReader({ env }: Pick<CommandIo, 'env'>): (path: string) => Lineage | undefined {
  const made = new Map<string, Lineage>();
  // Newest first: the latest operation that wrote the file counts.
  for (const record of recordsOf(env))
    for (const { path, sessionId } of record.to)
      if (isCopy(record, path, sessionId) && !made.has(path)) made.set(path, of(record));
  return (path) => made.get(path);
}

/** An unreadable log is ignored here; `clew history` and `clew undo` report it. */
function recordsOf(env: NodeJS.ProcessEnv): readonly OperationRecord[] {
  try {
    return listRecords(operationsFolder(env));
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** `fork of 3f2b8c1e`. */
export function lineageText({ operation, from }: Lineage): string {
  const sources = from.map((id) => id.slice(0, 8)).join(' and ');
  return sources === '' ? 'imported' : `${words[operation] ?? `${operation} of`} ${sources}`;
}

export function relationJson({ kind, sessionId, path, at, evidence, operation }: Relation): object {
  return { kind, sessionId, path: path ?? null, at: at ?? null, evidence, operation: operation ?? null };
}

/** `reopened from 3f2b8c1e`. */
export function relationText({ kind, sessionId, operation }: Relation): string {
  const id = isUuid(sessionId) ? sessionId.slice(0, 8) : sessionId;
  return `${kind === 'fork-of' && operation !== undefined ? (words[operation] ?? `${operation} of`) : relationWords[kind]} ${id}`;
}

/** `#review · fork of 3f2b8c1e`: the tag, and where the session came from. */
export function originMarks(
  tag: string | undefined,
  lineage: Lineage | undefined,
  relations: readonly Relation[],
): string {
  const origins = relations.filter(({ kind }) => isOriginKind(kind)).map(relationText);
  const isImport = lineage !== undefined && lineage.from.length === 0;
  const marks = [...(tag === undefined ? [] : [`#${tag}`]), ...(isImport ? [lineageText(lineage)] : []), ...origins];
  return marks.join(' · ');
}

/** `#review · fork of 3f2b8c1e`. */
export function marksText(tag: string | undefined, lineage: Lineage | undefined): string {
  return [...(tag === undefined ? [] : [`#${tag}`]), ...(lineage === undefined ? [] : [lineageText(lineage)])].join(
    ' · ',
  );
}

const words: Readonly<Record<string, string>> = {
  fork: 'fork of',
  compress: 'compressed from',
  strip: 'stripped from',
  redact: 'redacted from',
  rewind: 'rewound from',
  split: 'split from',
  graft: 'joined from',
  fix: 'repaired from',
  import: 'imported from',
};

/** A session that was changed in place or moved is not a copy. */
function isCopy({ state, operation, from }: OperationRecord, path: string, sessionId: string): boolean {
  if (state !== 'done') return false;
  if (operation === 'import') return true;
  return from.length > 0 && from.every((source) => source.path !== path && source.sessionId !== sessionId);
}

function of({ operation, from }: OperationRecord): Lineage {
  return { operation, from: operation === 'import' ? [] : from.map(({ sessionId }) => sessionId) };
}
