// Where a session lies → findings about its place (F). Only names and times are looked at. Whether the folder a session
// was made in is still there is asked of the disk; nothing in it is opened.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { cwdOf, type Session } from '../../session/load/index.ts';
import { isMessage } from '../../session/transcript/index.ts';
import { type ProjectsFolder, slugMatches } from '../../store/index.ts';
import { type Finding, makeFinding } from './finding.ts';

/** What is known about the folder that a session is in. */
export interface FolderOptions {
  /** A session is judged by its place only below one of these (`projectsFolders`). */
  readonly folders?: readonly ProjectsFolder[];
  /** Days until Claude Code deletes it, negative where it is due; absent where it is not soon (library/session-files/expiry.ts). */
  readonly daysLeft?: number | undefined;
}

export function checkFolder(session: Session, options: FolderOptions = {}): Finding[] {
  if (session.isAgent) return [];
  return [...checkEmpty(session), ...checkName(session), ...checkPlace(session, options)];
}

function checkEmpty({ transcript }: Session): Finding[] {
  if (transcript.nodes.some((node) => isMessage(node) && (node.hasContent || node.message !== undefined))) return [];
  const message = transcript.sizeBytes === 0 ? 'the file has no bytes' : 'no line of the file is a message';
  const effect = 'there is nothing to resume; some clients leave such a file when they resume';
  return [makeFinding('F-empty', 'info', { file: transcript.path }, message, effect)];
}

function checkName({ id, transcript }: Session): Finding[] {
  const named = transcript.nodes.filter((node) => node.uuid !== undefined && node.sessionId !== undefined);
  const [first] = named;
  if (first === undefined || named.some((node) => node.sessionId === id)) return [];
  const message = `its lines say session ${first.sessionId}`;
  const effect = 'Claude Code goes by the name of the file; nothing is lost';
  return [
    makeFinding('F-name', 'info', { file: transcript.path, line: first.line, offset: first.offset }, message, effect),
  ];
}

function checkPlace(session: Session, { folders = [], daysLeft }: FolderOptions): Finding[] {
  const file = session.transcript.path;
  const home = folders.find(({ projects }) => file.startsWith(projects + path.sep));
  if (home === undefined) return [];
  const parts = path.relative(home.projects, file).split(path.sep);
  if (parts.length > 2) return [nested(file)];
  return [...checkMoved(session, parts[0] ?? ''), ...checkExpiring(file, daysLeft)];
}

export function nested(file: string): Finding {
  const effect = 'no client finds it: sessions must be directly in the folder of their project';
  return makeFinding('F-nested', 'loss', { file }, 'it is one folder too deep', effect);
}

/** Whether the folder a session was started in is not there any more. */
export function isMoved(cwd: string | undefined, slug: string): cwd is string {
  // A path of another system, or of another machine on the network, says nothing about this disk.
  if (cwd === undefined || !path.isAbsolute(cwd) || /^[\\/]{2}/.test(cwd)) return false;
  return slugMatches(slug, cwd) && !existsSync(cwd);
}

function checkMoved(session: Session, slug: string): Finding[] {
  const cwd = cwdOf(session);
  if (!isMoved(cwd, slug)) return [];
  const message = `the folder ${cwd} is not there any more`;
  const effect = 'Claude Code looks for sessions under the name of the folder it is started in';
  return [makeFinding('F-moved', 'warn', { file: session.transcript.path }, message, effect)];
}

function checkExpiring(file: string, daysLeft: number | undefined): Finding[] {
  if (daysLeft === undefined) return [];
  const isDue = daysLeft < 0;
  const when = daysLeft === 0 ? 'within a day' : `in ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}`;
  const message = `it ${isDue ? 'is' : 'will soon be'} older than Claude Code keeps sessions`;
  const effect = isDue ? 'the next start of Claude Code deletes it' : `Claude Code deletes it ${when}`;
  return [makeFinding('F-expiring', 'warn', { file }, message, effect)];
}
