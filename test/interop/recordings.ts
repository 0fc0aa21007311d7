// The recordings of the real client as test cases: a transcript and what client 2.1.325 sent when it resumed it with
// the prompt `next`. Some are files of their own (recordings/README.md), the rest is in the packed corpus.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../src/base/json/json.ts';
import type { ClientHost } from '../../src/session/resume/messages/for-request.ts';
import { type NormalMessage, normalise, type SentMessage } from '../../src/session/resume/messages/normalise.ts';
import { corpusFolder } from '../support/corpus.ts';
import { projectRoot } from '../support/paths.ts';

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
  return casesBelow(path.join(recordings, 'vectors'));
}

/** What another version of the client did with the vectors: as 2.1.325, but for those in `recordings/versions`. */
export function versionCases(version: string): RecordedCase[] {
  const file = path.join(recordings, 'versions', `${version}.json`);
  const differing = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Recording>>;
  return vectorCases().map((each) => {
    const own = differing[each.name];
    return own === undefined ? each : { ...each, expected: expectedOf(own) };
  });
}

/** Small sessions that showed a rule when random sessions were tried (`npm run fuzz:resume`). */
export function randomCases(): RecordedCase[] {
  return casesBelow(path.join(recordings, 'vectors-random'));
}

/** The shape of session that every client from 1.0.57 to 2.1.325 resumes to the same messages. */
export function safeProfileCase(): RecordedCase {
  return { name: 'safe-profile', ...caseIn(path.join(recordings, 'safe-profile')) };
}

/** Sessions that real clients wrote, a small choice. */
export function realCases(): RecordedCase[] {
  return corpusCases(path.join(recordings, 'real-messages'), path.join(recordings, 'real'));
}

/** All sessions that real clients wrote. */
export function corpusRealCases(): RecordedCase[] {
  return corpusCases(path.join(corpusFolder, 'interop/real-messages'), path.join(corpusFolder, 'corpus/real'));
}

/** Sessions that other projects published. */
export function corpusPublicCases(): RecordedCase[] {
  return corpusCases(path.join(corpusFolder, 'interop/public-messages'), path.join(corpusFolder, 'corpus/public'));
}

/** What the client sent, whole, on one of its two ways. */
export interface BindingCase {
  readonly name: string;
  readonly file: string;
  readonly host: ClientHost;
  /** The first request. */
  readonly expected: {
    readonly model: string;
    readonly thinking: JsonObject;
    readonly outputConfig: JsonObject;
    readonly contextManagement: JsonObject;
    readonly betas: readonly string[];
    readonly system: readonly string[] | { readonly ofTheClient: true };
    readonly tools: readonly { readonly name: string; readonly of: 'snapshot' | 'client' }[];
    readonly messages: readonly SentMessage[];
  };
}

/** Sessions with thinking and with snapshots of the system prompt. */
export function bindingCases(): BindingCase[] {
  const vectors = path.join(corpusFolder, 'interop/binding/vectors');
  return readdirSync(vectors, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const folder = path.join(vectors, name);
      const recording = JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8')) as {
        readonly host: string;
        readonly requests: readonly [BindingCase['expected']];
      };
      const host = recording.host.startsWith('api.anthropic.com') ? 'anthropic' : 'gateway';
      return { name, file: transcriptIn(folder), host, expected: recording.requests[0] };
    });
}

/** Small sessions that a generator found, on which earlier predictions failed. */
export function fuzzCases(): RecordedCase[] {
  return casesBelow(path.join(corpusFolder, 'interop/vectors-fuzz'));
}

function casesBelow(folder: string): RecordedCase[] {
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, ...caseIn(path.join(folder, name)) }));
}

function transcriptIn(folder: string): string {
  const transcript = readdirSync(folder).find((file) => file.endsWith('.jsonl'));
  if (transcript === undefined) throw new Error(`no transcript in ${folder}`);
  return path.join(folder, transcript);
}

function caseIn(folder: string): Pick<RecordedCase, 'file' | 'expected'> {
  return {
    file: transcriptIn(folder),
    expected: expectedOf(readRecording(path.join(folder, 'expected.json'))),
  };
}

/** One JSON file a case, which names the transcript below `corpus`. */
function corpusCases(messages: string, corpus: string): RecordedCase[] {
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
