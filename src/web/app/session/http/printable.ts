// All turns of a branch at once, for paper. The browser prints what is on the page when its event handlers return, so the
// parts are read synchronously.
import type { Ref, SessionHead, TurnView } from '../../../../export/wire/index.ts';
import type { TurnsAnswer } from '../../../wire/index.ts';
import type { Printable, SessionSource } from '../source/index.ts';

/** Reads an address of the API at once, as text or as bytes in a string. */
export type ReadNow = (address: string, as: 'text' | 'bytes') => string;

/** A browser lays out more than this only after minutes. */
const maxChars = 24_000_000;

export function readPrintable(readNow: ReadNow, key: string, head: SessionHead): Printable {
  const base = `/api/sessions/${encodeURIComponent(key)}/turns?branch=${Math.max(1, head.branch)}`;
  const views: TurnView[] = [];
  let chars = 0;
  while (views.length < head.parts && chars < maxChars) {
    const text = readNow(`${base}&from=${views.length}&to=${head.parts}`, 'text');
    const { parts } = JSON.parse(text) as TurnsAnswer<TurnView>; // of our own server
    if (parts.length === 0) break;
    views.push(...parts);
    chars += text.length;
  }
  return { head, views };
}

/** The same session on paper: images have their data in their address, and there is nothing to open. */
export function paperSource(readNow: ReadNow, source: SessionSource, { head, views }: Printable): SessionSource {
  const isWhole = views.length >= head.parts;
  const note = isWhole ? '' : `The first ${views.length} of ${head.parts} parts; clew export --format html writes all`;
  const imageUrl = ({ record, pointer }: Ref): string => {
    const query = new URLSearchParams({ record: String(record), pointer });
    try {
      const bytes = readNow(`/api/sessions/${encodeURIComponent(source.key)}/image?${query}`, 'bytes');
      return `data:image/*;base64,${btoa(bytes)}`;
    } catch {
      return 'data:,'; // shown as an image that cannot be shown
    }
  };
  return { ...source, exported: { note, hasRaw: false }, imageUrl };
}
