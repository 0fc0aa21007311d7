// The recordings of the real client as test cases: a transcript and what client 2.1.325 sent when it resumed it with
// the prompt `next`. Some stand in the repository (recordings/README.md), the rest beside it where it was provided.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type NormalMessage, normalise, type SentMessage } from '../../src/session/resume/normalise.ts';
import { projectRoot, shared } from '../support/paths.ts';

export type Expected = { readonly messages: readonly NormalMessage[] } | { readonly refused: string };

export interface RecordedCase {
  readonly name: string;
  /** The transcript. */
  readonly file: string;
  readonly expected: Expected;
}

export const recordings: string = path.join(projectRoot, 'test/interop/recordings');

/** Hand-made sessions, each with one peculiarity. */
export function vectorCases(): RecordedCase[] {
  const vectors = path.join(recordings, 'vectors');
  return readdirSync(vectors)
    .sort()
    .map((name) => ({ name, ...caseIn(path.join(vectors, name)) }));
}

/** The shape of session that every client from 1.0.57 to 2.1.325 resumes to the same messages. */
export function safeProfileCase(): RecordedCase {
  return { name: 'safe-profile', ...caseIn(path.join(recordings, 'safe-profile')) };
}

/** Sessions that real clients wrote, a small choice. */
export function realCases(): RecordedCase[] {
  return corpusCases(path.join(recordings, 'real-messages'), path.join(recordings, 'real'));
}

/** All sessions that real clients wrote; none where the shared corpora are absent. */
export function sharedRealCases(): RecordedCase[] {
  return corpusCases(path.join(shared, 'interop/real-messages'), path.join(shared, 'corpus/real'));
}

/** Sessions that other projects published; none where the shared corpora are absent. */
export function sharedPublicCases(): RecordedCase[] {
  return corpusCases(path.join(shared, 'interop/public-messages'), path.join(shared, 'corpus/public'));
}

function caseIn(folder: string): Pick<RecordedCase, 'file' | 'expected'> {
  const transcript = readdirSync(folder).find((file) => file.endsWith('.jsonl'));
  if (transcript === undefined) throw new Error(`no transcript in ${folder}`);
  return {
    file: path.join(folder, transcript),
    expected: expectedOf(readRecording(path.join(folder, 'expected.json'))),
  };
}

/** One JSON file a case, which names the transcript below `corpus`. */
function corpusCases(messages: string, corpus: string): RecordedCase[] {
  if (!existsSync(messages)) return [];
  return readdirSync(messages)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const recording = readRecording(path.join(messages, file));
      if (recording.file === undefined) throw new Error(`${file} does not name its transcript`);
      return {
        name: path.basename(file, '.json'),
        file: path.join(corpus, recording.file),
        expected: expectedOf(recording),
      };
    });
}

interface Recording {
  readonly file?: string;
  readonly messages?: readonly SentMessage[];
  readonly refused?: string;
}

function readRecording(file: string): Recording {
  return JSON.parse(readFileSync(file, 'utf8')) as Recording;
}

/** Normalised again, since some recordings are older than the last rule of `normalise`. */
function expectedOf({ messages, refused }: Recording): Expected {
  if (messages !== undefined) return { messages: normalise(messages) };
  return { refused: refused ?? '' };
}
