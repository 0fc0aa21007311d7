// Text → grapheme clusters with the columns each takes on a terminal, lazily and in linear time. `Intl.Segmenter` alone
// is not enough: on Node 20 every step costs time in the length of the whole text (80,000 letters took 12 s).
import stringWidth from 'string-width';
import { plainWidth } from './plain-width.ts';

export interface Cluster {
  readonly text: string;
  readonly width: number;
}

export function* clusters(text: string): Generator<Cluster> {
  let at = 0;
  while (at < text.length) {
    const simple = simpleWidth(text, at);
    if (simple > 0) {
      yield { text: text.charAt(at), width: simple };
      at += 1;
      continue;
    }
    at = yield* windowClusters(text, at);
  }
}

/** A cluster is cut off here: real ones are shorter, and a letter under a million accents must not take a million. */
const longestCluster = 64;
/** Made on first use: it takes milliseconds, and most texts need none. */
let segmenter: Intl.Segmenter | undefined;

/** The clusters from `at` to the end of a window, the last one left for the next: it may go on behind the window. */
function* windowClusters(text: string, at: number): Generator<Cluster, number> {
  let end = Math.min(text.length, at + longestCluster);
  if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment, index } of segmenter.segment(text.slice(at, end))) {
    const start = at + index;
    if (start > at && start + segment.length === end && end < text.length) return start;
    yield { text: segment, width: clusterWidth(segment) };
  }
  return end;
}

/** The same few clusters make up most of a text, and string-width takes microseconds for each. */
function clusterWidth(cluster: string): number {
  let width = knownWidths.get(cluster);
  if (width !== undefined) return width;
  width = stringWidth(cluster);
  if (knownWidths.size === 4096) knownWidths.clear();
  knownWidths.set(cluster, width);
  return width;
}

const knownWidths = new Map<string, number>();

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** The width of a character that is certainly a cluster of its own, else 0. */
function simpleWidth(text: string, at: number): number {
  const width = plainWidth(text.charCodeAt(at));
  if (width === 0 || at + 1 === text.length) return width;
  return plainWidth(text.charCodeAt(at + 1)) > 0 ? width : 0;
}
