// `--project P`, as every command takes it: which sessions are of that project. The folder that a session's lines name
// decides; the name of its project folder, in which many paths look the same, only where no line names a folder.
import { homedir } from 'node:os';
import path from 'node:path';
import { UserError } from '../base/errors.ts';
import { scanRecord } from '../format/scan.ts';
import { readLines } from '../store/lines.ts';
import { encodeOldSlug, slugMatches } from '../store/slug.ts';
import { type CommandInput, textFlag } from './command.ts';

export interface ProjectSource {
  readonly cwd: string | undefined;
  /** The folder of its transcript. */
  readonly project: string;
}

export type ProjectFilter = (session: ProjectSource) => boolean;

/** What `--project` selects; everything without the flag. */
export function projectFilter({ flags, io }: Pick<CommandInput, 'flags' | 'io'>): ProjectFilter {
  const wanted = textFlag(flags, 'project');
  if (wanted === undefined) return () => true;
  if (wanted.trim() === '') throw new UserError('--project is empty', 'name a folder, or a part of its path');
  return isPathArgument(wanted) ? folderFilter(path.resolve(io.cwd, withHome(wanted))) : wordFilter(wanted);
}

/** For commands that do not use the index: the first folder that a line of the transcript names. */
export function folderOfTranscript(file: string): string | undefined {
  for (const batch of readLines(file, { chunkBytes: 64 * 1024 }))
    for (const line of batch) {
      const cwd = scanRecord(line.bytes)?.cwd;
      if (cwd !== undefined) return cwd;
    }
  return undefined;
}

/** A path names a folder, and the folders below it. */
function folderFilter(folder: string): ProjectFilter {
  const wanted = comparable(folder);
  const start = wanted.endsWith(path.sep) ? wanted : wanted + path.sep;
  return ({ cwd, project }) => {
    if (cwd === undefined) return slugMatches(project, folder);
    const own = comparable(cwd);
    return own === wanted || own.startsWith(start);
  };
}

/** Any other word is looked for in the path, without regard to case. */
function wordFilter(word: string): ProjectFilter {
  const wanted = comparable(word).toLowerCase();
  // Only ASCII can be looked for in the name of a project folder: every other letter has become the same dash.
  const inName = /^[\x20-\x7e]*[a-z0-9][\x20-\x7e]*$/i.test(word) ? encodeOldSlug(word).toLowerCase() : undefined;
  return ({ cwd, project }) => {
    if (project === word) return true;
    if (cwd !== undefined) return comparable(cwd).toLowerCase().includes(wanted);
    return inName !== undefined && project.toLowerCase().includes(inName);
  };
}

/** The same letter can be written in two ways, and file systems differ in which they use. */
function comparable(text: string): string {
  return text.normalize('NFC');
}

function withHome(wanted: string): string {
  return wanted.replace(/^~(?=$|\/)/, homedir());
}

function isPathArgument(wanted: string): boolean {
  return path.isAbsolute(wanted) || /^[.~](?:$|[./])/.test(wanted);
}
