// `<root>/jobs/<job>/state.json` → which sessions a background job of the client has had. The client writes these files
// for `claude agents`; a job that is opened again may get another session (anthropics/claude-code#72012).
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readRegularText } from '../../base/files/index.ts';
import { asObject, asString, parseJson } from '../../base/json/index.ts';

/** A background job of the client, and the sessions that its state names. */
export interface BackgroundJob {
  readonly root: string;
  /** The name of its folder: the beginning of the id of its first session. */
  readonly id: string;
  /** Each once. */
  readonly sessionIds: readonly string[];
}

/** A root may be any folder. */
const mostJobs = 5_000;
const jobName = /^[\da-f]{8}$/;

/** Of all roots; a folder that is missing or cannot be read has none. */
export function readJobs(roots: readonly string[]): readonly BackgroundJob[] {
  return roots.flatMap((root) =>
    jobNames(root)
      .slice(0, mostJobs)
      .flatMap((id) => readJob(root, id) ?? []),
  );
}

function jobNames(root: string): readonly string[] {
  try {
    return readdirSync(path.join(root, 'jobs')).filter((name) => jobName.test(name));
  } catch {
    return []; // most roots have no jobs
  }
}

function readJob(root: string, id: string): BackgroundJob | undefined {
  try {
    const state = asObject(parseJson(readRegularText(path.join(root, 'jobs', id, 'state.json'))));
    const file = asString(state?.linkScanPath);
    const named = [asString(state?.sessionId), asString(state?.resumeSessionId), file && idOfTranscript(file)];
    const sessionIds = [...new Set(named.flatMap((each) => (each ? [each] : [])))];
    return sessionIds.length === 0 ? undefined : { root, id, sessionIds };
  } catch {
    return undefined; // being written, or not a file of the client
  }
}

function idOfTranscript(file: string): string | undefined {
  const name = file.split(/[\\/]/).at(-1) ?? '';
  return name.endsWith('.jsonl') ? name.slice(0, -'.jsonl'.length) : undefined;
}
