// A transcript whose client still writes → the same transcript again and again, each time with the lines that were
// appended since: a session of hundreds of megabytes is read once, not with every line that it gets.
import { readLines } from '../store/lines.ts';
import { Loader, makeTranscript, type Transcript, type TranscriptOptions } from './transcript.ts';

export interface GrowingTranscript {
  readonly transcript: Transcript;
  /** Whether nothing was made of a line that may still change: one without its end, an object over several lines. */
  readonly canGrow: boolean;
  /** The caller has seen that the file begins with the same bytes. The transcript of before stays as it is. */
  grow(): GrowingTranscript;
}

export function loadGrowing(path: string, options: TranscriptOptions = {}): GrowingTranscript {
  return readOn(path, new Loader(options), options);
}

function readOn(path: string, loader: Loader, options: TranscriptOptions): GrowingTranscript {
  const from = { offset: loader.sizeBytes, number: loader.lastLine + 1 };
  for (const batch of readLines(path, { from })) for (const line of batch) loader.add(line);
  loader.finish();
  const { foreign, sizeBytes, mayRepeat, isSettled } = loader;
  // What is remembered of a list of nodes was made when it was shorter: a new list for every state of the file.
  const [nodes, diagnostics] = [[...loader.nodes], [...loader.diagnostics]];
  return {
    transcript: makeTranscript(path, { nodes, diagnostics, foreign, sizeBytes, mayRepeat }),
    canGrow: isSettled,
    grow: () => (isSettled ? readOn(path, loader, options) : loadGrowing(path, options)),
  };
}
