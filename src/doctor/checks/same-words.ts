// Two records under one uuid → whether they say the same. Usage and other bookkeeping of a message may differ: nothing
// that was said is lost then.
import { asObject, type JsonObject } from '../../base/json/json.ts';
import type { Node } from '../../session/transcript/node.ts';
import type { Transcript } from '../../session/transcript/transcript.ts';

export function saysSame(transcript: Transcript, a: Node, b: Node): boolean {
  if (a.type !== b.type) return false;
  return wordsOf(transcript.read(a)) === wordsOf(transcript.read(b));
}

function wordsOf({ message, ...entry }: JsonObject): string {
  return JSON.stringify([asObject(message)?.content, ...saidIn.map((key) => entry[key])]);
}

/** Where lines that are no messages say what they say. */
const saidIn = ['subtype', 'content', 'attachment', 'rendered', 'data'];
