// Text → grapheme clusters with their widths on a terminal, lazily and in linear time. `Intl.Segmenter` alone is too
// slow: on Node 20 every step depends on the length of the whole text (80,000 letters took 12 s).
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

/** Longer clusters are split: real ones are shorter, and a letter may have a million accents. */
const longestCluster = 64;
/** Created on first use, because it takes milliseconds and most texts need none. */
let segmenter: Intl.Segmenter | undefined;

/** The clusters of a window that starts at `at`, except the last one, which may continue after the window. */
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

/** The width of a character that is certainly a whole cluster, otherwise 0. */
function simpleWidth(text: string, at: number): number {
  const width = plainWidth(text.charCodeAt(at));
  if (width === 0 || at + 1 === text.length) return width;
  return plainWidth(text.charCodeAt(at + 1)) > 0 ? width : 0;
}
