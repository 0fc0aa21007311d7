// The request that resuming a session sends (session/resume/), with a placeholder for every long text: enough to compare and
// count, in a fraction of the memory. A proof needs several requests of sessions of any length.
import { isDeepStrictEqual } from 'node:util';
import { readImageSize } from '../../api/request/image-size.ts';
import { digestText } from '../../base/digest/digest.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import { type ResumeRequest, requestMessages, traceMessages } from '../../session/resume/request/request.ts';
import type { Transcript } from '../../session/transcript/transcript.ts';

/** `startChars`: how many characters of a long text to keep. */
export function leanRequest(
  session: { readonly transcript: LeanSource },
  prompt?: string,
  startChars?: number,
): ResumeRequest {
  return requestMessages({ transcript: leanTranscript(session.transcript, startChars) }, prompt, { host: 'anthropic' });
}

/** The same, each message with its lines. */
export function leanTrace(
  session: { readonly transcript: LeanSource },
  startChars?: number,
  prompt?: string,
): ReturnType<typeof traceMessages> {
  return traceMessages({ transcript: leanTranscript(session.transcript, startChars) }, prompt, {
    host: 'anthropic',
  });
}

type LeanSource = Pick<Transcript, 'nodes' | 'read'>;

export function leanTranscript(transcript: LeanSource, startChars?: number): LeanSource {
  return { nodes: transcript.nodes, read: (node) => leanEntry(transcript.read(node), startChars) };
}

/** `toolUseResult` is as long as the result, and never sent. */
function leanEntry({ toolUseResult: _, ...entry }: JsonObject, startChars: number | undefined): JsonObject {
  const lean = Object.entries(entry).map(([key, value]) => [
    key,
    sentKeys.has(key) && value !== undefined ? leanValue(value, startChars) : value,
  ]);
  return Object.fromEntries(lean);
}

const sentKeys: ReadonlySet<string> = new Set(['message', 'rendered', 'content']);

function leanValue(value: JsonValue, startChars: number | undefined, depth = 0): JsonValue {
  if (typeof value === 'string') return wholeText.test(value) ? value : digestText(value, startChars);
  // No client writes deeper values.
  if (depth > deepest) return value;
  if (isArray(value)) return value.map((item) => leanValue(item, startChars, depth + 1));
  if (!isObject(value)) return value;
  const isMedia = value.type === 'base64';
  const members = Object.entries(value).map(([key, inner]) => {
    if (inner === undefined || wholeKeys.has(key)) return [key, inner];
    if (isMedia && key === 'data' && typeof inner === 'string') return [key, leanMedia(inner)];
    return [key, leanValue(inner, startChars, depth + 1)];
  });
  return Object.fromEntries(members);
}

const deepest = 200;

/** Rules need the complete value. */
const wholeKeys: ReadonlySet<string> = new Set(['signature']);

/** Has a path that `move` changes; the client keeps such texts short. */
const wholeText = /^<persisted-output>/;

/** Keeps the start, from which the type and the size of an image are read. */
function leanMedia(data: string): string {
  const size = readImageSize(data);
  const isEnough = (lean: string): boolean => isDeepStrictEqual(readImageSize(lean), size);
  return headerChars.map((chars) => digestText(data, chars)).find(isEnough) ?? data;
}

const headerChars = [64, 64 * 1024];
