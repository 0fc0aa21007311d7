// A transcript whose client still writes → the same transcript again and again, each time with the lines that were
// appended since: a session of hundreds of megabytes is read once, not with every line that it gets.
import { readLineBatches } from '../store/lines.ts';
import { Loader, makeTranscript, type Transcript, type TranscriptOptions } from './transcript.ts';

export interface GrowingTranscript {
  readonly transcript: Transcript;
  /** Whether nothing was made of a line that may still change: one without its end, an object over several lines. */
  readonly canGrow: boolean;
  /** The caller has seen that the file begins with the same bytes. The transcript of before stays as it is. */
  grow(): GrowingTranscript;
}

/** How far a reading in steps has come. */
export interface ReadingStep {
  readonly bytesRead: number;
  /** What was read until now, as a transcript. */
  soFar(): Transcript;
}

export function loadGrowing(path: string, options: TranscriptOptions = {}): GrowingTranscript {
  return finishReading(loadGrowingInSteps(path, options));
}

/** A step is about a megabyte: between two the caller can do something else. */
export function loadGrowingInSteps(
  path: string,
  options: TranscriptOptions = {},
): Generator<ReadingStep, GrowingTranscript> {
  return readOn(path, new Loader(options), options);
}

function* readOn(path: string, loader: Loader, options: TranscriptOptions): Generator<ReadingStep, GrowingTranscript> {
  const from = { offset: loader.sizeBytes, number: loader.lastLine + 1 };
  for (const batch of readLineBatches(path, { from })) {
    for (const line of batch) loader.add(line);
    yield { bytesRead: loader.sizeBytes, soFar: () => transcriptOf(path, loader) };
  }
  loader.finish();
  const { isSettled } = loader;
  return {
    transcript: transcriptOf(path, loader),
    canGrow: isSettled,
    grow: () => (isSettled ? finishReading(readOn(path, loader, options)) : loadGrowing(path, options)),
  };
}

/** What is remembered of a list of nodes was made when it was shorter: a new list for every state of the file. */
function transcriptOf(path: string, loader: Loader): Transcript {
  const { foreign, sizeBytes, mayRepeat } = loader;
  const [nodes, diagnostics] = [[...loader.nodes], [...loader.diagnostics]];
  return makeTranscript(path, { nodes, diagnostics, foreign, sizeBytes, mayRepeat });
}

function finishReading(steps: Generator<ReadingStep, GrowingTranscript>): GrowingTranscript {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
