// A transcript that a client is still writing → the same transcript again, each time with the lines that were
// appended since: a session of hundreds of megabytes is read once, not for every new line.
import { readLineBatches } from '../../store/index.ts';
import { Loader, makeTranscript, type Transcript, type TranscriptOptions } from './transcript.ts';

export interface GrowingTranscript {
  readonly transcript: Transcript;
  /** Whether every line is complete: none without its end, no object over several lines. */
  readonly canGrow: boolean;
  /** The caller has checked that the file begins with the same bytes. The earlier transcript does not change. */
  grow(): GrowingTranscript;
}

/** The progress of a reading in steps. */
export interface ReadingStep {
  readonly bytesRead: number;
  soFar(): Transcript;
}

export function loadGrowing(path: string, options: TranscriptOptions = {}): GrowingTranscript {
  return finishReading(loadGrowingInSteps(path, options));
}

/** A step is about a megabyte: the caller can do other work between two steps. */
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

/** Caches are keyed by the list of nodes, so every state of the file has a new list. */
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
