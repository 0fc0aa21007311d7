// A file → whether it is a session of Claude Code. Every command that copies, changes or deletes a session asks here
// first, so that a path to anything else on the machine is refused.
import { type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { isUuid } from '../../base/text/index.ts';
import { entryFields } from '../../format/entry/index.ts';
import { utf16Of } from '../../format/line/index.ts';
import { type Head, scanRecord } from '../../format/scan/index.ts';
import {
  agentIdOf,
  boundaryFor,
  diskError,
  isProjects,
  projectsFolders,
  RangeReader,
  readLineBatches,
  realPlace,
  resolveRoots,
  whyLeaving,
  whySessionLeaves,
} from '../../store/index.ts';
import { loadTranscript, type Transcript } from './transcript.ts';

/** Where a file with the name of a session is one, whatever is in it. */
export interface SessionFileOptions {
  /**
   * The roots in which a file with the name of a session needs no further proof; by default the user's. Without them an
   * empty one in any `projects/<slug>/` is a session, too: there is nothing in it to lose.
   */
  readonly roots?: readonly string[];
  /** @internal It is neither changed nor deleted, so that its project folder may be a link out of the root. */
  readonly isOnlyRead?: boolean;
}

/**
 * Throws unless `main` may be copied, changed or deleted as a session: a regular file that no link leads out of its
 * folder, with the name of a session in a project folder of a root, or with the content of one.
 */
export function refuseOtherFile(main: string, options: SessionFileOptions = {}): void {
  const stats = statRegular(main);
  const full = path.resolve(main);
  const project = path.dirname(full);
  const boundary = boundaryFor(project, path.basename(full, '.jsonl'));
  const leaving = options.isOnlyRead === true ? whyLeaving(full, boundary) : whySessionLeaves(full);
  if (leaving !== undefined) throw new UserError(`${main} ${leaving}`, `name ${realPlace(full)}`);
  if (!full.endsWith('.jsonl'))
    throw new UserError(`${main} is not a transcript: its name does not end in .jsonl`, nameOne);
  if (agentIdOf(full) !== undefined) throw agentError(full);
  const kind = kindOf(full);
  if (kind === 'foreign') throw foreignError(main, 'Qwen Code');
  if (kind === 'transcript' || isListed(full, options.roots ?? resolveRoots())) return;
  if (options.roots === undefined && stats.size === 0 && isSessionName(full) && isProjects(path.dirname(project)))
    return;
  throw stats.size === 0 ? emptyError(main) : otherError(main, kind === 'records');
}

/** Whether it is a regular file of which some line is a record as Claude Code writes them. */
export function isRecognised(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true && kindOf(file) === 'transcript';
}

export function refuseForeign({ path: file, foreign }: Transcript): void {
  if (foreign !== undefined) throw foreignError(file, foreign);
}

/** Also a transcript without a single record, in the same words wherever it is refused. */
export function refuseUnreadable(transcript: Transcript): void {
  refuseForeign(transcript);
  const { path: file, sizeBytes, nodes } = transcript;
  if (sizeBytes === 0) throw emptyError(file);
  if (nodes.length === 0 && isUtf16Transcript(file)) throw utf16Error(file);
  if (nodes.length === 0) throw otherError(file, false);
}

const nameOne = 'name a .jsonl file of Claude Code';

function emptyError(file: string): UserError {
  return new UserError(`${file} is empty, as some clients leave it when they resume`, 'run `clew ls` for the others');
}

function otherError(file: string, hasRecords: boolean): UserError {
  const what = hasRecords ? 'no line of it is a record of Claude Code' : 'no line of it is a JSON record';
  return new UserError(`${file} is not a transcript: ${what}`, nameOne);
}

function utf16Error(file: string): UserError {
  return new UserError(`${file} is UTF-16, which Claude Code does not read`, `run \`clew doctor ${file} --fix\``);
}

function foreignError(file: string, program: string): UserError {
  return new UserError(
    `${file} was written by ${program}, and Clew reads Claude Code only`,
    'run `clew ls` for the sessions it can read',
  );
}

function agentError(file: string): UserError {
  const owner = firstHead(file, ({ sessionId }) => sessionId !== undefined)?.sessionId;
  return new UserError(
    `${path.basename(file, '.jsonl')} is the transcript of a sub-agent, not a session`,
    owner === undefined ? 'name the session it belongs to' : `name its session: ${owner}`,
  );
}

function statRegular(file: string): Stats {
  let stats: Stats;
  try {
    stats = statSync(file);
  } catch (error) {
    throw diskError(error, 'read', file);
  }
  if (stats.isDirectory()) throw new UserError(`${file} is a folder`, 'give a transcript (.jsonl) or a session id');
  if (!stats.isFile())
    throw new UserError(`${file} is not a regular file`, 'give a transcript (.jsonl) or a session id');
  return stats;
}

function isSessionName(file: string): boolean {
  return isUuid(path.basename(file, '.jsonl'));
}

/** `<projects>/<slug>/<uuid>.jsonl`: what a client wrote, even if none of it can be read any more. */
function isListed(file: string, roots: readonly string[]): boolean {
  if (!isSessionName(file)) return false;
  const projects = realPlace(path.dirname(path.dirname(file)));
  const lexical = path.dirname(path.dirname(file));
  return projectsFolders(roots).some((each) => each.projects === lexical || realPlace(each.projects) === projects);
}

/** `records`: JSON lines of another program. */
type Kind = 'transcript' | 'foreign' | 'records' | 'none';

/** Most files answer with their first line; only one without a sound line is read as a damaged transcript is. */
function kindOf(file: string): Kind {
  try {
    const head = firstHead(file, (each) => isOfClient(each) || isForeign(each));
    if (head !== undefined) return isForeign(head) ? 'foreign' : 'transcript';
    const { nodes } = loadTranscript(file, { strict: true, withoutMessages: true });
    if (nodes.length === 0 && isUtf16Transcript(file)) return 'transcript';
    return nodes.some(isOfClient) ? 'transcript' : nodes.length > 0 ? 'records' : 'none';
  } catch (error) {
    throw diskError(error, 'read', file);
  }
}

const headBytes = 64 * 1024;

/** Claude Code does not read such a file; doctor writes it as UTF-8. */
function isUtf16Transcript(file: string): boolean {
  const head = new RangeReader(file, headBytes).read(0, headBytes);
  const encoding = utf16Of(head);
  if (encoding === undefined) return false;
  const lines = new TextDecoder(encoding).decode(head).split('\n');
  return lines.some((line) => {
    const found = scanRecord(Buffer.from(line));
    return found !== undefined && isOfClient(found);
  });
}

function firstHead(file: string, isWanted: (head: Head) => boolean): Head | undefined {
  for (const batch of readLineBatches(file, { chunkBytes: 64 * 1024 })) {
    for (const line of batch) {
      const head = line.bytes.length < line.length ? undefined : scanRecord(line.bytes);
      if (head !== undefined && isWanted(head)) return head;
    }
  }
  return undefined;
}

function isForeign({ message }: Head): boolean {
  return message?.hasParts === true && message.content === 'absent';
}

interface Ids {
  readonly type: string;
  readonly uuid: string | undefined;
  readonly sessionId: string | undefined;
  readonly leafUuid: string | undefined;
}

/**
 * What the JSON lines of other programs do not have at once: a type that the client writes, and an id of the client's.
 * Some sessions hold nothing but `file-history-` records, which have no id but no other program's name either.
 */
function isOfClient({ type, uuid, sessionId, leafUuid }: Ids): boolean {
  const hasId = uuid !== undefined || sessionId !== undefined || leafUuid !== undefined;
  return Object.hasOwn(entryFields, type) && (hasId || type.startsWith('file-history-'));
}
