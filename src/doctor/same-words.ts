// Two records under one uuid → whether they say the same. Usage and other bookkeeping of a message may differ: nothing
// that was said is lost then.
import { asObject } from '../base/json.ts';
import type { Node } from '../session/node.ts';
import type { Transcript } from '../session/transcript.ts';

export function saysSame(transcript: Transcript, a: Node, b: Node): boolean {
  if (a.type !== b.type) return false;
  const [one, other] = [a, b].map((node) => JSON.stringify(asObject(transcript.read(node).message)?.content));
  return one === other;
}
