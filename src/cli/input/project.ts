// `--project P` → a filter for sessions. The working directory in a session's lines decides; the name of the project
// folder, which is ambiguous, only counts if no line has a working directory.
import { homedir } from 'node:os';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { scanRecord } from '../../format/scan/index.ts';
import { encodeOldSlug, readLines, slugMatches } from '../../store/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';

export interface ProjectSource {
  readonly cwd: string | undefined;
  /** The folder of its transcript. */
  readonly project: string;
}

export type ProjectFilter = (session: ProjectSource) => boolean;

/** Without the flag, every session passes. */
export function projectFilter({ flags, io }: Pick<CommandInput, 'flags' | 'io'>): ProjectFilter {
  const wanted = textFlag(flags, 'project');
  if (wanted === undefined) return () => true;
  if (wanted.trim() === '') throw new UserError('--project is empty', 'give a folder, or a part of its path');
  return isPathArgument(wanted) ? folderFilter(path.resolve(io.cwd, withHome(wanted))) : wordFilter(wanted);
}

/** The first working directory in a transcript, for commands that do not use the index. */
export function folderOfTranscript(file: string): string | undefined {
  for (const batch of readLines(file, { chunkBytes: 64 * 1024 }))
    for (const line of batch) {
      const cwd = scanRecord(line.bytes)?.cwd;
      if (cwd !== undefined) return cwd;
    }
  return undefined;
}

function folderFilter(folder: string): ProjectFilter {
  const wanted = comparable(folder);
  const start = wanted.endsWith(path.sep) ? wanted : wanted + path.sep;
  return ({ cwd, project }) => {
    if (cwd === undefined) return slugMatches(project, folder);
    const own = comparable(cwd);
    return own === wanted || own.startsWith(start);
  };
}

/** A word matches any part of the path, ignoring case. */
function wordFilter(word: string): ProjectFilter {
  const wanted = comparable(word).toLowerCase();
  // In the name of a project folder every character outside ASCII is a dash.
  const inName = /^[\x20-\x7e]*[a-z0-9][\x20-\x7e]*$/i.test(word) ? encodeOldSlug(word).toLowerCase() : undefined;
  return ({ cwd, project }) => {
    if (project === word) return true;
    if (cwd !== undefined) return comparable(cwd).toLowerCase().includes(wanted);
    return inName !== undefined && project.toLowerCase().includes(inName);
  };
}

/** File systems differ in how they store accented letters. */
function comparable(text: string): string {
  return text.normalize('NFC');
}

function withHome(wanted: string): string {
  return wanted.replace(/^~(?=$|\/)/, homedir());
}

function isPathArgument(wanted: string): boolean {
  return path.isAbsolute(wanted) || /^[.~](?:$|[./])/.test(wanted);
}
